//! What happens to constructs, by their names: which region of the construct an event enters or
//! leaves, and which way it takes. All adapters give their events here, so that a construct is
//! measured in the same way whichever API tells of it.

use super::regions::{
    self, enter, enter_counted, enter_loop, exit, exit_counted, exit_worksharing,
};
use super::tasks;
use crate::descriptor::{Named, Slot};

/// Calls the macro `define` with the events of all constructs, one a line: the name of POMP's
/// function, the name here, and what happens.
///
/// To add a construct: a line for each of its events.
macro_rules! each_event {
    ($define:ident) => {
        $define! {
            /// Leaves a worksharing loop; POMP has another function for those of Fortran.
            POMP_For_exit for_exit(d) = exit_worksharing(d, Slot::Worksharing);
            /// Meets a sections construct.
            POMP_Sections_enter sections_enter(d) = enter(d, Slot::Worksharing);
            /// Leaves a sections construct.
            POMP_Sections_exit sections_exit(d) = exit_worksharing(d, Slot::Worksharing);
            /// Begins a section.
            POMP_Section_begin section_begin(d) = enter(d, Slot::Body);
            /// Ends a section.
            POMP_Section_end section_end(d) = exit(d, Slot::Body);
            /// Meets a workshare construct.
            POMP_Workshare_enter workshare_enter(d) = enter(d, Slot::Worksharing);
            /// Leaves a workshare construct.
            POMP_Workshare_exit workshare_exit(d) = exit_worksharing(d, Slot::Worksharing);
            /// Meets a single construct.
            POMP_Single_enter single_enter(d) = enter(d, Slot::Worksharing);
            /// Begins the body of a single construct.
            POMP_Single_begin single_begin(d) = enter(d, Slot::Body);
            /// Ends the body of a single construct.
            POMP_Single_end single_end(d) = exit(d, Slot::Body);
            /// Leaves a single construct.
            POMP_Single_exit single_exit(d) = exit_worksharing(d, Slot::Worksharing);
            /// Begins the body of a master construct.
            POMP_Master_begin master_begin(d) = enter(d, Slot::Body);
            /// Ends the body of a master construct.
            POMP_Master_end master_end(d) = exit(d, Slot::Body);
            /// Begins the body of a masked construct.
            POMP_Masked_begin masked_begin(d) = enter(d, Slot::Masked);
            /// Ends the body of a masked construct.
            POMP_Masked_end masked_end(d) = exit(d, Slot::Masked);
            /// Meets a scope construct.
            POMP_Scope_enter scope_enter(d) = enter(d, Slot::Scope);
            /// Leaves a scope construct.
            POMP_Scope_exit scope_exit(d) = exit_worksharing(d, Slot::Scope);
            /// Meets a `loop` construct.
            POMP_Loop_enter loop_enter(d) = enter(d, Slot::LoopConstruct);
            /// Leaves a `loop` construct.
            POMP_Loop_exit loop_exit(d) = exit(d, Slot::LoopConstruct);
            /// Meets a teams construct.
            POMP_Teams_enter teams_enter(d) = enter(d, Slot::Teams);
            /// Leaves a teams construct.
            POMP_Teams_exit teams_exit(d) = exit(d, Slot::Teams);
            /// Meets a distribute construct.
            POMP_Distribute_enter distribute_enter(d) = enter(d, Slot::Distribute);
            /// Leaves a distribute construct.
            POMP_Distribute_exit distribute_exit(d) = exit(d, Slot::Distribute);
            /// The host meets a target construct.
            POMP_Target_enter target_enter(d) = enter(d, Slot::Target);
            /// The host leaves a target construct.
            POMP_Target_exit target_exit(d) = exit(d, Slot::Target);
            /// Meets an ordered construct.
            POMP_Ordered_enter ordered_enter(d) = enter(d, Slot::Ordered);
            /// Begins the body of an ordered construct.
            POMP_Ordered_begin ordered_begin(d) = regions::ordered_begin(d);
            /// Ends the body of an ordered construct.
            POMP_Ordered_end ordered_end(d) = regions::ordered_end(d);
            /// Leaves an ordered construct.
            POMP_Ordered_exit ordered_exit(d) = regions::ordered_exit(d);
            /// Asks for a critical section.
            POMP_Critical_enter critical_enter(d) = enter(d, Slot::Worksharing);
            /// Has given a critical section back.
            POMP_Critical_exit critical_exit(d) = exit(d, Slot::Worksharing);
            /// Meets an atomic construct.
            POMP_Atomic_enter atomic_enter(d) = enter_counted(d, Slot::Worksharing);
            /// Is after an atomic construct.
            POMP_Atomic_exit atomic_exit(d) = exit_counted(d, Slot::Worksharing);
            /// Meets a flush.
            POMP_Flush_enter flush_enter(d) = enter_counted(d, Slot::Flush);
            /// Is after a flush.
            POMP_Flush_exit flush_exit(d) = exit_counted(d, Slot::Flush);
            /// Cancels a region, if cancellation is on.
            POMP_Cancel cancel(d) = enter_counted(d, Slot::Cancel);
            /// Looks whether the region around was cancelled.
            POMP_Cancellation_point cancellation_point(d) =
                enter_counted(d, Slot::CancellationPoint);
            /// Asks a critical's lock, and has it.
            POMP_Critical_begin critical_begin(d) = regions::critical_begin(d);
            /// Ends the body of a critical section.
            POMP_Critical_end critical_end(d) = regions::critical_end(d);
            /// Enters a barrier: an explicit one, or an implicit one that was made explicit.
            POMP_Barrier_enter barrier_enter(d) = regions::barrier_enter(d);
            /// Leaves a barrier.
            POMP_Barrier_exit barrier_exit(d) = regions::barrier_exit(d);
            /// Enters a taskwait.
            POMP_Taskwait_enter taskwait_enter(d) = tasks::wait_enter(d);
            /// Leaves a taskwait.
            POMP_Taskwait_exit taskwait_exit(d) = tasks::wait_exit(d);
            /// Enters a taskgroup.
            POMP_Taskgroup_enter taskgroup_enter(d) = enter(d, Slot::Taskgroup);
            /// Ends the body of a taskgroup: from here it waits for the tasks.
            POMP_Taskgroup_end taskgroup_end(d) = enter(d, Slot::TaskgroupEnd);
            /// Leaves a taskgroup, and with it the waiting.
            POMP_Taskgroup_exit taskgroup_exit(d) = exit(d, Slot::Taskgroup);
            /// Meets a taskyield.
            POMP_Taskyield_enter taskyield_enter(d) = enter(d, Slot::Taskyield);
            /// Is behind a taskyield.
            POMP_Taskyield_exit taskyield_exit(d) = exit(d, Slot::Taskyield);
        }
    };
}
pub(crate) use each_event;

