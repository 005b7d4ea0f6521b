//! Tasks, from the begin of their creation to their end, and waiting for them.
//!
//! # Safety
//! One contract for all functions: an id of an instance, which [`create_begin`] has written, is
//! named only until the instance is complete and its creation is over.

use std::mem::MaybeUninit;
use std::sync::atomic::{Ordering, compiler_fence};

use super::on_given;
use crate::clock::{System, Tsc};
use crate::descriptor::{Defined, Given, Handle, Named, Slot};
use crate::fast::{tasks, untimed_tasks};
use crate::location::{Location, gate};
use crate::task::UNTIMED;
use crate::task::depend::Items;
use crate::task::instance::{Task, is_implicit};
use crate::{openmp, task, tls};

/// An instance whose creation was not observed has the id 0: its events are passed over.
macro_rules! on_task {
    ($d:expr, $task:expr, |$thread:ident, $id:ident, $regions:ident| $event:expr) => {
        if $task != 0 {
            on_given!($d, |$thread, process, handle| if handle.extended {
                let ($id, $regions) = ($task as usize, handle.task(process));
                $event
            });
        }
    };
}

/// An event that takes its time: its fast way without records, which is the function itself, that
/// with records, and where they decline, what else there is. What is rare is a call that does not
/// return here, so that the function needs no frame. The thread is in a register that the clock
/// leaves alone. A fast way is in no closure, since the compiler inlines a closure into one of the
/// adapters only.
macro_rules! timed {
    ($($name:ident, $traced:ident, else $rest:expr, |$d:ident, $more:ident: $type:ty| $thread:ident
        => $event:expr;)*
    ) => { $(
        #[inline(always)]
        unsafe fn $name($d: impl Named, $more: $type) {
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
            $d: impl Named,
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
            static KEPT: (Traced<Given, $type>, Traced<Kept, $type>) = ($traced, $traced);
        };
    )* };
}

/// An event with records. The clock needs the third register, so the thread is in the fourth.
type Traced<D, T> = unsafe fn(D, T, Nothing, *mut Location);

/// A construct whose adapter keeps its handle.
type Kept = &'static Handle;

/// What a register has where an event carries nothing else.
type Nothing = MaybeUninit<u64>;

/// Where a region of the construct is, if that was visited before.
#[inline(always)]
fn place(d: impl Named, slot: Slot) -> Option<*mut Defined> {
    Some(d.known_handle()?.place(slot))
}

timed! {
    create_begin_timed, create_begin_traced, else create_begin_included(d, task),
        |d, task: *mut i64| thread
        => match d.known_handle() {
            Some(handle) => tasks::create_begin::<TRACE>(thread, handle, Tsc)
                .map(|id| task.write(id as i64)),
            None => None,
        };
    create_end_timed, create_end_traced, else create_end_general(d, task), |d, task: i64| thread
        => match (*thread).gate {
            gate::CREATION => tasks::create_end::<TRACE>(thread, task as *mut Task, Tsc),
            // Of what its creator has executed at once. (Only the trace needs the region.)
            _ if task == 0 => None,
            _ => {
                // The gate is read anew: a register for it would cost all others an instruction.
                compiler_fence(Ordering::AcqRel);
                let handle = || d.known_handle();
                tasks::create_end_at_once::<TRACE, _>(thread, task as *mut Task, handle, Tsc)
            }
        };
    begin_timed, begin_traced,
        else begin_at_once::<TRACE, _>(d, task, MaybeUninit::uninit(), thread),
        |d, task: i64| thread
        => {
            let handle = || d.known_handle();
            tasks::begin::<TRACE, false, _>(thread, task as *mut Task, handle, Tsc)
        };
    end_timed, end_traced, else end_general(d, task), |d, task: i64| thread
        => tasks::end::<TRACE>(thread, task as *mut Task, Tsc);
    wait_enter_timed, wait_enter_traced, else wait_enter_general(d, nothing),
        |d, nothing: Nothing| thread
        => match d.known_handle() {
            Some(handle) => tasks::wait_enter::<TRACE>(thread, handle, Tsc),
            None => None,
        };
    wait_exit_timed, wait_exit_traced, else wait_exit_general(d, nothing),
        |d, nothing: Nothing| thread
        => tasks::wait_exit::<TRACE, _>(thread, || d.known_handle(), Tsc);
}

/// The begin of an instance that is not the simplest one: mostly of one that its creator executes
/// at once, because too many others are waiting, or on top of an explicit task.
#[inline(never)]
unsafe fn begin_at_once<const TRACE: bool, D: Named>(
    d: D,
    task: i64,
    of_the_clock: Nothing,
    thread: *mut Location,
) {
    // SAFETY: as above.
    unsafe {
        if (*thread).gate != gate::CREATION {
            return begin_nested::<TRACE, _>(d, task, of_the_clock, thread);
        }
        let handle = || d.known_handle();
        let task = task as *mut Task;
        if openmp::may_be_final()
            || tasks::begin_at_once::<TRACE, false, _>(thread, task, handle, Tsc).is_none()
        {
            begin_in_creation::<TRACE, _>(d, task as i64, of_the_clock, thread);
        }
    }
}

/// On top of an explicit task.
#[inline(never)]
unsafe fn begin_nested<const TRACE: bool, D: Named>(
    d: D,
    task: i64,
    _of_the_clock: Nothing,
    thread: *mut Location,
) {
    // SAFETY: as above.
    unsafe {
        let handle = || d.known_handle();
        if tasks::begin::<TRACE, true, _>(thread, task as *mut Task, handle, Tsc).is_none() {
            begin_general(d, task);
        }
    }
}

