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
        measures: "Bytes that the process has read from files with MPI.",
        formula: "sum over functions that read.",
        cost: "Not a time; it tells how much there is to be transferred.",
        recognise: "Compare with the time of the same call path in mpi_communication.",
        remedy: "Send only what is needed, in fewer and larger portions.",
        example: "MPI_File_read of 10 doubles: 80 bytes.",
    },
};
