//! Data of messages that were sent.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Sent.
pub const PROPERTY: Property = Property {
    name: "bytes_sent",
    title: "Bytes sent",
    parent: Some("bytes_p2p"),
    unit: Unit::Bytes,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Bytes of messages sent by the process.",
        formula: "sum of the lengths of the messages, at the function that begins the send.",
        cost: "This is an amount of data and not a time. A large amount takes long to transfer.",
        recognise: "Compare it with the time of the same call path in mpi_communication: much \
            time for little data is waiting.",
        remedy: "Send only the data needed, in fewer and larger messages.",
        example: "MPI_Send of 10 doubles: 80 bytes.",
    },
};
