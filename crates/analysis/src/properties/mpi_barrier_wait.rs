//! Waiting for the latest process at a barrier of MPI; measured with `--mpi-wait`.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Waiting.
pub const PROPERTY: Property = Property {
    name: "mpi_barrier_wait",
    title: "Wait at MPI barrier",
    parent: Some("mpi_sync_collective"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time between the arrival of a process at an MPI barrier and the arrival of the \
            last process.",
        formula: "latest arrival - own arrival, at most until the process leaves the barrier. \
            Measured with `run --mpi-wait`, or found by `pompeii analyze`.",
        cost: "This is waiting only: the processes have different amounts of work before the \
            barrier.",
        recognise: "The rest of mpi_sync_collective is the cost of the barrier itself.",
        remedy: "Give less work to the process that arrives last.",
        example: "Four processes need 3, 3, 3 and 5 s before the barrier: 3 x 2 s = 6 s.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ====|................---|====      MPI_Barrier
rank 1  =========|...........---|====
rank 2  =====================|--|====      begins last";
