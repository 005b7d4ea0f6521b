//! Terminal waiting for late senders.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Terminal waiting for late senders.
pub const PROPERTY: Property = Property {
    name: "mpi_wait_terminal_ls",
    title: "Terminal waiting for late senders",
    parent: Some("mpi_wait_terminal"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "The part of mpi_wait_terminal that is waiting for messages that were sent late.",
        formula: "as mpi_wait_terminal, of the waiting that is mpi_latesender. Together with \
            mpi_wait_propagating_ls it is all of this waiting.",
        cost: "The time of this process is lost, but no other process is late because of it.",
        recognise: "Only a trace has this property: pompeii analyze finds it. delay_latesender has \
            the call paths that caused waiting of this kind.",
        remedy: "See mpi_wait_terminal: the advice is the same.",
        example: "Process 1 waits in MPI_Recv for 2 s, and no process waits for it afterwards.",
    },
};
