//! Locks, flushes and sync of windows.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};
use crate::profile::Class;

/// Passive target.
pub const PROPERTY: Property = Property {
    name: "mpi_rma_sync_passive",
    title: "Passive target",
    parent: Some("mpi_rma_synchronization"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::RmaPassive, call)),
    gain: "",
    doc: Doc {
        measures: "Time in MPI_Win_lock*, _unlock*, _flush*, _sync.",
        formula: "own time of call paths of these functions.",
        cost: "Only one process at a time has an exclusive lock. Some MPI libraries move data \
            only while the target process is inside an MPI function.",
        recognise: "If MPI_Win_unlock takes long while the target process computes, the target \
            makes no progress for others.",
        remedy: "Use shared locks, or MPI_Win_lock_all once and then flushes; switch on the \
            progress thread of the MPI library.",
        example: "16 processes take an exclusive lock for each update of a table.",
    },
};
