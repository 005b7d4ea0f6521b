//! An origin waits in MPI_Win_start or MPI_Win_complete until its targets have begun MPI_Win_post.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Late post in synchronisation.
pub const PROPERTY: Property = Property {
    name: "mpi_rma_sync_late_post",
    title: "Late post",
    parent: Some("mpi_rma_sync_active"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time that a process waits in MPI_Win_start or MPI_Win_complete until the last \
            of its targets calls MPI_Win_post.",
        formula: "begin of the latest MPI_Win_post of the targets - begin of the call of \
            MPI_Win_start or MPI_Win_complete, if that post begins while the call lasts. Found \
            by `pompeii analyze`.",
        cost: "The origin cannot access the memory of the target before the target has opened \
            its exposure epoch with MPI_Win_post.",
        recognise: "It is at MPI_Win_start in libraries that synchronise there, and at \
            MPI_Win_complete in others. Waiting in MPI_Put and similar calls is \
            mpi_rma_comm_late_post.",
        remedy: "Call MPI_Win_post as early as possible on the target: as soon as its memory may \
            be accessed, and before other work. Or do other work on the origin before it \
            accesses the memory.",
        example: "The target computes for 50 ms before MPI_Win_post, and the origin is in \
            MPI_Win_complete meanwhile: 50 ms.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ==|S|P|C..............---|====
rank 1  ======================|A-|====
S MPI_Win_start, P MPI_Put, C MPI_Win_complete, A MPI_Win_post";
