//! Delay by MPI barriers, at the call paths that caused it.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Delay by MPI barriers.
pub const PROPERTY: Property = Property {
    name: "delay_barrier",
    title: "Delay by MPI barriers",
    parent: Some("delay_mpi"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time that other processes waited at MPI barriers, because this call path \
            took longer on this process.",
        formula: "all processes wait at a barrier for the last one. The part of the waiting \
            that goes back to what the causing process did longer, since both were together \
            last, until it came to its part at the barrier.",
        cost: "Waiting cannot be repaired at the place of waiting. It ends if the call path \
            with this delay becomes shorter.",
        recognise: "Only a trace has this property: pompeii analyze finds it. The waiting \
            itself is mpi_barrier_wait.",
        remedy: "Make the call path shorter on the process that has the delay, or balance its \
            work among the processes.",
        example: "Process 1 computes for 2 s longer in assemble than three others, which wait \
            for 2 s at MPI_Barrier. assemble has a delay of 6 s on process 1.",
    },
};
