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
        cost: "Not a time; it tells how much there is to be transferred.",
        recognise: "Compare with the time of the same call path in mpi_communication.",
        remedy: "Send only what is needed, in fewer and larger portions.",
        example: "MPI_Put of a row of 1,000 doubles: 8,000 bytes.",
    },
};
