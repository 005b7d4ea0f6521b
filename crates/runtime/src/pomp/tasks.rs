//! The functions of tasks, of generated tasks, and of waiting for tasks.

use crate::clock::{self, System, Tsc};
use crate::descriptor::{self, Defined, Descriptor, Slot};
use crate::instance::Task;
use crate::location::{Location, gate};
use crate::pomp::ways::{enter, exit};
use crate::pomp::{events, on_construct, on_iteration};
use crate::task::UNTIMED;
use crate::{iteration, task, task_short, task_timed, tls};

/// An instance whose creation was not observed has the id 0: its events are passed over.
macro_rules! on_task {
    ($d:expr, $task:expr, |$thread:ident, $id:ident, $regions:ident| $event:expr) => {
        if $task != 0 {
            on_construct!($d, |$thread, process, handle| if handle.extended {
                let ($id, $regions) = ($task as usize, handle.task(process));
                $event
            });
        }
    };
}

/// An event that takes its time: its short ways, without records and with them, and where those
/// decline, the long one. Each is a function of its own, so that what comes before needs no frame.
macro_rules! timed {
    ($($name:ident, $profiled:ident, $traced:ident, $long:ident, |$d:ident, $more:ident: $type:ty|
        where $gate:ident is $open:expr, $thread:ident => $event:expr;)*
    ) => { $(
        #[inline(always)]
        unsafe fn $name($d: *mut Descriptor, $more: $type) {
            // SAFETY: the contract of this module; locations are never freed, and of what stands
            // for one nothing but the gate is read.
            unsafe {
                let $thread = tls::here();
                let $gate = (*$thread).gate;
                if !$open {
                    $long($d, $more);
                } else if (*$thread).tracing {
                    $traced($d, $more, $thread);
                } else {
                    $profiled($d, $more, $thread);
                }
            }
        }

        timed!(@way $profiled, false, $long, |$d, $more: $type, $thread| $event);
        timed!(@way $traced, true, $long, |$d, $more: $type, $thread| $event);
    )* };
    (@way $name:ident, $trace:literal, $long:ident, |$d:ident, $more:ident: $type:ty, $thread:ident|
        $event:expr
    ) => {
        #[inline(never)]
        unsafe fn $name($d: *mut Descriptor, $more: $type, $thread: *mut Location) {
            const TRACE: bool = $trace;
            // SAFETY: as above; called where the gate is as the event wants it.
            unsafe {
                if $event.is_none() {
                    $long($d, $more);
                }
            }
        }
    };
}

/// Whether nothing but the switch back from a task is due.
#[inline(always)]
fn is_open(gate: u32) -> bool {
    gate & !gate::SWITCH == 0
}

/// The same, or a creation is due.
#[inline(always)]
fn is_open_or_due(gate: u32) -> bool {
    gate & !(gate::SWITCH | gate::CREATION) == 0
}

/// Where a region of the descriptor is, if that was visited before.
#[inline(always)]
unsafe fn place(d: *mut Descriptor, slot: Slot) -> Option<*mut Defined> {
    // SAFETY: as above.
    unsafe { Some(descriptor::known_handle(d)?.place(slot)) }
}

timed! {
    create_begin_timed, create_begin_profiled, create_begin_traced, create_begin_rare,
        |d, task: *mut i64|
        where gate is is_open(gate),
        thread => place(d, Slot::TaskCreate)
            .and_then(|place| task_timed::create_begin::<TRACE>(thread, place, Tsc))
            .map(|id| task.write(id as i64));
    create_end_timed, create_end_profiled, create_end_traced, create_end_any, |d, task: i64|
        where gate is is_open_or_due(gate),
        thread => {
            if (*thread).gate != gate::CREATION {
                return create_end_at_once::<TRACE>(d, task, thread);
            }
            task_timed::create_end::<TRACE>(thread, task as *mut Task, Tsc)
        };
    begin_timed, begin_profiled, begin_traced, begin_any, |d, task: i64|
        where gate is is_open_or_due(gate),
        thread => {
            if (*thread).gate == gate::CREATION {
                return begin_at_once::<TRACE>(d, task, thread);
            }
            if !(*thread).tasks.current.is_null() {
                return begin_on_top::<TRACE>(d, task, thread);
            }
            begin_here::<TRACE, false>(d, task, thread)
        };
    end_timed, end_profiled, end_traced, end_any, |d, task: i64|
        where gate is gate == 0,
        thread => task_timed::end::<TRACE>(thread, task as *mut Task, || place(d, Slot::Task), Tsc);
    wait_enter_timed, wait_enter_profiled, wait_enter_traced, wait_enter_any, |d, _nothing: ()|
        where gate is is_open(gate),
        thread => place(d, Slot::Taskwait)
            .and_then(|place| task_timed::wait_enter::<TRACE>(thread, place, Tsc));
    wait_exit_timed, wait_exit_profiled, wait_exit_traced, wait_exit_any, |d, _nothing: ()|
        where gate is is_open(gate),
        thread => place(d, Slot::Taskwait)
            .and_then(|place| task_timed::wait_exit::<TRACE>(thread, place, Tsc));
}

