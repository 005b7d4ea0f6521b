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
        measures: "Time in functions of MPI that move data between processes, waiting for \
            partners included.",
        formula: "mpi_point2point + mpi_collective + mpi_rma_communication.",
        cost: "The processes do not compute meanwhile, unless it is overlapped.",
        recognise: "Bytes and messages (`bytes`, `comms`) tell transfer from waiting: little \
            data and much time is waiting.",
        remedy: "Go on with the largest of its parts.",
        example: "1 GB over a network of 10 GB/s is 0.1 s; 1 s means that 0.9 s are waiting.",
    },
};
