//! The part of an early wait after the last operation on the own memory.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Late complete.
pub const PROPERTY: Property = Property {
    name: "mpi_rma_late_complete",
    title: "Late complete",
    parent: Some("mpi_rma_early_wait"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "The part of mpi_rma_early_wait in which all operations on the memory of the \
            waiting process were over, but an origin had not called MPI_Win_complete.",
        formula: "begin of the latest MPI_Win_complete - the later one of the end of the last \
            MPI_Put, MPI_Get or MPI_Accumulate and the begin of MPI_Win_wait. Found by `pompeii \
            analyze`.",
        cost: "The data has been there for this time, but the target may not use it, because the \
            origin has not said that it is done.",
        recognise: "Compare with mpi_rma_early_wait: the rest of that is time in which the \
            origins still accessed the memory.",
        remedy: "Call MPI_Win_complete directly after the last operation of the epoch, and do \
            other work after it.",
        example: "The origin puts its data 30 ms after MPI_Win_wait has begun, and calls \
            MPI_Win_complete 20 ms later: 20 ms of 50 ms.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ==|S|=====|P|========|C--|===
rank 1  ====|W-------.........---|===
S MPI_Win_start, P MPI_Put, C MPI_Win_complete, W MPI_Win_wait";
