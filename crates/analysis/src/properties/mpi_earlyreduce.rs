//! The root of a reduction or gather waits for the first other process; measured with `--mpi-wait`.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Early reduce.
pub const PROPERTY: Property = Property {
    name: "mpi_earlyreduce",
    title: "Early reduce",
    parent: Some("mpi_collective"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time of the root in a function that collects from all, before any other \
            process has come.",
        formula: "earliest arrival of another process - own arrival; with `run --mpi-wait`.",
        cost: "It is pure waiting of the root.",
        recognise: "Large at MPI_Reduce and MPI_Gather on the root only.",
        remedy: "Let the root do something else before, or choose another root.",
        example: "The root has no part of the work, and waits for the others' results.",
    },
};
