//! Waiting for the latest process at a fence of a window.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Wait at fence.
pub const PROPERTY: Property = Property {
    name: "mpi_rma_wait_at_fence",
    title: "Wait at fence",
    parent: Some("mpi_rma_sync_active"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time between the arrival of a process at a fence (MPI_Win_fence) and the \
            arrival of the last process of the window.",
        formula: "latest arrival - own arrival, at most until the process leaves the fence. \
            Found by `pompeii analyze`.",
        cost: "This is waiting only: the processes have different amounts of work before the \
            fence.",
        recognise: "The rest of mpi_rma_sync_active is the data that is moved, and the cost of \
            the fence itself.",
        remedy: "Give less work to the process that arrives last, or use MPI_Win_post and \
            MPI_Win_start between the processes that communicate.",
        example: "Three processes wait 0.4 s for the fourth at each of 10 fences: 12 s.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ====|................---|====      MPI_Win_fence
rank 1  =========|...........---|====
rank 2  =====================|--|====      begins last";
