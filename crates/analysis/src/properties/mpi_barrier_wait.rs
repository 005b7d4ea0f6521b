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
        measures: "Time from a process's own arrival at a barrier to that of the last one.",
        formula: "latest arrival - own arrival, at most until the process is out of the barrier; \
            with `run --mpi-wait`.",
        cost: "It is pure waiting: the processes before it have different amounts of work.",
        recognise: "The rest of mpi_sync_collective is the barrier's own cost.",
        remedy: "Give the process that arrives last less to do.",
        example: "Four ranks need 3, 3, 3 and 5 s before the barrier: 6 s.",
    },
};