macro_rules! functions {
    ($($(#[$doc:meta])* $pomp:ident $name:ident($construct:ident) = $event:expr;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name($construct: impl Named) {
            $event;
        }
    )* };
}
each_event!(functions);

/// Meets a worksharing loop with `count` iterations in all;
/// [`UNKNOWN_ITERATIONS`](pompeii_live::UNKNOWN_ITERATIONS) where they are not known.
#[inline(always)]
pub fn for_enter(d: impl Named, count: i64) {
    enter_loop(d, count);
}

/// Leaves the barrier of a worksharing loop, and the loop with it.
#[inline(always)]
pub fn for_exit_with_barrier(d: impl Named) {
    regions::exit_with_barrier(d);
}

/// The same of a sections construct.
#[inline(always)]
pub fn sections_exit_with_barrier(d: impl Named) {
    regions::exit_with_barrier(d);
}

/// Ends the body of a single construct, and leaves the construct at the same time.
#[inline(always)]
pub fn single_exit_with_body(d: impl Named) {
    regions::exit_with_body(d);
}

/// [`for_enter`] on the fast way alone, which without `TRACE` is only that of a profile; false
/// where it declines, and nothing was done.
#[inline(always)]
pub fn try_for_enter<const TRACE: bool>(d: impl Named, count: i64) -> bool {
    regions::try_enter_loop::<TRACE>(d, count)
}

/// [`single_enter`] on the fast way alone, likewise.
#[inline(always)]
pub fn try_single_enter(d: impl Named) -> bool {
    regions::try_enter(d, Slot::Worksharing)
}

/// [`barrier_enter`] on the fast way alone, likewise.
#[inline(always)]
pub fn try_barrier_enter(d: impl Named) -> bool {
    regions::try_barrier_enter(d)
}
