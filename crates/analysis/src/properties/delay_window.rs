//! Delay where windows are created and freed, at the call paths that caused it.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Delay at windows.
pub const PROPERTY: Property = Property {
    name: "delay_window",
    title: "Delay at creation and end of windows",
    parent: Some("delay_mpi"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time that other processes waited when a window was created or freed, because \
            this call path took longer on this process.",
        formula: "all processes of a window wait for the last one. The part of the waiting that \
            goes back to what the causing process did longer, since both were together last, \
            until it called the function.",
        cost: "Waiting cannot be repaired at the place of waiting. It ends if the call path with \
            this delay becomes shorter.",
        recognise: "Only a trace has this property: pompeii analyze finds it. The waiting itself \
            is mpi_rma_wait_at_create and mpi_rma_wait_at_free.",
        remedy: "Make the call path shorter on the process that has the delay, or create and \
            free windows less often.",
        example: "Process 1 reads a file for 2 s in setup, and three others wait for 2 s in \
            MPI_Win_create. setup has a delay of 6 s on process 1.",
    },
};
