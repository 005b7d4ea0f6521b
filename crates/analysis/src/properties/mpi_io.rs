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
        measures: "Time in functions of MPI that read and write files.",
        formula: "mpi_io_individual + mpi_io_collective.",
        cost: "Processes wait for storage that they share.",
        recognise: "Compare with bytes_read and bytes_written: the bandwidth that was reached.",
        remedy: "Larger portions, collective functions, fewer files; write while computing.",
        example: "100 MB in portions of 1 kB: 100,000 requests to the file system.",
    },
};