/// By its creator, which may be an explicit task, or a final one.
#[inline(never)]
unsafe fn begin_in_creation<const TRACE: bool, D: Named>(
    d: D,
    task: i64,
    _of_the_clock: Nothing,
    thread: *mut Location,
) {
    // SAFETY: as above.
    unsafe {
        let (instance, handle) = (task as *mut Task, || d.known_handle());
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
static BEGINS: Begins<Given> = begins();

/// The same, where the adapter keeps the handle.
#[used]
static BEGINS_OF_KEPT: Begins<Kept> = begins();

type Begins<D> = [Traced<D, i64>; 6];

const fn begins<D: Named>() -> Begins<D> {
    [
        begin_at_once::<false, D>,
        begin_at_once::<true, D>,
        begin_nested::<false, D>,
        begin_nested::<true, D>,
        begin_in_creation::<false, D>,
        begin_in_creation::<true, D>,
    ]
}

/// The ways of an event of an instance. The one for what is counted only is the function itself.
macro_rules! task_events {
    ($($(#[$doc:meta])* $event:ident = $timed:ident, $general:ident,
        |$handle:ident| $untimed:expr, else $rest:ident;)*
    ) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub unsafe fn $event(d: impl Named, task: i64) {
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
        fn $general(d: impl Named, task: i64) {
            on_task!(d, task, |thread, id, regions| task::$event(thread, id, regions, System));
        }
    )* };
}

task_events! {
    /// A thread begins to execute a task instance.
    begin = begin_timed, begin_general,
        |handle| untimed_tasks::begin(tls::here(), handle), else begin_general;
    /// A thread has executed a task instance.
    end = end_timed, end_general,
        |handle| untimed_tasks::end(tls::here(), handle), else end_general;
    /// The creation of a task instance is over.
    create_end = create_end_timed, create_end_general,
        |handle| untimed_tasks::create_end(tls::here(), handle), else create_end_included;
}

/// A task instance is created; `task` receives its id. Where calls on the construct carry an id,
/// `task` must point to a writable integer.
#[inline(always)]
pub unsafe fn create_begin(d: impl Named, task: *mut i64) {
    // SAFETY: the contract of this module.
    unsafe { create_begin_timed(d, task) };
}

/// What no clause makes undeferred may still be: in a final task.
#[cold]
#[inline(never)]
unsafe fn create_begin_included(d: impl Named, task: *mut i64) {
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
unsafe fn create_end_included(d: impl Named, task: i64) {
    // SAFETY: as above.
    unsafe {
        if untimed_tasks::create_end_included(tls::here(), task as usize).is_none() {
            create_end_general(d, task);
        }
    }
}

#[inline(never)]
unsafe fn create_begin_general(d: impl Named, task: *mut i64) {
    let mut seen = false;
    on_given!(d, |thread, process, handle| {
        if handle.extended {
            let id = task::create_begin(thread, handle.task(process), System);
            // SAFETY: the contract of this module; our own instrumenter's calls carry the argument.
            unsafe { task.write(id as i64) };
        }
        seen = true;
    });
    if !seen && d.is_extended() {
        // SAFETY: as above.
        unsafe { task.write(0) };
    }
}

#[cold]
#[inline(never)]
fn wait_enter_general(d: impl Named, _nothing: Nothing) {
    on_given!(d, |thread, process, handle| {
        task::wait_enter(thread, handle.region(process, Slot::Taskwait), System);
    });
}

#[cold]
#[inline(never)]
fn wait_exit_general(d: impl Named, _nothing: Nothing) {
    on_given!(d, |thread, process, handle| {
        task::wait_exit(thread, handle.region(process, Slot::Taskwait), System);
    });
}

/// The task whose creation this thread has begun has these items of `depend` clauses. Comes before
/// the end of the creation.
#[inline(never)]
pub unsafe fn depend(d: impl Named, task: i64, items: impl Items) {
    on_task!(d, task, |thread, id, _regions| task::depend::depend(thread, id, items));
}

/// Enters a taskwait that waits only for the tasks before it by these items of `depend` clauses.
#[inline(never)]
pub fn wait_depend_enter(d: impl Named, items: impl Items) {
    on_given!(d, |thread, process, handle| {
        let region = handle.region(process, Slot::Taskwait);
        task::depend::enter_taskwait(thread, region, items, System);
    });
}

/// Leaves such a taskwait.
#[inline(never)]
pub fn wait_depend_exit(d: impl Named) {
    on_given!(d, |thread, process, handle| {
        task::depend::exit_taskwait(thread, handle.region(process, Slot::Taskwait), System);
    });
}

/// The host meets a target construct with these items of `depend` clauses.
#[inline(never)]
pub fn target_depend_enter(d: impl Named, items: impl Items) {
    on_given!(d, |thread, process, handle| {
        let region = handle.region(process, Slot::Target);
        task::depend::enter_target(thread, region, items, System);
    });
}

/// Enters a taskwait.
#[inline(always)]
pub fn wait_enter(d: impl Named) {
    // SAFETY: the contract of this module, of which waiting needs nothing: it names no instance.
    unsafe { wait_enter_timed(d, MaybeUninit::uninit()) };
}

/// Leaves a taskwait.
#[inline(always)]
pub fn wait_exit(d: impl Named) {
    // SAFETY: as above.
    unsafe { wait_exit_timed(d, MaybeUninit::uninit()) };
}

/// A thread has executed the body of a task instance that completes with this event.
#[inline(always)]
pub unsafe fn detach(d: impl Named, task: i64, event: usize) {
    on_task!(d, task, |thread, id, regions| {
        task::end_detached(thread, (id, event), regions, System);
    });
}

/// An untied task goes on after a scheduling point.
#[inline(always)]
pub unsafe fn resume(d: impl Named, task: i64) {
    on_task!(d, task, |thread, id, regions| task::resume(thread, id, regions.task.id, System));
}
