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
    compute: Compute::Row(|profile, call| {
        profile.class_time(Class::RmaPassive, call)
    }),
    gain: "",
    doc: Doc {
        measures: "Time in MPI_Win_lock*, _unlock*, _flush*, _sync.",
        formula: "own time of call paths of these functions.",
        cost: "Exclusive locks are taken in turn; some libraries need the target to call MPI \
            before anything moves.",
        recognise: "Much time in MPI_Win_unlock while the target computes: it makes no progress \
            for others.",
        remedy: "Shared locks; MPI_Win_lock_all once and flushes; a progress thread of the \
            library.",
        example: "An exclusive lock for each update of a table by 16 ranks.",
    },
};
