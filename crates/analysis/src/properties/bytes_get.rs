//! Data read from memory of other processes.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Got.
pub const PROPERTY: Property = Property {
    name: "bytes_get",
    title: "Bytes got",
    parent: Some("bytes_rma"),
    unit: Unit::Bytes,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Bytes that the process has read from windows of others.",
        formula: "sum over MPI_Get and the functions that fetch.",
        cost: "Not a time; it tells how much there is to be transferred.",
        recognise: "Compare with the time of the same call path in mpi_communication.",
        remedy: "Send only what is needed, in fewer and larger portions.",
        example: "MPI_Get of 10 doubles: 80 bytes.",
    },
};
