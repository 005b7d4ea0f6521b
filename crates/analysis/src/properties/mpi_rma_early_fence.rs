//! The part of waiting at a fence before the last operation on the own memory.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Early fence.
pub const PROPERTY: Property = Property {
    name: "mpi_rma_early_fence",
    title: "Early fence",
    parent: Some("mpi_rma_wait_at_fence"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "The part of mpi_rma_wait_at_fence before the end of the last operation on the \
            memory of the waiting process.",
        formula: "end of the last MPI_Put, MPI_Get or MPI_Accumulate of another process on the \
            own memory since the fence before - own arrival, at most until the last process \
            arrives. Found by `pompeii analyze`.",
        cost: "The process has ended its epoch before others have accessed its memory.",
        recognise: "If it is nearly all of mpi_rma_wait_at_fence, the operations come late. \
            Otherwise the other processes have other work after their operations.",
        remedy: "Start the operations earlier on the processes that access this memory, or do \
            other work before the fence.",
        example: "Process 1 computes for 40 ms and then puts its data, while process 0 waits at \
            the fence: 40 ms.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ====|F................-----|===
rank 1  ==================|P|==|F--|===
P MPI_Put, F MPI_Win_fence";
