//! A target waits in MPI_Win_wait until the last origin has begun MPI_Win_complete.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Early wait.
pub const PROPERTY: Property = Property {
    name: "mpi_rma_early_wait",
    title: "Early wait",
    parent: Some("mpi_rma_sync_active"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time that a process waits in MPI_Win_wait until the last process that may \
            access its memory calls MPI_Win_complete.",
        formula: "begin of the latest MPI_Win_complete of the origins - begin of MPI_Win_wait, \
            at most until MPI_Win_wait ends. Found by `pompeii analyze`.",
        cost: "The target does no work while it waits for the origins.",
        recognise: "The part of it after the last operation on the memory of the target is \
            mpi_rma_late_complete.",
        remedy: "Do other work on the target before MPI_Win_wait, or ask with MPI_Win_test \
            whether the origins are done. Give less work to the origin that completes last.",
        example: "The origin puts its data and then computes for 50 ms before it calls \
            MPI_Win_complete: 50 ms.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ==|S|=====|P|========|C--|===
rank 1  ====|W................---|===
S MPI_Win_start, P MPI_Put, C MPI_Win_complete, W MPI_Win_wait";
