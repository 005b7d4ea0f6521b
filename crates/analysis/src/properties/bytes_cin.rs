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
        measures: "Bytes that the process receives in collective communication, as if it were \
            made of messages.",
        formula: "sum over the visits of what the process would receive in messages from each \
            partner, itself included.",
        cost: "Not a time; it tells how much there is to be transferred.",
        recognise: "Compare with the time of the same call path in mpi_communication.",
        remedy: "Send only what is needed, in fewer and larger portions.",
        example: "Each process of MPI_Bcast of 8 bytes: 8 bytes.",
    },
};
