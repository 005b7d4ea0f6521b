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
    compute: Compute::Row(|profile, call| profile.class_time(Class::FileIndividual, call)),
    gain: "",
    doc: Doc {
        measures: "Time in file functions that are not collective: MPI_File_read, _write and \
            their variants.",
        formula: "own time of call paths of these functions.",
        cost: "The MPI library cannot combine the requests of several processes.",
        recognise: "There are many visits with few bytes each.",
        remedy: "Use the collective variants (_all) with a file view.",
        example: "Each of 64 processes writes its rows separately.",
    },
};
