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
        measures: "Time of waiting for a request of a non-blocking collective operation, until \
            the processes whose data it needs have begun the operation.",
        formula: "begin of the operation in the last process (for a broadcast: in the root; for \
            the root of a reduction: in the first other process, in a trace in the last one that \
            sends) - begin of the wait, at most until the wait ends. Measured with `run \
            --mpi-wait`, or found by `pompeii analyze`.",
        cost: "This is waiting only: another process began the operation too late to overlap it \
            with computation.",
        recognise: "The others wait for the processes with the least time here.",
        remedy: "Begin the operation earlier in all processes, or do more work before waiting for \
            it.",
        example: "Rank 0 of 8 begins MPI_Iallreduce 2 ms later than the others: 7 processes wait \
            up to 2 ms.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  =|-|====|............--|=====      MPI_Iallreduce, MPI_Wait
rank 1  =====================|-|==|-|      MPI_Iallreduce, MPI_Wait
                ^ MPI_Wait   ^ MPI_Iallreduce";
