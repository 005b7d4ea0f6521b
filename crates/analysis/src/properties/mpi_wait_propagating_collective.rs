//! Propagating waiting in collective operations.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Propagating waiting in collective operations.
pub const PROPERTY: Property = Property {
    name: "mpi_wait_propagating_collective",
    title: "Propagating waiting in collective operations",
    parent: Some("mpi_wait_propagating"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "The part of mpi_wait_propagating that is waiting in collective operations: \
            barriers, operations of all with all, with a root, scans, non-blocking operations, and \
            the end of MPI.",
        formula: "as mpi_wait_propagating, of the waiting that is mpi_wait_nxn, mpi_barrier_wait, \
            mpi_latebroadcast, mpi_earlyreduce, mpi_earlyscan, mpi_icollective_wait, \
            mpi_rma_wait_at_fence, mpi_rma_wait_at_create, mpi_rma_wait_at_free, \
            mpi_io_collective_wait and mpi_finalize_wait. Together with \
            mpi_wait_terminal_collective it is all of this waiting.",
        cost: "This waiting costs twice: here, and at the processes that wait because of it.",
        recognise: "Only a trace has this property: pompeii analyze finds it. delay_mpi has the \
            call paths that caused waiting of this kind.",
        remedy: "See mpi_wait_propagating: the advice is the same.",
        example: "Process 1 waits in MPI_Allreduce for 2 s, and therefore sends 2 s late to a \
            process that waits.",
    },
};
