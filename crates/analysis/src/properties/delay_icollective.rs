//! Delay by late non-blocking operations, at the call paths that caused it.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Delay by late non-blocking operations.
pub const PROPERTY: Property = Property {
    name: "delay_icollective",
    title: "Delay by late non-blocking operations",
    parent: Some("delay_mpi"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time that other processes waited for a non-blocking collective operation \
            that another process began late, because this call path took longer on this \
            process.",
        formula: "MPI_Wait waits until the processes whose data it needs have begun the \
            operation. The part of the waiting that goes back to what the causing process did \
            longer, since both were together last, until it came to its part in the call that \
            begins the operation.",
        cost: "Waiting cannot be repaired at the place of waiting. It ends if the call path \
            with this delay becomes shorter.",
        recognise: "Only a trace has this property: pompeii analyze finds it. The waiting \
            itself is mpi_icollective_wait.",
        remedy: "Make the call path shorter on the process that has the delay, or balance its \
            work among the processes.",
        example: "Process 1 computes for 2 s longer in assemble before MPI_Iallreduce, and \
            process 0 waits for 2 s in MPI_Wait. assemble has a delay of 2 s on process 1.",
    },
};
