//! An operation waits until the target of the access calls MPI.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Wait for progress in communication.
pub const PROPERTY: Property = Property {
    name: "mpi_rma_comm_wait_for_progress",
    title: "Wait for progress in communication",
    parent: Some("mpi_rma_communication"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time that a process waits in MPI_Put or a similar call until the process \
            whose memory it accesses calls MPI.",
        formula: "the longest time in the call in which the target is outside of MPI, and after \
            which it calls MPI before the own call ends. Time until the end of lock competition \
            does not count. Only epochs with locks have this waiting. Found by `pompeii analyze`.",
        cost: "Many MPI libraries move data and give locks only while the target is inside a \
            call of MPI. Meanwhile the origin can do nothing.",
        recognise: "It is close to 0 if the library makes progress without the target, and for \
            small operations that the library only starts in this call.",
        remedy: "Switch on the progress thread of the MPI library, use a network or a window \
            (MPI_Win_allocate_shared) that needs no help of the target, or call MPI on the \
            target now and then.",
        example: "The target computes for 50 ms outside of MPI, and MPI_Fetch_and_op of the \
            origin ends as soon as it calls MPI_Barrier: 50 ms.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  =====================|B--|==
rank 1  ==|L|G................--|===
L MPI_Win_lock, G MPI_Get, B any call of MPI";
