//! The functions of constructs that one thread enters and leaves.

use crate::descriptor::{Descriptor, Given, Slot};
use crate::pomp::events;
use crate::ways::regions::{
    barrier_enter, barrier_exit, critical_begin, critical_end, enter, enter_counted, enter_loop,
    exit, exit_counted, exit_worksharing, ordered_begin, ordered_end, ordered_exit,
};

events! {
    /// A user region begins.
    POMP_Begin(d) = enter(d, Slot::User);
    /// A user region ends.
    POMP_End(d) = exit(d, Slot::User);
    /// Leaves a C worksharing loop.
    POMP_For_exit(d) = exit_worksharing(d, Slot::Worksharing);
    /// Leaves a Fortran worksharing loop.
    POMP_Do_exit(d) = exit_worksharing(d, Slot::Worksharing);
    /// Meets a sections construct.
    POMP_Sections_enter(d) = enter(d, Slot::Worksharing);
    /// Leaves a sections construct.
    POMP_Sections_exit(d) = exit_worksharing(d, Slot::Worksharing);
    /// Begins a section.
    POMP_Section_begin(d) = enter(d, Slot::Body);
    /// Ends a section.
    POMP_Section_end(d) = exit(d, Slot::Body);
    /// Meets a workshare construct.
    POMP_Workshare_enter(d) = enter(d, Slot::Worksharing);
    /// Leaves a workshare construct.
    POMP_Workshare_exit(d) = exit_worksharing(d, Slot::Worksharing);
    /// Meets a single construct.
    POMP_Single_enter(d) = enter(d, Slot::Worksharing);
    /// Begins the body of a single construct.
    POMP_Single_begin(d) = enter(d, Slot::Body);
    /// Ends the body of a single construct.
    POMP_Single_end(d) = exit(d, Slot::Body);
    /// Leaves a single construct.
    POMP_Single_exit(d) = exit_worksharing(d, Slot::Worksharing);
    /// Begins the body of a master construct.
    POMP_Master_begin(d) = enter(d, Slot::Body);
    /// Ends the body of a master construct.
    POMP_Master_end(d) = exit(d, Slot::Body);
    /// Begins the body of a masked construct.
    POMP_Masked_begin(d) = enter(d, Slot::Masked);
    /// Ends the body of a masked construct.
    POMP_Masked_end(d) = exit(d, Slot::Masked);
    /// Meets a scope construct.
    POMP_Scope_enter(d) = enter(d, Slot::Scope);
    /// Begins the body of a scope construct, which every thread has: its time is the construct's.
    POMP_Scope_begin(_d) = ();
    /// Ends the body of a scope construct.
    POMP_Scope_end(_d) = ();
    /// Leaves a scope construct.
    POMP_Scope_exit(d) = exit_worksharing(d, Slot::Scope);
    /// Meets a `loop` construct.
    POMP_Loop_enter(d) = enter(d, Slot::LoopConstruct);
    /// Leaves a `loop` construct.
    POMP_Loop_exit(d) = exit(d, Slot::LoopConstruct);
    /// Meets a teams construct.
    POMP_Teams_enter(d) = enter(d, Slot::Teams);
    /// Leaves a teams construct.
    POMP_Teams_exit(d) = exit(d, Slot::Teams);
    /// Meets a distribute construct.
    POMP_Distribute_enter(d) = enter(d, Slot::Distribute);
    /// Leaves a distribute construct.
    POMP_Distribute_exit(d) = exit(d, Slot::Distribute);
    /// The host meets a target construct.
    POMP_Target_enter(d) = enter(d, Slot::Target);
    /// The host leaves a target construct.
    POMP_Target_exit(d) = exit(d, Slot::Target);
    /// Meets an ordered construct.
    POMP_Ordered_enter(d) = enter(d, Slot::Ordered);
    /// Begins the body of an ordered construct.
    POMP_Ordered_begin(d) = ordered_begin(d);
    /// Ends the body of an ordered construct.
    POMP_Ordered_end(d) = ordered_end(d);
    /// Leaves an ordered construct.
    POMP_Ordered_exit(d) = ordered_exit(d);
    /// Asks for a critical section.
    POMP_Critical_enter(d) = enter(d, Slot::Worksharing);
    /// Has given a critical section back.
    POMP_Critical_exit(d) = exit(d, Slot::Worksharing);
    /// Meets an atomic construct.
    POMP_Atomic_enter(d) = enter_counted(d, Slot::Worksharing);
    /// Is after an atomic construct.
    POMP_Atomic_exit(d) = exit_counted(d, Slot::Worksharing);
    /// Meets a flush.
    POMP_Flush_enter(d) = enter_counted(d, Slot::Flush);
    /// Is after a flush.
    POMP_Flush_exit(d) = exit_counted(d, Slot::Flush);
    /// Cancels a region, if cancellation is on.
    POMP_Cancel(d) = enter_counted(d, Slot::Cancel);
    /// Looks whether the region around was cancelled.
    POMP_Cancellation_point(d) = enter_counted(d, Slot::CancellationPoint);
    /// Asks a critical's lock, and has it.
    POMP_Critical_begin(d) = critical_begin(d);
    /// Ends the body of a critical section.
    POMP_Critical_end(d) = critical_end(d);
    /// Enters a barrier: an explicit one, or an implicit one that was made explicit.
    POMP_Barrier_enter(d) = barrier_enter(d);
    /// Leaves a barrier.
    POMP_Barrier_exit(d) = barrier_exit(d);
}

/// Meets a C worksharing loop with `count` iterations in all; [`UNKNOWN_ITERATIONS`] where they are
/// not known. Foreign code has no such argument.
///
/// [`UNKNOWN_ITERATIONS`]: pompeii_live::UNKNOWN_ITERATIONS
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_For_enter(d: *mut Descriptor, iterations: i64) {
    // SAFETY: the contract of `pomp`.
    enter_loop(unsafe { Given::new(d) }, iterations);
}

/// Meets a Fortran worksharing loop, the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Do_enter(d: *mut Descriptor, iterations: i64) {
    // SAFETY: the contract of `pomp`.
    enter_loop(unsafe { Given::new(d) }, iterations);
}
