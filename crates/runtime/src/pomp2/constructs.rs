//! The functions of constructs that one thread enters and leaves, of barriers, and of user regions.

use std::ffi::c_char;

use pompeii_live::UNKNOWN_ITERATIONS;

use super::{Word, known, open};
use crate::descriptor::Slot;
use crate::ways::constructs;
use crate::ways::regions::{enter, exit};

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
    POMP2_Atomic_enter(d) = constructs::atomic_enter(d);
    /// Asks for a critical section.
    POMP2_Critical_enter(d) = constructs::critical_enter(d);
    /// Meets a flush.
    POMP2_Flush_enter(d) = constructs::flush_enter(d);
    /// Meets a worksharing loop; how many iterations it has is not known.
    POMP2_For_enter(d) = constructs::for_enter(d, UNKNOWN_ITERATIONS);
    /// Begins the body of a master construct.
    POMP2_Master_begin(d) = constructs::master_begin(d);
    /// Meets an ordered construct.
    POMP2_Ordered_enter(d) = constructs::ordered_enter(d);
    /// Begins a section.
    POMP2_Section_begin(d) = constructs::section_begin(d);
    /// Meets a sections construct.
    POMP2_Sections_enter(d) = constructs::sections_enter(d);
    /// Meets a single construct.
    POMP2_Single_enter(d) = constructs::single_enter(d);
    /// Meets a workshare construct.
    POMP2_Workshare_enter(d) = constructs::workshare_enter(d);
}

following! {
    /// A user region ends.
    POMP2_End(d) = exit(d, Slot::User);
    /// Is after an atomic construct.
    POMP2_Atomic_exit(d) = constructs::atomic_exit(d);
    /// Asks a critical's lock, and has it.
    POMP2_Critical_begin(d) = constructs::critical_begin(d);
    /// Ends the body of a critical section.
    POMP2_Critical_end(d) = constructs::critical_end(d);
    /// Has given a critical section back.
    POMP2_Critical_exit(d) = constructs::critical_exit(d);
    /// Is after a flush.
    POMP2_Flush_exit(d) = constructs::flush_exit(d);
    /// Leaves a worksharing loop.
    POMP2_For_exit(d) = constructs::for_exit(d);
    /// Ends the body of a master construct.
    POMP2_Master_end(d) = constructs::master_end(d);
    /// Begins the body of an ordered construct.
    POMP2_Ordered_begin(d) = constructs::ordered_begin(d);
    /// Ends the body of an ordered construct.
    POMP2_Ordered_end(d) = constructs::ordered_end(d);
    /// Leaves an ordered construct.
    POMP2_Ordered_exit(d) = constructs::ordered_exit(d);
    /// Ends a section.
    POMP2_Section_end(d) = constructs::section_end(d);
    /// Leaves a sections construct.
    POMP2_Sections_exit(d) = constructs::sections_exit(d);
    /// Begins the body of a single construct.
    POMP2_Single_begin(d) = constructs::single_begin(d);
    /// Ends the body of a single construct.
    POMP2_Single_end(d) = constructs::single_end(d);
    /// Leaves a single construct.
    POMP2_Single_exit(d) = constructs::single_exit(d);
    /// Leaves a workshare construct.
    POMP2_Workshare_exit(d) = constructs::workshare_exit(d);
}

/// Enters an explicit barrier. No task can migrate there, so `old_task` has nothing to carry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Barrier_enter(
    handle: *const Word,
    _old_task: *mut i64,
    ctc: *const c_char,
) {
    // SAFETY: the contract of `pomp2`.
    unsafe { constructs::barrier_enter(open(handle, ctc)) }
}

/// Leaves an explicit barrier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Barrier_exit(handle: *const Word, _old_task: i64) {
    // SAFETY: the contract of `pomp2`.
    unsafe {
        if let Some(construct) = known(handle) {
            constructs::barrier_exit(construct);
        }
    }
}

/// Enters a construct's own barrier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Implicit_barrier_enter(handle: *const Word, _old_task: *mut i64) {
    // SAFETY: the contract of `pomp2`.
    unsafe {
        if let Some(construct) = known(handle) {
            constructs::barrier_enter(construct);
        }
    }
}

/// Leaves a construct's own barrier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Implicit_barrier_exit(handle: *const Word, old_task: i64) {
    // SAFETY: the contract of `pomp2`.
    unsafe { POMP2_Barrier_exit(handle, old_task) }
}
