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
        measures: "Bytes of messages that the process has received.",
        formula: "sum of the lengths that messages really had, at the function that completes \
            the receive.",
        cost: "Not a time; it tells how much there is to be transferred.",
        recognise: "Compare with the time of the same call path in mpi_communication.",
        remedy: "Send only what is needed, in fewer and larger portions.",
        example: "MPI_Recv with room for 100 doubles that gets 10: 80 bytes.",
    },
};
