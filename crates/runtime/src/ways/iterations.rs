//! Iterations of loops, and the tasks that a taskloop makes of them.

use super::regions::exit;
use super::{on_given, on_iteration};
use crate::clock::{self, System};
use crate::descriptor::{Named, Slot};
use crate::iteration;

/// An iteration of a loop begins: number `i`; the next one of the loop has `i + step`, where that
/// is known, and not 0.
#[inline(always)]
pub fn begin(d: impl Named, i: i64, step: i64) {
    on_iteration!(d, |thread, process, handle| {
        iteration::begin(thread, handle.region(process, Slot::Chunk), (i, step), System);
    });
}

/// An iteration of a loop ends.
#[inline(always)]
pub fn end(d: impl Named) {
    on_iteration!(d, |thread, process, handle| {
        iteration::end(thread, handle.region(process, Slot::Chunk), System);
    });
}

/// A thread meets a taskloop; `id` receives its id.
///
/// # Safety
/// Where calls on the construct carry ids, `id` must point to a writable integer.
#[inline(always)]
pub unsafe fn taskloop_enter(d: impl Named, id: *mut i64) {
    let mut known = 0;
    on_given!(d, |thread, process, handle| {
        let region = handle.region(process, Slot::Taskloop);
        known = iteration::taskloop_enter(thread, region, handle.nogroup, clock::now());
    });
    if d.is_extended() {
        // SAFETY: the caller's promise; only our own instrumenter's calls carry the argument.
        unsafe { id.write(known) };
    }
}

/// An iteration of a taskloop begins; `task` is 0 at the first one of each generated task.
///
/// # Safety
/// Where calls on the construct carry ids, `task` must point to a writable integer: 0, or what this
/// function has written for a task that is not complete.
#[inline(always)]
pub unsafe fn taskloop_begin(d: impl Named, id: i64, task: *mut i64) {
    on_iteration!(d, |thread, process, handle| if handle.extended {
        // SAFETY: the caller's promise.
        unsafe {
            let regions = handle.taskloop(process);
            task.write(iteration::taskloop_begin(thread, (id, task.read()), regions, System));
        }
    });
}

/// An iteration of a taskloop ends.
///
/// # Safety
/// `task` is what [`taskloop_begin`] has written.
#[inline(always)]
pub unsafe fn taskloop_end(d: impl Named, task: i64) {
    on_iteration!(d, |thread, process, handle| if handle.extended {
        iteration::taskloop_end(thread, task, handle.taskloop(process), System);
    });
}

/// A thread is after a taskloop.
#[inline(always)]
pub fn taskloop_exit(d: impl Named) {
    exit(d, Slot::Taskloop);
}
