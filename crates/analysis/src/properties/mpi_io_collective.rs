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
    compute: Compute::Row(|profile, call| profile.class_time(Class::FileCollective, call)),
    gain: "",
    doc: Doc {
        measures: "Time in collective file functions: MPI_File_read_all, _write_all, _ordered and \
            their variants.",
        formula: "own time of call paths of these functions.",
        cost: "Processes wait for the storage, and also for each other.",
        recognise: "The process with the least time here arrives last.",
        remedy: "Balance the work before the call; set hints of the MPI library (cb_nodes, \
            striping).",
        example: "All processes write a checkpoint of 10 GB together.",
    },
};
