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
        measures: "Bytes written to files and read from files through MPI.",
        formula: "bytes_written + bytes_read.",
        cost: "This is an amount of data and not a time. A large amount takes long to transfer.",
        recognise: "Compare it with the time of the same call path in mpi_io: bytes / time is the \
            bandwidth.",
        remedy: "Write and read only the data needed, in fewer and larger portions.",
        example: "A checkpoint of 1 GB is written and read again: 2 GB.",
    },
};
