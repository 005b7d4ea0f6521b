//! Data that collective functions took.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Outgoing.
pub const PROPERTY: Property = Property {
    name: "bytes_cout",
    title: "Bytes outgoing",
    parent: Some("bytes_coll"),
    unit: Unit::Bytes,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Bytes that the process sends in collective communication, as if it were made \
            of messages.",
        formula: "sum over the visits of what the process would send in messages to each \
            partner, itself included.",
        cost: "Not a time; it tells how much there is to be transferred.",
        recognise: "Compare with the time of the same call path in mpi_communication.",
        remedy: "Send only what is needed, in fewer and larger portions.",
        example: "The root of MPI_Bcast of 8 bytes in 4 processes: 32 bytes.",
    },
};
