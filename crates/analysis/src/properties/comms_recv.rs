//! Messages that were received.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Received.
pub const PROPERTY: Property = Property {
    name: "comms_recv",
    title: "Messages received",
    parent: Some("comms_p2p"),
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Number of messages received by the process.",
        formula: "+1 for each completed receive.",
        cost: "This is a number and not a time. Each communication costs some microseconds, \
            however small it is.",
        recognise: "Compare it with the time of the same call path in mpi_communication: much \
            time for little data is waiting.",
        remedy: "Send only the data needed, in fewer and larger messages.",
        example: "MPI_Irecv and MPI_Wait: 1, at MPI_Wait.",
    },
};
