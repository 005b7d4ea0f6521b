//! Waiting for the latest process when a window is created.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Wait at creation of a window.
pub const PROPERTY: Property = Property {
    name: "mpi_rma_wait_at_create",
    title: "Wait at creation of a window",
    parent: Some("mpi_mgmt_win"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time between the moment when a process begins to create a window and the \
            moment when the last process of the window does.",
        formula: "latest begin - own begin, if all processes end the call after the latest \
            begin; otherwise 0, because the call has not brought them together. Found by \
            `pompeii analyze`.",
        cost: "This is waiting only: the processes have different amounts of work before the \
            window is created.",
        recognise: "The rest of mpi_mgmt_win is the cost of creating windows, for example for \
            registering memory.",
        remedy: "Create windows once, at a place where the processes are together anyway, for \
            example at the begin of the program.",
        example: "Three processes wait 0.2 s for the fourth, which reads a file before \
            MPI_Win_create: 0.6 s.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ====|................---|====      MPI_Win_create
rank 1  =========|...........---|====
rank 2  =====================|--|====      begins last";
