//! With how many processes calls synchronise at the ends of epochs; found in traces.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Pairwise synchronisations.
pub const PROPERTY: Property = Property {
    name: "mpi_rma_pairsync_count",
    title: "Pairwise synchronisations",
    parent: None,
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Number of other processes with which calls synchronise that end an epoch: \
            MPI_Win_fence, MPI_Win_complete, MPI_Win_wait and MPI_Win_test.",
        formula: "for each call of MPI_Win_fence the number of other processes of the window; \
            for each end of an access or exposure epoch the number of processes of its group. \
            Found by `pompeii analyze`.",
        cost: "A process has to wait for each of these processes, whether it exchanges data with \
            it or not.",
        recognise: "Compare with mpi_rma_pairsync_unneeded_count.",
        remedy: "See mpi_rma_pairsync_unneeded_count.",
        example: "Each of 10 fences of 4 processes: 3 for each process and fence, 120 in all.",
    },
};
