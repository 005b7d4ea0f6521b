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
        measures: "Time in a function that one process sends to all by, until that process has \
            come.",
        formula: "arrival of the root - own arrival; with `run --mpi-wait`.",
        cost: "It is pure waiting: the root has more to do before.",
        recognise: "Large at MPI_Bcast and MPI_Scatter on all but the root.",
        remedy: "Let the root broadcast earlier, for instance before it computes its own part.",
        example: "The root reads input for 1 s, 15 others wait: 15 s.",
    },
};
