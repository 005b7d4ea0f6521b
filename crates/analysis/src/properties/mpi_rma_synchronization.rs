//! Fences, post and start, locks and flushes of windows.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// One-sided synchronisation.
pub const PROPERTY: Property = Property {
    name: "mpi_rma_synchronization",
    title: "One-sided synchronisation",
    parent: Some("mpi_synchronization"),
    unit: Unit::Ticks,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Time in functions that begin and end epochs of one-sided communication.",
        formula: "mpi_rma_sync_active + mpi_rma_sync_passive.",
        cost: "Data is often moved only here, so this time contains transfer as well as waiting.",
        recognise: "Compare with mpi_rma_communication.",
        remedy: "Use longer epochs with more communication in each.",
        example: "A fence around each MPI_Put of 8 bytes.",
    },
};
