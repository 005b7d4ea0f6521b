//! The functions of tasks, and of waiting for tasks.

use std::ffi::{c_char, c_int};

use super::{Word, fill, instances, known, open};
use crate::clock::System;
use crate::descriptor::Slot;
use crate::task;
use crate::ways::on_given;

/// Enters a taskwait: `old_task` carries an untied task over it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Taskwait_begin(
    handle: *const Word,
    old_task: *mut i64,
    ctc: *const c_char,
) {
    let mut current = 0;
    // SAFETY: the contract of `pomp2`.
    let construct = unsafe { open(handle, ctc) };
    on_given!(construct, |thread, process, handle| {
        current = instances::current_untied(thread) as i64;
        task::wait_enter(thread, handle.region(process, Slot::Taskwait), System);
    });
    // SAFETY: as above.
    unsafe { fill(old_task, current) };
}

/// Leaves a taskwait.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Taskwait_end(handle: *const Word, old_task: i64) {
    // SAFETY: the contract of `pomp2`.
    let Some(construct) = (unsafe { known(handle) }) else { return };
    on_given!(construct, |thread, process, handle| {
        task::wait_exit(thread, handle.region(process, Slot::Taskwait), System);
        instances::go_on(thread, old_task as usize);
    });
}

unsafe fn create_begin(
    handle: *const Word,
    (new_task, old_task): (*mut i64, *mut i64),
    untied: bool,
    ctc: *const c_char,
) {
    let mut id = 0;
    // SAFETY: the contract of `pomp2`.
    let construct = unsafe { open(handle, ctc) };
    on_given!(construct, |thread, process, handle| {
        id = instances::create_begin(thread, handle.task(process), untied) as i64;
    });
    // SAFETY: as above. The end of the creation gets the old task's word only.
    unsafe {
        fill(new_task, id);
        fill(old_task, id);
    }
}

macro_rules! tasks {
    ($untied:literal $create_begin:ident $create_end:ident $begin:ident $end:ident) => {
        /// A task instance is created; both words receive its id.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $create_begin(
            handle: *const Word,
            new_task: *mut i64,
            old_task: *mut i64,
            _if_value: c_int,
            ctc: *const c_char,
        ) {
            // SAFETY: the contract of `pomp2`.
            unsafe { create_begin(handle, (new_task, old_task), $untied, ctc) }
        }

        /// The creation of a task instance is over.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $create_end(handle: *const Word, old_task: i64) {
            // SAFETY: the contract of `pomp2`.
            let Some(construct) = (unsafe { known(handle) }) else { return };
            on_given!(construct, |thread, process, handle| {
                instances::create_end(thread, old_task as usize, handle.task(process));
            });
        }

        /// A thread begins to execute a task instance.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $begin(handle: *const Word, new_task: i64) {
            // SAFETY: the contract of `pomp2`.
            let Some(construct) = (unsafe { known(handle) }) else { return };
            on_given!(construct, |thread, process, handle| {
                instances::begin(thread, new_task as usize, handle.task(process));
            });
        }

        /// A thread has executed a task instance.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $end(handle: *const Word) {
            // SAFETY: the contract of `pomp2`.
            let Some(construct) = (unsafe { known(handle) }) else { return };
            on_given!(construct, |thread, process, handle| {
                instances::end(thread, handle.task(process));
            });
        }
    };
}

tasks!(false POMP2_Task_create_begin POMP2_Task_create_end POMP2_Task_begin POMP2_Task_end);
tasks!(true POMP2_Untied_task_create_begin POMP2_Untied_task_create_end POMP2_Untied_task_begin
    POMP2_Untied_task_end);
