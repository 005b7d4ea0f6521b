//! Indirect waiting for late receivers.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Indirect waiting for late receivers.
pub const PROPERTY: Property = Property {
    name: "mpi_wait_indirect_latereceiver",
    title: "Indirect waiting for late receivers",
    parent: Some("mpi_wait_indirect"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "The part of mpi_wait_indirect that is waiting for receives that were posted \
            late.",
        formula: "as mpi_wait_indirect, of the waiting that is mpi_latereceiver. Together with \
            mpi_wait_direct_latereceiver it is all of this waiting.",
        cost: "The cause is another delay, earlier and often on another process.",
        recognise: "Only a trace has this property: pompeii analyze finds it. delay_latereceiver \
            has the call paths that caused waiting of this kind.",
        remedy: "See mpi_wait_indirect: the advice is the same.",
        example: "Process 1 waits for 2 s, and receives 2 s late therefore. Process 0 waits in \
            MPI_Ssend for these 2 s.",
    },
};
