//! Direct waiting for late receivers.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Direct waiting for late receivers.
pub const PROPERTY: Property = Property {
    name: "mpi_wait_direct_latereceiver",
    title: "Direct waiting for late receivers",
    parent: Some("mpi_wait_direct"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "The part of mpi_wait_direct that is waiting for receives that were posted late.",
        formula: "as mpi_wait_direct, of the waiting that is mpi_latereceiver. Together with \
            mpi_wait_indirect_latereceiver it is all of this waiting.",
        cost: "The cause is close: the process that was waited for had more to do.",
        recognise: "Only a trace has this property: pompeii analyze finds it. delay_latereceiver \
            has the call paths that caused waiting of this kind.",
        remedy: "See mpi_wait_direct: the advice is the same.",
        example: "Process 0 waits in MPI_Ssend for 2 s, because process 1 is in assemble before it \
            receives.",
    },
};
