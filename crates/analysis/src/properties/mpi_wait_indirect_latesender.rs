//! Indirect waiting for late senders.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Indirect waiting for late senders.
pub const PROPERTY: Property = Property {
    name: "mpi_wait_indirect_latesender",
    title: "Indirect waiting for late senders",
    parent: Some("mpi_wait_indirect"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "The part of mpi_wait_indirect that is waiting for messages that were sent late.",
        formula: "as mpi_wait_indirect, of the waiting that is mpi_latesender. Together with \
            mpi_wait_direct_latesender it is all of this waiting.",
        cost: "The cause is another delay, earlier and often on another process.",
        recognise: "Only a trace has this property: pompeii analyze finds it. delay_latesender has \
            the call paths that caused waiting of this kind.",
        remedy: "See mpi_wait_indirect: the advice is the same.",
        example: "Process 0 waits for 2 s, and sends 2 s late therefore. Process 1 waits in \
            MPI_Recv for these 2 s.",
    },
};
