//! Direct waiting for late senders.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Direct waiting for late senders.
pub const PROPERTY: Property = Property {
    name: "mpi_wait_direct_latesender",
    title: "Direct waiting for late senders",
    parent: Some("mpi_wait_direct"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "The part of mpi_wait_direct that is waiting for messages that were sent late.",
        formula: "as mpi_wait_direct, of the waiting that is mpi_latesender. Together with \
            mpi_wait_indirect_latesender it is all of this waiting.",
        cost: "The cause is close: the process that was waited for had more to do.",
        recognise: "Only a trace has this property: pompeii analyze finds it. delay_latesender has \
            the call paths that caused waiting of this kind.",
        remedy: "See mpi_wait_direct: the advice is the same.",
        example: "Process 1 waits in MPI_Recv for 2 s, because process 0 is in assemble before it \
            sends.",
    },
};
