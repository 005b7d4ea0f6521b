//! Reading and writing files with MPI.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Files.
pub const PROPERTY: Property = Property {
    name: "mpi_io",
    title: "MPI files",
    parent: Some("mpi"),
    unit: Unit::Ticks,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Time in MPI functions that read and write files.",
        formula: "mpi_io_individual + mpi_io_collective.",
        cost: "Processes wait for the storage, because they share it.",
        recognise: "Compare with bytes_read and bytes_written: bytes / time is the bandwidth.",
        remedy: "Use larger portions, collective functions and fewer files; write while computing.",
        example: "100 MB in portions of 1 kB: 100,000 requests to the file system.",
    },
};
