//! The functions of tasks, of generated tasks, and of waiting for tasks.

use std::ffi::{CStr, c_char};

use crate::descriptor::{Descriptor, Given};
use crate::pomp::events;
use crate::task::depend::Letters;
use crate::ways::{iterations, tasks};

/// A task instance is created; `task` receives its id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_create_begin(d: *mut Descriptor, task: *mut i64) {
    // SAFETY: the contract of `pomp`.
    unsafe { tasks::create_begin(Given::new(d), task) }
}

/// The creation of a task instance is over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_create_end(d: *mut Descriptor, task: i64) {
    // SAFETY: the contract of `pomp`.
    unsafe { tasks::create_end(Given::new(d), task) }
}

/// The task whose creation has begun has items of `depend` clauses: a letter for each, and the
/// addresses of those that are known.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_depend(
    d: *mut Descriptor,
    task: i64,
    kinds: *const c_char,
    addresses: *const usize,
) {
    // SAFETY: the contract of `pomp`.
    unsafe { tasks::depend(Given::new(d), task, items(kinds, addresses)) };
}

/// A thread enters a taskwait that waits only for the tasks before it by these items of `depend`
/// clauses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Taskwait_depend_enter(
    d: *mut Descriptor,
    kinds: *const c_char,
    addresses: *const usize,
) {
    // SAFETY: the contract of `pomp`.
    unsafe { tasks::wait_depend_enter(Given::new(d), items(kinds, addresses)) };
}

/// A thread leaves such a taskwait.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Taskwait_depend_exit(d: *mut Descriptor) {
    // SAFETY: the contract of `pomp`.
    tasks::wait_depend_exit(unsafe { Given::new(d) });
}

/// The host meets a target construct with these items of `depend` clauses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Target_depend_enter(
    d: *mut Descriptor,
    kinds: *const c_char,
    addresses: *const usize,
) {
    // SAFETY: the contract of `pomp`.
    unsafe { tasks::target_depend_enter(Given::new(d), items(kinds, addresses)) };
}

/// The items of `depend` clauses.
///
/// # Safety
/// The contract of `pomp`: a string, and as many addresses as it has letters of kinds.
#[inline(always)]
unsafe fn items<'a>(kinds: *const c_char, addresses: *const usize) -> Letters<'a> {
    // SAFETY: the contract of this function.
    unsafe { Letters::new(CStr::from_ptr(kinds).to_bytes(), addresses) }
}

/// A thread begins to execute a task instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_begin(d: *mut Descriptor, task: i64) {
    // SAFETY: the contract of `pomp`.
    unsafe { tasks::begin(Given::new(d), task) }
}

/// A thread has executed a task instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_end(d: *mut Descriptor, task: i64) {
    // SAFETY: the contract of `pomp`.
    unsafe { tasks::end(Given::new(d), task) }
}

/// A thread has executed the body of a task instance that completes with this event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_detach(d: *mut Descriptor, task: i64, event: usize) {
    // SAFETY: the contract of `pomp`.
    unsafe { tasks::detach(Given::new(d), task, event) }
}

/// An untied task goes on after a scheduling point.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_resume(d: *mut Descriptor, task: i64) {
    // SAFETY: the contract of `pomp`.
    unsafe { tasks::resume(Given::new(d), task) }
}

events! {
    /// Begins the body of a taskgroup: nothing to do.
    POMP_Taskgroup_begin(_d) = ();
    /// An iteration of a loop ends.
    POMP_Iteration_end(d) = iterations::end(d);
}

/// An iteration of a loop begins: number `i`; the next one of the loop has `i + step`, where that
/// is known, and not 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Iteration_begin(d: *mut Descriptor, i: i64, step: i64) {
    // SAFETY: the contract of `pomp`.
    unsafe { iterations::begin(Given::new(d), i, step) }
}

/// A thread meets a taskloop; `id` receives its id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Taskloop_enter(d: *mut Descriptor, id: *mut i64) {
    // SAFETY: the contract of `pomp`.
    unsafe { iterations::taskloop_enter(Given::new(d), id) }
}

/// An iteration of a taskloop begins; `task` is 0 at the first one of each generated task.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Taskloop_begin(d: *mut Descriptor, id: i64, task: *mut i64) {
    // SAFETY: the contract of `pomp`.
    unsafe { iterations::taskloop_begin(Given::new(d), id, task) }
}

/// An iteration of a taskloop ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Taskloop_end(d: *mut Descriptor, task: i64) {
    // SAFETY: the contract of `pomp`.
    unsafe { iterations::taskloop_end(Given::new(d), task) }
}

/// A thread is after a taskloop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Taskloop_exit(d: *mut Descriptor, _id: i64) {
    // SAFETY: the contract of `pomp`.
    unsafe { iterations::taskloop_exit(Given::new(d)) }
}
