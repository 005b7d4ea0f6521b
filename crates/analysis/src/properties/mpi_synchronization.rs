//! Barriers of MPI, and what synchronises one-sided communication.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Synchronisation.
pub const PROPERTY: Property = Property {
    name: "mpi_synchronization",
    title: "MPI synchronisation",
    parent: Some("mpi"),
    unit: Unit::Ticks,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Time in functions of MPI whose purpose is to wait for other processes.",
        formula: "mpi_sync_collective + mpi_rma_synchronization.",
        cost: "No data moves: all of it is lost.",
        recognise: "Processes differ: the one with the least time here is the one that the \
            others wait for.",
        remedy: "Balance the work before it; leave barriers out that nothing needs.",
        example: "A barrier after each of 1,000 steps, with 1 ms of difference: 1 s on all but \
            the slowest.",
    },
};
