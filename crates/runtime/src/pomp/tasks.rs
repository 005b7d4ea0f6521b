//! The functions of tasks, of generated tasks, and of waiting for tasks.

use crate::clock::{self, System};
use crate::descriptor::{self, Descriptor, Slot};
use crate::pomp::ways::{enter, exit};
use crate::pomp::{events, on_construct, on_iteration};
use crate::{iteration, task};

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

/// A task instance is created; `task` receives its id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_create_begin(d: *mut Descriptor, task: *mut i64) {
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

/// A thread begins to execute a task instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_begin(d: *mut Descriptor, task: i64) {
    on_task!(d, task, |thread, id, regions| task::begin(thread, id, regions, System));
}

/// A thread has executed a task instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_end(d: *mut Descriptor, task: i64) {
    on_task!(d, task, |thread, id, regions| task::end(thread, id, regions, System));
}

/// The creation of a task instance is over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_create_end(d: *mut Descriptor, task: i64) {
    on_task!(d, task, |thread, id, regions| task::create_end(thread, id, regions, System));
}

/// An untied task goes on behind a scheduling point.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_resume(d: *mut Descriptor, task: i64) {
    on_task!(d, task, |thread, id, regions| task::resume(thread, id, regions.task.id, System));
}

events! {
    /// Enters a taskwait.
    POMP_Taskwait_enter(d) = on_construct!(d, |thread, process, handle| {
        task::wait_enter(thread, handle.region(process, Slot::Taskwait), System);
    });
    /// Leaves a taskwait.
    POMP_Taskwait_exit(d) = on_construct!(d, |thread, process, handle| {
        task::wait_exit(thread, handle.region(process, Slot::Taskwait), System);
    });
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
