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
        measures: "Time in functions that begin and end MPI, and that create communicators, \
            topologies, windows and files.",
        formula: "mpi_init_exit + mpi_mgmt_comm + mpi_mgmt_win + mpi_mgmt_file.",
        cost: "Most of these functions are collective: each process waits for all others.",
        recognise: "This time is large if the program is short, or creates communicators in a \
            loop.",
        remedy: "Create communicators, windows and files once and reuse them.",
        example: "MPI_Comm_split takes 50 us in each of 10,000 iterations: 0.5 s in each process.",
    },
};
