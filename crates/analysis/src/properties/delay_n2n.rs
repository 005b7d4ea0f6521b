//! Delay by operations of all with all, at the call paths that caused it.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Delay by operations of all with all.
pub const PROPERTY: Property = Property {
    name: "delay_n2n",
    title: "Delay by operations of all with all",
    parent: Some("delay_mpi"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time that other processes waited in operations that need the data of all \
            processes, because this call path took longer on this process.",
        formula: "all processes wait in MPI_Allreduce and similar operations for the last one. \
            The part of the waiting that goes back to what the causing process did longer, \
            since both were together last, until it came to its part in the operation.",
        cost: "Waiting cannot be repaired at the place of waiting. It ends if the call path \
            with this delay becomes shorter.",
        recognise: "Only a trace has this property: pompeii analyze finds it. The waiting \
            itself is mpi_wait_nxn.",
        remedy: "Make the call path shorter on the process that has the delay, or balance its \
            work among the processes.",
        example: "Process 1 computes for 2 s longer in assemble than three others, which wait \
            for 2 s in MPI_Allreduce. assemble has a delay of 6 s on process 1.",
    },
};
