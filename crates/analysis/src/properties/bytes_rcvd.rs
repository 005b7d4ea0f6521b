//! Data of messages that were received.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Received.
pub const PROPERTY: Property = Property {
    name: "bytes_rcvd",
    title: "Bytes received",
    parent: Some("bytes_p2p"),
    unit: Unit::Bytes,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Bytes of messages received by the process.",
        formula: "sum of the actual lengths of the messages, at the function that completes the \
            receive.",
        cost: "This is an amount of data and not a time. A large amount takes long to transfer.",
        recognise: "Compare it with the time of the same call path in mpi_communication: much \
            time for little data is waiting.",
        remedy: "Send only the data needed, in fewer and larger messages.",
        example: "MPI_Recv with room for 100 doubles receives 10 doubles: 80 bytes.",
    },
};
