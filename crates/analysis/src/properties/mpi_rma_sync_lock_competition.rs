//! A call waits until another process gives a lock of a window back.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Lock competition in synchronisation.
pub const PROPERTY: Property = Property {
    name: "mpi_rma_sync_lock_competition",
    title: "Lock competition",
    parent: Some("mpi_rma_sync_passive"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time that a process waits in MPI_Win_lock, MPI_Win_flush or MPI_Win_unlock, \
            while another process has a lock that excludes its own one.",
        formula: "begin of MPI_Win_unlock of the other process - begin of the own call, if that \
            begin lies in the own call, and one of both locks is exclusive. The latest such call \
            counts. MPI_Win_lock_all, MPI_Win_unlock_all and MPI_Win_flush_all have no waiting \
            of their own. Found by `pompeii analyze`.",
        cost: "While a process has an exclusive lock of the memory of a process, no other \
            process can have a lock of that memory.",
        recognise: "Some libraries get the lock in MPI_Win_lock. Others get it with the first \
            operation, or in MPI_Win_unlock, and have the waiting there.",
        remedy: "Hold locks for a shorter time: prepare the data before MPI_Win_lock, and call \
            MPI_Win_unlock directly after the last operation. Use MPI_LOCK_SHARED if the \
            operations allow it, for example MPI_Accumulate.",
        example: "Each of 8 processes updates a table of process 0 with an exclusive lock for 1 \
            ms at the same time. The last one waits for 7 ms.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 1  ==|L-|P|=============|U-|==
rank 2  =====|L...............--|==
L MPI_Win_lock, P MPI_Put, U MPI_Win_unlock";
