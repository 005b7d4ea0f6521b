//! Waiting for the latest process in a function that all send to all by; measured with
//! `--mpi-wait`.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Wait at N x N.
pub const PROPERTY: Property = Property {
    name: "mpi_wait_nxn",
    title: "Wait at N x N",
    parent: Some("mpi_collective"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time in MPI_Allreduce, MPI_Alltoall and the like until the last process has \
            come.",
        formula: "latest arrival - own arrival; with `run --mpi-wait`.",
        cost: "It is pure waiting: the processes have different amounts of work before.",
        recognise: "The rest of the function's time is its own cost.",
        remedy: "Balance the work between such functions.",
        example: "Three ranks wait 0.4 s for the fourth in each of 10 steps: 12 s.",
    },
};
