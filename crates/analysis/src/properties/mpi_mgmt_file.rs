//! Opening and closing files, views, positions and sizes.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};
use crate::profile::Class;

/// Files, open and close.
pub const PROPERTY: Property = Property {
    name: "mpi_mgmt_file",
    title: "Files, open and close",
    parent: Some("mpi_management"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::MpiFileManagement, call)),
    gain: "",
    doc: Doc {
        measures: "Time in functions that open, close, delete and sync files, or set their \
            position and size.",
        formula: "own time of call paths of the MPI_File_* functions that move no data.",
        cost: "File systems of clusters need long for this, and longer with more processes.",
        recognise: "Compare with mpi_io: much time here means too many files, or too small \
            portions.",
        remedy: "Open files once; use one file for all processes instead of one for each; sync \
            less often.",
        example: "1,000 processes call MPI_File_open: the file server handles one after the other.",
    },
};
