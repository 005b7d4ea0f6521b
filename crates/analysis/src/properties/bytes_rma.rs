//! Data of one-sided communication.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// One-sided.
pub const PROPERTY: Property = Property {
    name: "bytes_rma",
    title: "One-sided",
    parent: Some("bytes"),
    unit: Unit::Bytes,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Bytes of one-sided communication.",
        formula: "bytes_put + bytes_get.",
        cost: "This is an amount of data and not a time. A large amount takes long to transfer.",
        recognise: "Compare it with the time of the same call path in mpi_communication: much \
            time for little data is waiting.",
        remedy: "Send only the data needed, in fewer and larger messages.",
        example: "MPI_Put of a row of 1,000 doubles: 8,000 bytes.",
    },
};
