//! Terminal waiting for late receivers.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Terminal waiting for late receivers.
pub const PROPERTY: Property = Property {
    name: "mpi_wait_terminal_lr",
    title: "Terminal waiting for late receivers",
    parent: Some("mpi_wait_terminal"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "The part of mpi_wait_terminal that is waiting for receives that were posted \
            late.",
        formula: "as mpi_wait_terminal, of the waiting that is mpi_latereceiver. Together with \
            mpi_wait_propagating_lr it is all of this waiting.",
        cost: "The time of this process is lost, but no other process is late because of it.",
        recognise: "Only a trace has this property: pompeii analyze finds it. delay_latereceiver \
            has the call paths that caused waiting of this kind.",
        remedy: "See mpi_wait_terminal: the advice is the same.",
        example: "Process 0 waits in MPI_Ssend for 2 s, and no process waits for it afterwards.",
    },
};
