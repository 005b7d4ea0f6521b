//! The functions of constructs that one thread enters and leaves, of barriers, and of user regions.

use std::ffi::c_char;

use pompeii_live::UNKNOWN_ITERATIONS;

use super::{Word, known, open};
use crate::descriptor::Slot;
use crate::ways::regions::{
    barrier_enter, barrier_exit, critical_begin, critical_end, enter, enter_counted, enter_loop,
    exit, exit_counted, exit_worksharing, ordered_begin, ordered_end, ordered_exit,
};

/// Calls that open a construct: they carry its context string.
macro_rules! opening {
    ($($(#[$doc:meta])* $name:ident($construct:ident) = $event:expr;)*) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(handle: *const Word, ctc: *const c_char) {
            // SAFETY: the contract of `pomp2`.
            let $construct = unsafe { open(handle, ctc) };
            $event
        }
    )* };
}

/// Calls on a construct that is open; one that is not is passed over.
macro_rules! following {
    ($($(#[$doc:meta])* $name:ident($construct:ident) = $event:expr;)*) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(handle: *const Word) {
            // SAFETY: the contract of `pomp2`.
            if let Some($construct) = unsafe { known(handle) } {
                $event
            }
        }
    )* };
}

opening! {
    /// A user region begins.
    POMP2_Begin(d) = enter(d, Slot::User);
    /// Meets an atomic construct.
    POMP2_Atomic_enter(d) = enter_counted(d, Slot::Worksharing);
    /// Asks for a critical section.
    POMP2_Critical_enter(d) = enter(d, Slot::Worksharing);
    /// Meets a flush.
    POMP2_Flush_enter(d) = enter_counted(d, Slot::Flush);
    /// Meets a worksharing loop; how many iterations it has is not known.
    POMP2_For_enter(d) = enter_loop(d, UNKNOWN_ITERATIONS);
    /// Begins the body of a master construct.
    POMP2_Master_begin(d) = enter(d, Slot::Body);
    /// Meets an ordered construct.
    POMP2_Ordered_enter(d) = enter(d, Slot::Ordered);
    /// Begins a section.
    POMP2_Section_begin(d) = enter(d, Slot::Body);
    /// Meets a sections construct.
    POMP2_Sections_enter(d) = enter(d, Slot::Worksharing);
    /// Meets a single construct.
    POMP2_Single_enter(d) = enter(d, Slot::Worksharing);
    /// Meets a workshare construct.
    POMP2_Workshare_enter(d) = enter(d, Slot::Worksharing);
}

following! {
    /// A user region ends.
    POMP2_End(d) = exit(d, Slot::User);
    /// Is after an atomic construct.
    POMP2_Atomic_exit(d) = exit_counted(d, Slot::Worksharing);
    /// Asks a critical's lock, and has it.
    POMP2_Critical_begin(d) = critical_begin(d);
    /// Ends the body of a critical section.
    POMP2_Critical_end(d) = critical_end(d);
    /// Has given a critical section back.
    POMP2_Critical_exit(d) = exit(d, Slot::Worksharing);
    /// Is after a flush.
    POMP2_Flush_exit(d) = exit_counted(d, Slot::Flush);
    /// Leaves a worksharing loop.
    POMP2_For_exit(d) = exit_worksharing(d, Slot::Worksharing);
    /// Ends the body of a master construct.
    POMP2_Master_end(d) = exit(d, Slot::Body);
    /// Begins the body of an ordered construct.
    POMP2_Ordered_begin(d) = ordered_begin(d);
    /// Ends the body of an ordered construct.
    POMP2_Ordered_end(d) = ordered_end(d);
    /// Leaves an ordered construct.
    POMP2_Ordered_exit(d) = ordered_exit(d);
    /// Ends a section.
    POMP2_Section_end(d) = exit(d, Slot::Body);
    /// Leaves a sections construct.
    POMP2_Sections_exit(d) = exit_worksharing(d, Slot::Worksharing);
    /// Begins the body of a single construct.
    POMP2_Single_begin(d) = enter(d, Slot::Body);
    /// Ends the body of a single construct.
    POMP2_Single_end(d) = exit(d, Slot::Body);
    /// Leaves a single construct.
    POMP2_Single_exit(d) = exit_worksharing(d, Slot::Worksharing);
    /// Leaves a workshare construct.
    POMP2_Workshare_exit(d) = exit_worksharing(d, Slot::Worksharing);
}

/// Enters an explicit barrier. No task can migrate there, so `old_task` has nothing to carry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Barrier_enter(
    handle: *const Word,
    _old_task: *mut i64,
    ctc: *const c_char,
) {
    // SAFETY: the contract of `pomp2`.
    unsafe { barrier_enter(open(handle, ctc)) }
}

/// Leaves an explicit barrier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Barrier_exit(handle: *const Word, _old_task: i64) {
    // SAFETY: the contract of `pomp2`.
    unsafe {
        if let Some(construct) = known(handle) {
            barrier_exit(construct);
        }
    }
}

/// Enters a construct's own barrier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Implicit_barrier_enter(handle: *const Word, _old_task: *mut i64) {
    // SAFETY: the contract of `pomp2`.
    unsafe {
        if let Some(construct) = known(handle) {
            barrier_enter(construct);
        }
    }
}

/// Leaves a construct's own barrier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Implicit_barrier_exit(handle: *const Word, old_task: i64) {
    // SAFETY: the contract of `pomp2`.
    unsafe { POMP2_Barrier_exit(handle, old_task) }
}
