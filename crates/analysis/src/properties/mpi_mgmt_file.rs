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
    compute: Compute::Row(|profile, call| {
        profile.class_time(Class::MpiFileManagement, call)
    }),
    gain: "",
    doc: Doc {
        measures: "Time in functions that open, close, delete, position, size and sync files.",
        formula: "own time of call paths of MPI_File_* that move no data.",
        cost: "File systems of clusters are slow at this, the more so the more processes ask.",
        recognise: "Compare with mpi_io: much of it here means too many files or too small \
            portions.",
        remedy: "Open once; one file for all processes rather than one each; fewer syncs.",
        example: "MPI_File_open by 1,000 processes: the metadata server takes them one by one.",
    },
};
