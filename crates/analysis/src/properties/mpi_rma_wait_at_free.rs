//! Waiting for the latest process when a window is freed.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Wait at the end of a window.
pub const PROPERTY: Property = Property {
    name: "mpi_rma_wait_at_free",
    title: "Wait at end of a window",
    parent: Some("mpi_mgmt_win"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time between the moment when a process begins to free a window and the moment \
            when the last process of the window does.",
        formula: "latest begin - own begin, if all processes end the call after the latest \
            begin; otherwise 0, because the call has not brought them together. Found by \
            `pompeii analyze`.",
        cost: "This is waiting only. MPI_Win_free waits until all other processes have ended \
            their access to the own memory.",
        recognise: "The rest of mpi_mgmt_win is the cost of freeing windows.",
        remedy: "Free windows at the end of the program, or where the processes are together \
            anyway.",
        example: "In each of 100 steps a window is freed, and the processes wait 2 ms on \
            average: 0.2 s for each of them.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ====|................---|====      MPI_Win_free
rank 1  =========|...........---|====
rank 2  =====================|--|====      begins last";
