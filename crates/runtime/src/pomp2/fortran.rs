//! The Fortran entry points of POMP2. Everything is passed by reference.
//!
//! Hidden lengths of context strings are not read: the strings begin with their length, and what
//! type the hidden one has depends on the compiler.

use std::ffi::{c_char, c_int, c_void};

use super::Word;
use crate::fortran::entry;
use crate::locks;
use crate::pomp2 as c;

/// A construct opens: handle and context string.
macro_rules! opening {
    ($($lower:literal = $call:ident;)*) => { $(
        entry!($lower = c::$call(handle: *const Word = handle, ctc: *const c_char = ctc));
    )* };
}

/// The handle is all.
macro_rules! following {
    ($($lower:literal = $call:ident;)*) => { $(
        entry!($lower = c::$call(handle: *const Word = handle));
    )* };
}

/// Handle and the value of a task word.
macro_rules! restoring {
    ($($lower:literal = $call:ident;)*) => { $(
        entry!($lower = c::$call(handle: *const Word = handle, task: *const i64 = *task));
    )* };
}

/// Handle, task word to fill, context string.
macro_rules! saving {
    ($($lower:literal = $call:ident;)*) => { $(
        entry!($lower = c::$call(
            handle: *const Word = handle, task: *mut i64 = task, ctc: *const c_char = ctc
        ));
    )* };
}

/// Handle, words of the new and the old task, condition, context string.
macro_rules! creating {
    ($($lower:literal = $call:ident;)*) => { $(
        entry!($lower = c::$call(
            handle: *const Word = handle,
            new_task: *mut i64 = new_task,
            old_task: *mut i64 = old_task,
            if_value: *const c_int = *if_value,
            ctc: *const c_char = ctc
        ));
    )* };
}

/// No argument.
macro_rules! plain {
    ($($lower:literal = $call:ident $(-> $out:ty)?;)*) => { $(
        entry!($lower = c::$call() $(-> $out)?);
    )* };
}

/// The lock routines go on to Fortran's own.
macro_rules! lock_routines {
    ($($lower:literal = $call:ident;)*) => { $(
        entry!($lower = locks::$call(lock: *mut c_void = lock) -> c_int);
    )* };
}

opening! {
    "pomp2_assign_handle" = POMP2_Assign_handle;
    "pomp2_user_assign_handle" = POMP2_USER_Assign_handle;
    "pomp2_begin" = POMP2_Begin;
    "pomp2_atomic_enter" = POMP2_Atomic_enter;
    "pomp2_critical_enter" = POMP2_Critical_enter;
    "pomp2_do_enter" = POMP2_For_enter;
    "pomp2_flush_enter" = POMP2_Flush_enter;
    "pomp2_master_begin" = POMP2_Master_begin;
    "pomp2_ordered_enter" = POMP2_Ordered_enter;
    "pomp2_section_begin" = POMP2_Section_begin;
    "pomp2_sections_enter" = POMP2_Sections_enter;
    "pomp2_single_enter" = POMP2_Single_enter;
    "pomp2_workshare_enter" = POMP2_Workshare_enter;
}

following! {
    "pomp2_end" = POMP2_End;
    "pomp2_atomic_exit" = POMP2_Atomic_exit;
    "pomp2_critical_begin" = POMP2_Critical_begin;
    "pomp2_critical_end" = POMP2_Critical_end;
    "pomp2_critical_exit" = POMP2_Critical_exit;
    "pomp2_do_exit" = POMP2_For_exit;
    "pomp2_flush_exit" = POMP2_Flush_exit;
    "pomp2_master_end" = POMP2_Master_end;
    "pomp2_ordered_begin" = POMP2_Ordered_begin;
    "pomp2_ordered_end" = POMP2_Ordered_end;
    "pomp2_ordered_exit" = POMP2_Ordered_exit;
    "pomp2_parallel_begin" = POMP2_Parallel_begin;
    "pomp2_parallel_end" = POMP2_Parallel_end;
    "pomp2_section_end" = POMP2_Section_end;
    "pomp2_sections_exit" = POMP2_Sections_exit;
    "pomp2_single_begin" = POMP2_Single_begin;
    "pomp2_single_end" = POMP2_Single_end;
    "pomp2_single_exit" = POMP2_Single_exit;
    "pomp2_task_end" = POMP2_Task_end;
    "pomp2_untied_task_end" = POMP2_Untied_task_end;
    "pomp2_workshare_exit" = POMP2_Workshare_exit;
}

restoring! {
    "pomp2_barrier_exit" = POMP2_Barrier_exit;
    "pomp2_implicit_barrier_exit" = POMP2_Implicit_barrier_exit;
    "pomp2_parallel_join" = POMP2_Parallel_join;
    "pomp2_task_begin" = POMP2_Task_begin;
    "pomp2_task_create_end" = POMP2_Task_create_end;
    "pomp2_taskwait_end" = POMP2_Taskwait_end;
    "pomp2_untied_task_begin" = POMP2_Untied_task_begin;
    "pomp2_untied_task_create_end" = POMP2_Untied_task_create_end;
}

saving! {
    "pomp2_barrier_enter" = POMP2_Barrier_enter;
    "pomp2_taskwait_begin" = POMP2_Taskwait_begin;
}

creating! {
    "pomp2_task_create_begin" = POMP2_Task_create_begin;
    "pomp2_untied_task_create_begin" = POMP2_Untied_task_create_begin;
}

plain! {
    "pomp2_init" = POMP2_Init;
    "pomp2_finalize" = POMP2_Finalize;
    "pomp2_on" = POMP2_On;
    "pomp2_off" = POMP2_Off;
    "pomp2_lib_get_max_threads" = POMP2_Lib_get_max_threads -> c_int;
}

lock_routines! {
    "pomp2_init_lock" = omp_init_lock_;
    "pomp2_destroy_lock" = omp_destroy_lock_;
    "pomp2_set_lock" = omp_set_lock_;
    "pomp2_unset_lock" = omp_unset_lock_;
    "pomp2_test_lock" = omp_test_lock_;
    "pomp2_init_nest_lock" = omp_init_nest_lock_;
    "pomp2_destroy_nest_lock" = omp_destroy_nest_lock_;
    "pomp2_set_nest_lock" = omp_set_nest_lock_;
    "pomp2_unset_nest_lock" = omp_unset_nest_lock_;
    "pomp2_test_nest_lock" = omp_test_nest_lock_;
}

entry!("pomp2_implicit_barrier_enter" = c::POMP2_Implicit_barrier_enter(
    handle: *const Word = handle, old_task: *mut i64 = old_task
));
entry!("pomp2_parallel_fork" = c::POMP2_Parallel_fork(
    handle: *const Word = handle,
    if_clause: *const c_int = *if_clause,
    num_threads: *const c_int = *num_threads,
    old_task: *mut i64 = old_task,
    ctc: *const c_char = ctc
));
