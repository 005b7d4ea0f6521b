//! All processes read or write together.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};
use crate::profile::Class;

/// Collective access.
pub const PROPERTY: Property = Property {
    name: "mpi_io_collective",
    title: "Collective file access",
    parent: Some("mpi_io"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| {
        profile.class_time(Class::FileCollective, call)
    }),
    gain: "",
    doc: Doc {
        measures: "Time in MPI_File_read_all, _write_all, _ordered and their variants.",
        formula: "own time of call paths of these functions.",
        cost: "All processes wait for each other beside the storage.",
        recognise: "The process with the least time here is the last to come.",
        remedy: "Balance the work before; hints of the library (cb_nodes, striping).",
        example: "A checkpoint of 10 GB by all ranks at once.",
    },
};
