//! An origin waits in MPI_Put or a similar call until its target has begun MPI_Win_post.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Late post in communication.
pub const PROPERTY: Property = Property {
    name: "mpi_rma_comm_late_post",
    title: "Late post in communication",
    parent: Some("mpi_rma_communication"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time that a process waits in a call that accesses the memory of a target \
            until that target calls MPI_Win_post.",
        formula: "begin of MPI_Win_post of the target - begin of the call of MPI_Put, MPI_Get or \
            MPI_Accumulate, if the post begins while the call lasts. Found by `pompeii analyze`.",
        cost: "The origin cannot access the memory of the target before the target has opened \
            its exposure epoch with MPI_Win_post.",
        recognise: "Libraries that wait in MPI_Win_start or MPI_Win_complete instead have \
            mpi_rma_sync_late_post.",
        remedy: "Call MPI_Win_post as early as possible on the target: as soon as its memory may \
            be accessed, and before other work. Or do other work on the origin before it \
            accesses the memory.",
        example: "The target computes for 50 ms before MPI_Win_post, and the origin is in \
            MPI_Put meanwhile: 50 ms.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ==|S|P...............----|C|==
rank 1  =====================|A-|=====
S MPI_Win_start, P MPI_Put, C MPI_Win_complete, A MPI_Win_post";
