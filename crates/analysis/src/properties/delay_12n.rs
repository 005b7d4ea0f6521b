//! Delay by late broadcasts, at the call paths that caused it.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Delay by late broadcasts.
pub const PROPERTY: Property = Property {
    name: "delay_12n",
    title: "Delay by late broadcasts",
    parent: Some("delay_mpi"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time that other processes waited for the root of an operation, because this \
            call path took longer on this process.",
        formula: "processes wait in MPI_Bcast and similar operations for the root. The part of \
            the waiting that goes back to what the causing process did longer, since both were \
            together last, until it came to its part in the operation.",
        cost: "Waiting cannot be repaired at the place of waiting. It ends if the call path \
            with this delay becomes shorter.",
        recognise: "Only a trace has this property: pompeii analyze finds it. The waiting \
            itself is mpi_latebroadcast.",
        remedy: "Make the call path shorter on the process that has the delay, or balance its \
            work among the processes.",
        example: "The root computes for 2 s longer in assemble than three others, which wait \
            for 2 s in MPI_Bcast. assemble has a delay of 6 s on the root.",
    },
};
