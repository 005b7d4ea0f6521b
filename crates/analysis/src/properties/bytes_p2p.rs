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
        measures: "Bytes of messages between two processes, at both ends.",
        formula: "bytes_sent + bytes_rcvd.",
        cost: "Not a time; it tells how much there is to be transferred.",
        recognise: "Compare with the time of the same call path in mpi_communication.",
        remedy: "Send only what is needed, in fewer and larger portions.",
        example: "One message of 80 bytes counts 80 where it is sent and 80 where it is received.",
    },
};
