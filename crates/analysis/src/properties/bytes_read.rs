//! Data read from files.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Read.
pub const PROPERTY: Property = Property {
    name: "bytes_read",
    title: "Bytes read",
    parent: Some("bytes_file"),
    unit: Unit::Bytes,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Bytes read by the process from files through MPI.",
        formula: "sum over the MPI functions that read files.",
        cost: "This is an amount of data and not a time. A large amount takes long to transfer.",
        recognise: "Compare it with the time of the same call path in mpi_io: bytes / time is the \
            bandwidth.",
        remedy: "Write and read only the data needed, in fewer and larger portions.",
        example: "MPI_File_read of 10 doubles: 80 bytes.",
    },
};
