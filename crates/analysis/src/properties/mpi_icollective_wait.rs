//! Waiting for a non-blocking collective operation; measured with `--mpi-wait`.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Wait for a non-blocking collective operation.
pub const PROPERTY: Property = Property {
    name: "mpi_icollective_wait",
    title: "Non-blocking collective",
    parent: Some("mpi_point2point"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time in waiting for requests, until the processes had begun without which a \
            non-blocking collective operation cannot be complete.",
        formula: "begin of the operation in the last process, or in its root, or in the first other \
            one for the root of a reduction - begin of the wait, at most until that ends; with \
            `run --mpi-wait`.",
        cost: "It is pure waiting: the operation was begun too late elsewhere to be hidden.",
        recognise: "Processes that have little of it are those that the others wait for.",
        remedy: "Begin the operation earlier everywhere, or do more before waiting for it.",
        example: "7 of 8 ranks wait for an MPI_Iallreduce that rank 0 begins 2 ms later.",
    },
};
