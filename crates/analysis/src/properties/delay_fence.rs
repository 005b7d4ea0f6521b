//! Delay at fences of windows, at the call paths that caused it.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Delay at fences.
pub const PROPERTY: Property = Property {
    name: "delay_fence",
    title: "Delay at fences",
    parent: Some("delay_mpi"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time that other processes waited at fences of a window, because this call \
            path took longer on this process.",
        formula: "all processes of a window wait at a fence for the last one. The part of the \
            waiting that goes back to what the causing process did longer, since both were \
            together last, until it came to the fence.",
        cost: "Waiting cannot be repaired at the place of waiting. It ends if the call path \
            with this delay becomes shorter.",
        recognise: "Only a trace has this property: pompeii analyze finds it. The waiting \
            itself is mpi_rma_wait_at_fence.",
        remedy: "Make the call path shorter on the process that has the delay, or balance its \
            work among the processes.",
        example: "Process 1 computes for 2 s longer in relax than three others, which wait for \
            2 s in MPI_Win_fence. relax has a delay of 6 s on process 1.",
    },
};
