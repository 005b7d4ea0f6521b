//! Delay by late receivers, at the call paths that caused it.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Delay by late receivers.
pub const PROPERTY: Property = Property {
    name: "delay_latereceiver",
    title: "Delay by late receivers",
    parent: Some("delay_mpi"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time that other processes waited for a receive that was posted late, because \
            this call path took longer on this process.",
        formula: "a send or MPI_Wait waits until the receive is posted. The part of the waiting \
            that goes back to what the causing process did longer, since both were together \
            last, until it came to its part in the call that posts the receive.",
        cost: "Waiting cannot be repaired at the place of waiting. It ends if the call path \
            with this delay becomes shorter.",
        recognise: "Only a trace has this property: pompeii analyze finds it. The waiting \
            itself is mpi_latereceiver.",
        remedy: "Make the call path shorter on the process that has the delay, or balance its \
            work among the processes.",
        example: "Process 1 computes for 2 s longer in assemble before it posts its receive, \
            and MPI_Ssend of process 0 waits for 2 s. assemble has a delay of 2 s on process 1.",
    },
};
