//! Data of collective communication.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Collective.
pub const PROPERTY: Property = Property {
    name: "bytes_coll",
    title: "Collective",
    parent: Some("bytes"),
    unit: Unit::Bytes,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Bytes of collective communication, as if it were made of messages.",
        formula: "bytes_cout + bytes_cin.",
        cost: "Not a time; it tells how much there is to be transferred.",
        recognise: "Compare with the time of the same call path in mpi_communication.",
        remedy: "Send only what is needed, in fewer and larger portions.",
        example: "MPI_Allreduce of a double by 4 processes.",
    },
};
