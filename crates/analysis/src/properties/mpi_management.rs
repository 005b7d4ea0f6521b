//! Setting up what communication needs: MPI itself, communicators, windows, files.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Management.
pub const PROPERTY: Property = Property {
    name: "mpi_management",
    title: "MPI management",
    parent: Some("mpi"),
    unit: Unit::Ticks,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Time in functions that begin and end MPI, and that make communicators, \
            topologies, windows and files.",
        formula: "mpi_init_exit + mpi_mgmt_comm + mpi_mgmt_win + mpi_mgmt_file.",
        cost: "Most of these functions are collective: the process waits for all others.",
        recognise: "Large where a program is short, or makes communicators in a loop.",
        remedy: "Make communicators, windows and files once, and use them again.",
        example: "MPI_Comm_split in each of 10,000 iterations, at 50 us: 0.5 s per process.",
    },
};
