//! Waiting for the root of a broadcast or scatter; measured with `--mpi-wait`.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Late broadcast.
pub const PROPERTY: Property = Property {
    name: "mpi_latebroadcast",
    title: "Late broadcast",
    parent: Some("mpi_collective"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time in a function by which the root sends data to all processes, until the \
            root has arrived.",
        formula: "arrival of the root - own arrival. Measured with `run --mpi-wait`, or found by \
            `pompeii analyze`.",
        cost: "This is waiting only: the root has more work before the call.",
        recognise: "MPI_Bcast and MPI_Scatter take long in all processes except the root.",
        remedy: "Let the root send earlier, for example before it computes its own part.",
        example: "The root reads input for 1 s while 15 other processes wait: 15 s.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  =====================|--|====      MPI_Bcast: the root
rank 1  ====|................---|====
rank 2  =========|...........---|====";
