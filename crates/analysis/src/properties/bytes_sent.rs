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
        measures: "Bytes of messages that the process has sent.",
        formula: "sum of the lengths of messages, at the function that begins the send.",
        cost: "Not a time; it tells how much there is to be transferred.",
        recognise: "Compare with the time of the same call path in mpi_communication.",
        remedy: "Send only what is needed, in fewer and larger portions.",
        example: "MPI_Send of 10 doubles: 80 bytes.",
    },
};
