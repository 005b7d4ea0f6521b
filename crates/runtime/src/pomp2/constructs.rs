//! The functions of constructs that one thread enters and leaves, of barriers, and of user regions.

use std::ffi::c_char;

use pompeii_live::UNKNOWN_ITERATIONS;

use super::{Word, known, open};
use crate::pomp;
use crate::ways::regions;

/// Calls that open a construct: they carry its context string.
macro_rules! opening {
    ($($name:ident = $pomp:ident;)*) => { $(
        #[doc = concat!("`", stringify!($pomp), "` of POMP.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(handle: *const Word, ctc: *const c_char) {
            // SAFETY: the contract of `pomp2`.
            unsafe { pomp::$pomp(open(handle, ctc).address()) }
        }
    )* };
}

/// Calls on a construct that is open; one that is not is passed over.
macro_rules! following {
    ($($name:ident = $pomp:ident;)*) => { $(
        #[doc = concat!("`", stringify!($pomp), "` of POMP.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(handle: *const Word) {
            // SAFETY: the contract of `pomp2`.
            unsafe {
                if let Some(construct) = known(handle) {
                    pomp::$pomp(construct.address());
                }
            }
        }
    )* };
}

opening! {
    POMP2_Begin = POMP_Begin;
    POMP2_Atomic_enter = POMP_Atomic_enter;
    POMP2_Critical_enter = POMP_Critical_enter;
    POMP2_Flush_enter = POMP_Flush_enter;
    POMP2_Master_begin = POMP_Master_begin;
    POMP2_Ordered_enter = POMP_Ordered_enter;
    POMP2_Section_begin = POMP_Section_begin;
    POMP2_Sections_enter = POMP_Sections_enter;
    POMP2_Single_enter = POMP_Single_enter;
    POMP2_Workshare_enter = POMP_Workshare_enter;
}

/// A worksharing loop is met; how many iterations it has is not known.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_For_enter(handle: *const Word, ctc: *const c_char) {
    // SAFETY: the contract of `pomp2`.
    unsafe { pomp::POMP_For_enter(open(handle, ctc).address(), UNKNOWN_ITERATIONS) }
}

following! {
    POMP2_End = POMP_End;
    POMP2_Atomic_exit = POMP_Atomic_exit;
    POMP2_Critical_begin = POMP_Critical_begin;
    POMP2_Critical_end = POMP_Critical_end;
    POMP2_Critical_exit = POMP_Critical_exit;
    POMP2_Flush_exit = POMP_Flush_exit;
    POMP2_For_exit = POMP_For_exit;
    POMP2_Master_end = POMP_Master_end;
    POMP2_Ordered_begin = POMP_Ordered_begin;
    POMP2_Ordered_end = POMP_Ordered_end;
    POMP2_Ordered_exit = POMP_Ordered_exit;
    POMP2_Section_end = POMP_Section_end;
    POMP2_Sections_exit = POMP_Sections_exit;
    POMP2_Single_begin = POMP_Single_begin;
    POMP2_Single_end = POMP_Single_end;
    POMP2_Single_exit = POMP_Single_exit;
    POMP2_Workshare_exit = POMP_Workshare_exit;
}

/// Enters an explicit barrier. No task can migrate there, so `old_task` has nothing to carry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Barrier_enter(
    handle: *const Word,
    _old_task: *mut i64,
    ctc: *const c_char,
) {
    // SAFETY: the contract of `pomp2`.
    unsafe { regions::barrier_enter(open(handle, ctc)) }
}

/// Leaves an explicit barrier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Barrier_exit(handle: *const Word, _old_task: i64) {
    // SAFETY: the contract of `pomp2`.
    unsafe {
        if let Some(construct) = known(handle) {
            regions::barrier_exit(construct);
        }
    }
}

/// Enters a construct's own barrier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Implicit_barrier_enter(handle: *const Word, _old_task: *mut i64) {
    // SAFETY: the contract of `pomp2`.
    unsafe {
        if let Some(construct) = known(handle) {
            regions::barrier_enter(construct);
        }
    }
}

/// Leaves a construct's own barrier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Implicit_barrier_exit(handle: *const Word, old_task: i64) {
    // SAFETY: the contract of `pomp2`.
    unsafe { POMP2_Barrier_exit(handle, old_task) }
}
