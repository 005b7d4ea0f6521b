//! A call waits until the target of the access calls MPI.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Wait for progress in synchronisation.
pub const PROPERTY: Property = Property {
    name: "mpi_rma_sync_wait_for_progress",
    title: "Wait for progress",
    parent: Some("mpi_rma_sync_passive"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time that a process waits in MPI_Win_lock, MPI_Win_flush or MPI_Win_unlock \
            until the process whose memory it accesses calls MPI.",
        formula: "the longest time in the call in which the target is outside of MPI, and after \
            which it calls MPI before the own call ends. Time until the end of lock competition \
            does not count. Only epochs with locks have this waiting. Found by `pompeii analyze`.",
        cost: "Many MPI libraries move data and give locks only while the target is inside a \
            call of MPI. Meanwhile the origin can do nothing.",
        recognise: "It is close to 0 if the library makes progress without the target. An access \
            that only happens to end after a call of the target, for example a very long one, \
            looks like this, too.",
        remedy: "Switch on the progress thread of the MPI library, use a network or a window \
            (MPI_Win_allocate_shared) that needs no help of the target, or call MPI on the \
            target now and then.",
        example: "The target computes for 50 ms outside of MPI, and MPI_Win_unlock of the origin \
            ends as soon as it calls MPI_Barrier: 50 ms.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  =====================|B--|==
rank 1  ==|L|G|U..............--|===
L MPI_Win_lock, G MPI_Get, U MPI_Win_unlock, B any call of MPI";
