//! With how many processes calls synchronise without having exchanged data; found in traces.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Unneeded pairwise synchronisations.
pub const PROPERTY: Property = Property {
    name: "mpi_rma_pairsync_unneeded_count",
    title: "Unneeded pairwise synchronisations",
    parent: Some("mpi_rma_pairsync_count"),
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Number of other processes with which a call that ends an epoch synchronises, \
            although no data has gone from one to the other in that epoch.",
        formula: "mpi_rma_pairsync_count without processes that the own process has accessed in \
            the epoch, or that have accessed the own memory. For MPI_Win_complete only the own \
            accesses count, for MPI_Win_wait only those of others. Found by `pompeii analyze`.",
        cost: "A process waits for processes that it does not need.",
        recognise: "If it is nearly mpi_rma_pairsync_count, each process exchanges data with few \
            others. Fences that only begin the first epoch are unneeded as a whole.",
        remedy: "Use MPI_Win_post and MPI_Win_start with the group of the processes that \
            exchange data, instead of a fence for all. Tell MPI_Win_fence with \
            MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED where no epoch ends or begins.",
        example: "Each of 64 processes puts data to its 2 neighbours between two fences: 61 of \
            63 synchronisations of each process and fence are unneeded.",
    },
};
