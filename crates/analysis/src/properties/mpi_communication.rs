//! Moving data: between two processes, among all, and one-sided.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Communication.
pub const PROPERTY: Property = Property {
    name: "mpi_communication",
    title: "MPI communication",
    parent: Some("mpi"),
    unit: Unit::Ticks,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Time in MPI functions that move data between processes, including the time of \
            waiting for partners.",
        formula: "mpi_point2point + mpi_collective + mpi_rma_communication.",
        cost: "The process does not compute meanwhile, unless it uses non-blocking functions.",
        recognise: "Compare with the amount of data (`bytes`, `comms`): much time for little data \
            is waiting.",
        remedy: "Continue with the largest part.",
        example: "A network of 10 GB/s transfers 1 GB in 0.1 s. If it takes 1 s, then 0.9 s are \
            waiting.",
    },
};
