//! Propagating waiting for late receivers.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Propagating waiting for late receivers.
pub const PROPERTY: Property = Property {
    name: "mpi_wait_propagating_lr",
    title: "Propagating waiting for late receivers",
    parent: Some("mpi_wait_propagating"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "The part of mpi_wait_propagating that is waiting for receives that were posted \
            late.",
        formula: "as mpi_wait_propagating, of the waiting that is mpi_latereceiver. Together with \
            mpi_wait_terminal_lr it is all of this waiting.",
        cost: "This waiting costs twice: here, and at the processes that wait because of it.",
        recognise: "Only a trace has this property: pompeii analyze finds it. delay_latereceiver \
            has the call paths that caused waiting of this kind.",
        remedy: "See mpi_wait_propagating: the advice is the same.",
        example: "Process 0 waits in MPI_Ssend for 2 s, and is therefore late at a barrier, where \
            others wait.",
    },
};
