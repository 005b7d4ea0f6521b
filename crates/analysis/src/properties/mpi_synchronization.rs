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
        measures: "Time in MPI functions whose purpose is to wait for other processes.",
        formula: "mpi_sync_collective + mpi_rma_synchronization.",
        cost: "No data is moved, so all of this time is lost.",
        recognise: "The others wait for the process with the least time here.",
        remedy: "Balance the work before the call; remove synchronisation the program does not \
            need.",
        example: "A barrier after each of 1,000 steps, with a difference of 1 ms: 1 s on all \
            processes except the slowest.",
    },
};
