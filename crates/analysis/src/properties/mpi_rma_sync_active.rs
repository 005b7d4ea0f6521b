//! Fences, and post, start, complete, wait and test.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};
use crate::profile::Class;

/// Active target.
pub const PROPERTY: Property = Property {
    name: "mpi_rma_sync_active",
    title: "Active target",
    parent: Some("mpi_rma_synchronization"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::RmaActive, call)),
    gain: "",
    doc: Doc {
        measures: "Time in MPI_Win_fence, _post, _start, _complete, _wait, _test.",
        formula: "own time of call paths of these functions.",
        cost: "A fence is a barrier for all processes of the window.",
        recognise: "The others wait for the processes with the least time here, as at barriers.",
        remedy: "Use MPI_Win_post and MPI_Win_start between the processes that communicate, \
            instead of a fence for all.",
        example: "A fence of 64 processes, although each communicates with two others only.",
    },
};
