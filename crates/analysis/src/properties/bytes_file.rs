//! Data of files.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Files.
pub const PROPERTY: Property = Property {
    name: "bytes_file",
    title: "Files",
    parent: Some("bytes"),
    unit: Unit::Bytes,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Bytes that processes have written to and read from files.",
        formula: "bytes_written + bytes_read.",
        cost: "Not a time; it tells how much there is to be transferred.",
        recognise: "Compare with the time of the same call path in mpi_communication.",
        remedy: "Send only what is needed, in fewer and larger portions.",
        example: "A checkpoint of 1 GB, written and read again: 2 GB.",
    },
};