#[inline(always)]
unsafe fn begin_here<const TRACE: bool, const NESTED: bool>(
    d: *mut Descriptor,
    task: i64,
    thread: *mut Location,
) -> Option<()> {
    // SAFETY: as above.
    unsafe {
        let place = descriptor::known_handle(d)?.task_place();
        task_timed::begin::<TRACE, NESTED>(thread, task as *mut Task, place, Tsc)
    }
}

/// On top of an explicit task, whose fragment ends. (What is not simple is the last call of the
/// simple way, which needs no frame then.)
#[inline(never)]
unsafe fn begin_on_top<const TRACE: bool>(d: *mut Descriptor, task: i64, thread: *mut Location) {
    // SAFETY: as above.
    if unsafe { begin_here::<TRACE, true>(d, task, thread) }.is_none() {
        begin_any(d, task);
    }
}

/// By its creator, inside its creation, though no clause says so.
#[inline(never)]
unsafe fn begin_at_once<const TRACE: bool>(d: *mut Descriptor, task: i64, thread: *mut Location) {
    // SAFETY: as above.
    let done = unsafe {
        let handle = descriptor::known_handle(d).filter(|handle| !handle.conditional);
        handle.and_then(|handle| {
            let (task, place) = (task as *mut Task, handle.task_place());
            match (*thread).tasks.current.is_null() {
                true => task_timed::begin_at_once::<TRACE, false>(thread, task, place, Tsc),
                false => task_timed::begin_at_once::<TRACE, true>(thread, task, place, Tsc),
            }
        })
    };
    if done.is_none() {
        begin_any(d, task);
    }
}

/// The end of the creation of such an instance.
#[inline(never)]
unsafe fn create_end_at_once<const TRACE: bool>(
    d: *mut Descriptor,
    task: i64,
    thread: *mut Location,
) {
    // SAFETY: as above.
    let done = unsafe {
        place(d, Slot::TaskCreate).and_then(|create| {
            task_timed::create_end_at_once::<TRACE>(thread, task as *mut Task, create, Tsc)
        })
    };
    if done.is_none() {
        create_end_any(d, task);
    }
}

/// The ways of an event of an instance. The one for what is counted only is the function itself.
macro_rules! task_events {
    ($($(#[$doc:meta])* $name:ident = $event:ident, $timed:ident, $long:ident, $untimed:ident;)*
    ) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(d: *mut Descriptor, task: i64) {
            // SAFETY: the contract of this module.
            unsafe {
                if task as usize & UNTIMED == 0 {
                    $timed(d, task);
                } else if task_short::$untimed(tls::here(), task as usize).is_none() {
                    $long(d, task);
                }
            }
        }

        #[cold]
        #[inline(never)]
        fn $long(d: *mut Descriptor, task: i64) {
            on_task!(d, task, |thread, id, regions| task::$event(thread, id, regions, System));
        }
    )* };
}

task_events! {
    /// A thread begins to execute a task instance.
    POMP_Task_begin = begin, begin_timed, begin_any, begin_untimed;
    /// A thread has executed a task instance.
    POMP_Task_end = end, end_timed, end_any, end_untimed;
    /// The creation of a task instance is over.
    POMP_Task_create_end = create_end, create_end_timed, create_end_any, create_end_untimed;
}

/// A task instance is created; `task` receives its id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_create_begin(d: *mut Descriptor, task: *mut i64) {
    // SAFETY: as above; regions are known only where calls carry the argument.
    unsafe {
        match descriptor::known_handle(d) {
            Some(handle) if handle.conditional => {
                let create = handle.place(Slot::TaskCreate);
                match task_short::create_begin_predicted(tls::here(), create, true) {
                    Some(id) => task.write(id as i64),
                    None => create_begin_timed(d, task),
                }
            }
            _ => create_begin_timed(d, task),
        }
    }
}

/// What no clause makes undeferred may still be: in a final task.
#[cold]
#[inline(never)]
unsafe fn create_begin_rare(d: *mut Descriptor, task: *mut i64) {
    // SAFETY: as above.
    unsafe {
        let done = place(d, Slot::TaskCreate)
            .and_then(|place| task_short::create_begin_predicted(tls::here(), place, false));
        match done {
            Some(id) => task.write(id as i64),
            None => create_begin_any(d, task),
        }
    }
}

#[inline(never)]
unsafe fn create_begin_any(d: *mut Descriptor, task: *mut i64) {
    let mut seen = false;
    on_construct!(d, |thread, process, handle| {
        if handle.extended {
            let id = task::create_begin(thread, handle.task(process), System);
            // SAFETY: the contract of this module; our own instrumenter's calls carry the argument.
            unsafe { task.write(id as i64) };
        }
        seen = true;
    });
    // SAFETY: as above.
    unsafe {
        if !seen && descriptor::is_extended(d) {
            task.write(0);
        }
    }
}

