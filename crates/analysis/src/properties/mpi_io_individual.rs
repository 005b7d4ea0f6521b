//! Each process reads and writes on its own.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};
use crate::profile::Class;

/// Individual access.
pub const PROPERTY: Property = Property {
    name: "mpi_io_individual",
    title: "Individual file access",
    parent: Some("mpi_io"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| {
        profile.class_time(Class::FileIndividual, call)
    }),
    gain: "",
    doc: Doc {
        measures: "Time in MPI_File_read, _write and their variants that are not collective.",
        formula: "own time of call paths of these functions.",
        cost: "The library cannot combine what processes ask for.",
        recognise: "Many visits with few bytes.",
        remedy: "Use the collective variants (_all) with a file view.",
        example: "Each of 64 ranks writes its rows one by one.",
    },
};
