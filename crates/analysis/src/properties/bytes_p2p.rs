//! Data of messages between two processes.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Point to point.
pub const PROPERTY: Property = Property {
    name: "bytes_p2p",
    title: "Point to point",
    parent: Some("bytes"),
    unit: Unit::Bytes,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Bytes of messages between two processes, counted at both ends.",
        formula: "bytes_sent + bytes_rcvd.",
        cost: "This is an amount of data and not a time. A large amount takes long to transfer.",
        recognise: "Compare it with the time of the same call path in mpi_communication: much \
            time for little data is waiting.",
        remedy: "Send only the data needed, in fewer and larger messages.",
        example: "One message of 80 bytes: 80 bytes in the sender and 80 bytes in the receiver.",
    },
};
