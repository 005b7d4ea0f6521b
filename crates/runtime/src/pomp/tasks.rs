//! The functions of tasks, of generated tasks, and of waiting for tasks.

use std::mem::MaybeUninit;
use std::sync::atomic::{Ordering, compiler_fence};

use crate::clock::{self, System, Tsc};
use crate::descriptor::{self, Defined, Descriptor, Given, Slot};
use crate::fast::{tasks, untimed_tasks};
use crate::location::{Location, gate};
use crate::pomp::{events, on_construct, on_iteration};
use crate::task::UNTIMED;
use crate::task::instance::{Task, is_implicit};
use crate::ways::regions::{enter, exit};
use crate::{iteration, openmp, task, tls};

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

/// An event that takes its time: its fast way without records, which is the function itself, that
/// with records, and where they decline, what else there is. What is rare is a call that does not
/// return here, so that the function needs no frame. The thread is in a register that the clock
/// leaves alone.
macro_rules! timed {
    ($($name:ident, $traced:ident, else $rest:expr, |$d:ident, $more:ident: $type:ty| $thread:ident
        => $event:expr;)*
    ) => { $(
        #[inline(always)]
        unsafe fn $name($d: *mut Descriptor, $more: $type) {
            const TRACE: bool = false;
            // SAFETY: the contract of this module; locations are never freed, and of what stands
            // for one nothing but the gate and whether there is a trace is read.
            unsafe {
                let $thread = tls::here_beside_time();
                if (*$thread).tracing {
                    $traced($d, $more, MaybeUninit::uninit(), $thread);
                } else if $event.is_none() {
                    $rest;
                }
            }
        }

        #[inline(never)]
        unsafe fn $traced(
            $d: *mut Descriptor,
            $more: $type,
            _of_the_clock: Nothing,
            $thread: *mut Location,
        ) {
            const TRACE: bool = true;
            // SAFETY: as above.
            unsafe {
                if $event.is_none() {
                    $rest;
                }
            }
        }

        const _: () = {
            /// A function whose address is taken keeps the register that it has no use for.
            #[used]
            static KEPT: Traced<$type> = $traced;
        };
    )* };
}

/// An event with records. The clock needs the third register, so the thread is in the fourth.
type Traced<T> = unsafe fn(*mut Descriptor, T, Nothing, *mut Location);

/// What a register has where an event carries nothing else.
type Nothing = MaybeUninit<u64>;

/// Where a region of the descriptor is, if that was visited before.
#[inline(always)]
unsafe fn place(d: *mut Descriptor, slot: Slot) -> Option<*mut Defined> {
    // SAFETY: as above.
    unsafe { Some(descriptor::known_handle(d)?.place(slot)) }
}

timed! {
    create_begin_timed, create_begin_traced, else create_begin_included(d, task),
        |d, task: *mut i64| thread
        => descriptor::known_handle(d)
            .and_then(|handle| tasks::create_begin::<TRACE>(thread, handle, Tsc))
            .map(|id| task.write(id as i64));
    create_end_timed, create_end_traced, else create_end_general(d, task), |d, task: i64| thread
        => match (*thread).gate {
            gate::CREATION => tasks::create_end::<TRACE>(thread, task as *mut Task, Tsc),
            // Of what its creator has executed at once. (Only the trace needs the region.)
            _ if task == 0 => None,
            _ => {
                // The gate is read anew: a register for it would cost all others an instruction.
                compiler_fence(Ordering::AcqRel);
                let handle = || descriptor::known_handle(d);
                tasks::create_end_at_once::<TRACE, _>(thread, task as *mut Task, handle, Tsc)
            }
        };
    begin_timed, begin_traced, else begin_at_once::<TRACE>(d, task, MaybeUninit::uninit(), thread),
        |d, task: i64| thread
        => {
            let handle = || descriptor::known_handle(d);
            tasks::begin::<TRACE, false, _>(thread, task as *mut Task, handle, Tsc)
        };
    end_timed, end_traced, else end_general(d, task), |d, task: i64| thread
        => tasks::end::<TRACE>(thread, task as *mut Task, Tsc);
    wait_enter_timed, wait_enter_traced, else wait_enter_general(d, nothing),
        |d, nothing: Nothing| thread
        => descriptor::known_handle(d)
            .and_then(|handle| tasks::wait_enter::<TRACE>(thread, handle, Tsc));
    wait_exit_timed, wait_exit_traced, else wait_exit_general(d, nothing),
        |d, nothing: Nothing| thread
        => tasks::wait_exit::<TRACE, _>(thread, || descriptor::known_handle(d), Tsc);
}

/// The begin of an instance that is not the simplest one: mostly of one that its creator executes
/// at once, because too many others are waiting, or on top of an explicit task.
#[inline(never)]
unsafe fn begin_at_once<const TRACE: bool>(
    d: *mut Descriptor,
    task: i64,
    of_the_clock: Nothing,
    thread: *mut Location,
) {
    // SAFETY: as above.
    unsafe {
        if (*thread).gate != gate::CREATION {
            return begin_nested::<TRACE>(d, task, of_the_clock, thread);
        }
        let handle = || descriptor::known_handle(d);
        let task = task as *mut Task;
        if openmp::may_be_final()
            || tasks::begin_at_once::<TRACE, false, _>(thread, task, handle, Tsc).is_none()
        {
            begin_in_creation::<TRACE>(d, task as i64, of_the_clock, thread);
        }
    }
}

