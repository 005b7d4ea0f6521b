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
        measures: "Time in MPI_Allreduce, MPI_Alltoall and other functions in which all send to \
            all, until the last process has arrived.",
        formula: "latest arrival - own arrival. Measured with `run --mpi-wait`, or found by \
            `pompeii analyze`.",
        cost: "This is waiting only: the processes have different amounts of work before the call.",
        recognise: "The rest of the function's time is its own cost.",
        remedy: "Balance the work between two such calls.",
        example: "Three processes wait 0.4 s for the fourth in each of 10 steps: 12 s.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ====|................---|====      MPI_Allreduce
rank 1  =========|...........---|====
rank 2  =====================|--|====      begins last";
