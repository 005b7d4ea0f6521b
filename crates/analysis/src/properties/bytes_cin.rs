//! Data that collective functions gave.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Incoming.
pub const PROPERTY: Property = Property {
    name: "bytes_cin",
    title: "Bytes incoming",
    parent: Some("bytes_coll"),
    unit: Unit::Bytes,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Bytes received by the process in collective operations, counted as if the \
            operation consisted of messages.",
        formula: "sum over the visits: bytes the process would receive in messages from all \
            partners, including itself.",
        cost: "This is an amount of data and not a time. A large amount takes long to transfer.",
        recognise: "Compare it with the time of the same call path in mpi_communication: much \
            time for little data is waiting.",
        remedy: "Send only the data needed, in fewer and larger messages.",
        example: "MPI_Bcast of 8 bytes: 8 bytes in each process.",
    },
};