/// On top of an explicit task.
#[inline(never)]
unsafe fn begin_nested<const TRACE: bool>(
    d: *mut Descriptor,
    task: i64,
    _of_the_clock: Nothing,
    thread: *mut Location,
) {
    // SAFETY: as above.
    unsafe {
        let handle = || descriptor::known_handle(d);
        if tasks::begin::<TRACE, true, _>(thread, task as *mut Task, handle, Tsc).is_none() {
            begin_general(d, task);
        }
    }
}

/// By its creator, which may be an explicit task, or a final one.
#[inline(never)]
unsafe fn begin_in_creation<const TRACE: bool>(
    d: *mut Descriptor,
    task: i64,
    _of_the_clock: Nothing,
    thread: *mut Location,
) {
    // SAFETY: as above.
    unsafe {
        let (instance, handle) = (task as *mut Task, || descriptor::known_handle(d));
        let is_final = openmp::may_be_final() && openmp::in_final();
        let done = if is_final {
            None
        } else if is_implicit((*thread).tasks.running) {
            tasks::begin_at_once::<TRACE, false, _>(thread, instance, handle, Tsc)
        } else {
            tasks::begin_at_once::<TRACE, true, _>(thread, instance, handle, Tsc)
        };
        if done.is_none() {
            begin_general(d, task);
        }
    }
}

/// Their registers are kept, too.
#[used]
static BEGINS: [Traced<i64>; 6] = [
    begin_at_once::<false>,
    begin_at_once::<true>,
    begin_nested::<false>,
    begin_nested::<true>,
    begin_in_creation::<false>,
    begin_in_creation::<true>,
];

/// The ways of an event of an instance. The one for what is counted only is the function itself.
macro_rules! task_events {
    ($($(#[$doc:meta])* $name:ident = $event:ident, $timed:ident, $general:ident,
        |$handle:ident| $untimed:expr, else $rest:ident;)*
    ) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(d: *mut Descriptor, task: i64) {
            let $handle = task as usize;
            // SAFETY: the contract of this module.
            unsafe {
                if $handle & UNTIMED == 0 {
                    $timed(d, task);
                } else if $untimed.is_none() {
                    $rest(d, task);
                }
            }
        }

        #[cold]
        #[inline(never)]
        fn $general(d: *mut Descriptor, task: i64) {
            on_task!(d, task, |thread, id, regions| task::$event(thread, id, regions, System));
        }
    )* };
}

task_events! {
    /// A thread begins to execute a task instance.
    POMP_Task_begin = begin, begin_timed, begin_general,
        |handle| untimed_tasks::begin(tls::here(), handle), else begin_general;
    /// A thread has executed a task instance.
    POMP_Task_end = end, end_timed, end_general,
        |handle| untimed_tasks::end(tls::here(), handle), else end_general;
    /// The creation of a task instance is over.
    POMP_Task_create_end = create_end, create_end_timed, create_end_general,
        |handle| untimed_tasks::create_end(tls::here(), handle), else create_end_included;
}

/// A task instance is created; `task` receives its id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_create_begin(d: *mut Descriptor, task: *mut i64) {
    // SAFETY: as above.
    unsafe { create_begin_timed(d, task) };
}

/// What no clause makes undeferred may still be: in a final task.
#[cold]
#[inline(never)]
unsafe fn create_begin_included(d: *mut Descriptor, task: *mut i64) {
    // SAFETY: as above; regions are known only where calls carry the argument.
    unsafe {
        let done = place(d, Slot::TaskCreate)
            .and_then(|place| untimed_tasks::create_begin_included(tls::here(), place));
        match done {
            Some(id) => task.write(id as i64),
            None => create_begin_general(d, task),
        }
    }
}

/// Of such a task.
#[cold]
#[inline(never)]
unsafe fn create_end_included(d: *mut Descriptor, task: i64) {
    // SAFETY: as above.
    unsafe {
        if untimed_tasks::create_end_included(tls::here(), task as usize).is_none() {
            create_end_general(d, task);
        }
    }
}

#[inline(never)]
unsafe fn create_begin_general(d: *mut Descriptor, task: *mut i64) {
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

#[cold]
#[inline(never)]
fn wait_enter_general(d: *mut Descriptor, _nothing: Nothing) {
    on_construct!(d, |thread, process, handle| {
        task::wait_enter(thread, handle.region(process, Slot::Taskwait), System);
    });
}

#[cold]
#[inline(never)]
fn wait_exit_general(d: *mut Descriptor, _nothing: Nothing) {
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
    // SAFETY: the contract of this module.
    POMP_Taskwait_enter(d) = unsafe { wait_enter_timed(d.address(), MaybeUninit::uninit()) };
    /// Leaves a taskwait.
    // SAFETY: the contract of this module.
    POMP_Taskwait_exit(d) = unsafe { wait_exit_timed(d.address(), MaybeUninit::uninit()) };
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
    POMP_Iteration_end(d) = on_iteration!(d.address(), |thread, process, handle| {
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
    // SAFETY: the contract of this module.
    exit(unsafe { Given::new(d) }, Slot::Taskloop);
}