/// Enters a taskwait; one without children is counted here.
#[inline(always)]
fn wait_enter(d: *mut Descriptor) {
    // SAFETY: the contract of this module.
    let counted =
        unsafe { task_short::wait_enter_counted(tls::here(), || place(d, Slot::Taskwait)) };
    if counted.is_none() {
        // SAFETY: as above.
        unsafe { wait_enter_timed(d, ()) };
    }
}

#[cold]
#[inline(never)]
fn wait_enter_any(d: *mut Descriptor, _nothing: ()) {
    on_construct!(d, |thread, process, handle| {
        task::wait_enter(thread, handle.region(process, Slot::Taskwait), System);
    });
}

/// Leaves a taskwait.
#[inline(always)]
fn wait_exit(d: *mut Descriptor) {
    // SAFETY: the contract of this module.
    let counted = unsafe { task_short::wait_exit_counted(tls::here()) };
    if counted.is_none() {
        // SAFETY: as above.
        unsafe { wait_exit_timed(d, ()) };
    }
}

#[cold]
#[inline(never)]
fn wait_exit_any(d: *mut Descriptor, _nothing: ()) {
    on_construct!(d, |thread, process, handle| {
        task::wait_exit(thread, handle.region(process, Slot::Taskwait), System);
    });
}

/// A thread has executed the body of a task instance that completes with this event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_detach(d: *mut Descriptor, task: i64, event: usize) {
    on_task!(d, task, |thread, id, regions| {
        task::end_detached(thread, (id, event), regions, System);
    });
}

/// An untied task goes on behind a scheduling point.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_resume(d: *mut Descriptor, task: i64) {
    on_task!(d, task, |thread, id, regions| task::resume(thread, id, regions.task.id, System));
}

events! {
    /// Enters a taskwait.
    POMP_Taskwait_enter(d) = wait_enter(d);
    /// Leaves a taskwait.
    POMP_Taskwait_exit(d) = wait_exit(d);
    /// Enters a taskgroup.
    POMP_Taskgroup_enter(d) = enter(d, Slot::Taskgroup);
    /// Begins the body of a taskgroup: nothing to do.
    POMP_Taskgroup_begin(_d) = ();
    /// Ends the body of a taskgroup: from here it waits for the tasks.
    POMP_Taskgroup_end(d) = enter(d, Slot::TaskgroupEnd);
    /// Leaves a taskgroup, and with it the waiting.
    POMP_Taskgroup_exit(d) = exit(d, Slot::Taskgroup);
    /// Meets a taskyield.
    POMP_Taskyield_enter(d) = enter(d, Slot::Taskyield);
    /// Is behind a taskyield.
    POMP_Taskyield_exit(d) = exit(d, Slot::Taskyield);
    /// An iteration of a loop ends.
    POMP_Iteration_end(d) = on_iteration!(d, |thread, process, handle| {
        iteration::end(thread, handle.region(process, Slot::Chunk), System);
    });
}

/// An iteration of a loop begins: number `i`; the next one of the loop has `i + step`, where that
/// is known, and not 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Iteration_begin(d: *mut Descriptor, i: i64, step: i64) {
    on_iteration!(d, |thread, process, handle| {
        iteration::begin(thread, handle.region(process, Slot::Chunk), (i, step), System);
    });
}

/// A thread meets a taskloop; `id` receives its id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Taskloop_enter(d: *mut Descriptor, id: *mut i64) {
    let mut known = 0;
    on_construct!(d, |thread, process, handle| {
        let region = handle.region(process, Slot::Taskloop);
        known = iteration::taskloop_enter(thread, region, handle.nogroup, clock::now());
    });
    // SAFETY: the contract of this module; only our own instrumenter's calls carry the argument.
    unsafe {
        if descriptor::is_extended(d) {
            id.write(known);
        }
    }
}

/// An iteration of a taskloop begins; `task` is 0 at the first one of each generated task.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Taskloop_begin(d: *mut Descriptor, id: i64, task: *mut i64) {
    on_iteration!(d, |thread, process, handle| if handle.extended {
        // SAFETY: the contract of this module.
        unsafe {
            let regions = handle.taskloop(process);
            task.write(iteration::taskloop_begin(thread, (id, task.read()), regions, System));
        }
    });
}

/// An iteration of a taskloop ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Taskloop_end(d: *mut Descriptor, task: i64) {
    on_iteration!(d, |thread, process, handle| if handle.extended {
        iteration::taskloop_end(thread, task, handle.taskloop(process), System);
    });
}

/// A thread is behind a taskloop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Taskloop_exit(d: *mut Descriptor, _id: i64) {
    exit(d, Slot::Taskloop);
}
