//! Delay by late senders, at the call paths that caused it.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Delay by late senders.
pub const PROPERTY: Property = Property {
    name: "delay_latesender",
    title: "Delay by late senders",
    parent: Some("delay_mpi"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time that other processes waited for a message that was sent late, because \
            this call path took longer on this process.",
        formula: "a receive or MPI_Wait waits for a message. The part of the waiting that goes \
            back to what the causing process did longer, since both were together last, until \
            it came to its part in its send.",
        cost: "Waiting cannot be repaired at the place of waiting. It ends if the call path \
            with this delay becomes shorter.",
        recognise: "Only a trace has this property: pompeii analyze finds it. The waiting \
            itself is mpi_latesender.",
        remedy: "Make the call path shorter on the process that has the delay, or balance its \
            work among the processes.",
        example: "Process 1 computes for 2 s longer in assemble before it sends, and process 0 \
            waits for 2 s in MPI_Recv. assemble has a delay of 2 s on process 1.",
    },
};
