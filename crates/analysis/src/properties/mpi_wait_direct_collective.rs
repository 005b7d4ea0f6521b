//! Direct waiting in collective operations.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Direct waiting in collective operations.
pub const PROPERTY: Property = Property {
    name: "mpi_wait_direct_collective",
    title: "Direct waiting in collective operations",
    parent: Some("mpi_wait_direct"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "The part of mpi_wait_direct that is waiting in collective operations: barriers, \
            operations of all with all, with a root, scans, non-blocking operations, and the end \
            of MPI.",
        formula: "as mpi_wait_direct, of the waiting that is mpi_wait_nxn, mpi_barrier_wait, \
            mpi_latebroadcast, mpi_earlyreduce, mpi_earlyscan, mpi_icollective_wait, \
            mpi_rma_wait_at_fence, mpi_rma_wait_at_create, mpi_rma_wait_at_free, \
            mpi_io_collective_wait and mpi_finalize_wait. Together with \
            mpi_wait_indirect_collective it is all of this waiting.",
        cost: "The cause is close: the process that was waited for had more to do.",
        recognise: "Only a trace has this property: pompeii analyze finds it. delay_mpi has the \
            call paths that caused waiting of this kind.",
        remedy: "See mpi_wait_direct: the advice is the same.",
        example: "All processes wait at MPI_Barrier for 2 s, because process 1 is longer in \
            assemble.",
    },
};
