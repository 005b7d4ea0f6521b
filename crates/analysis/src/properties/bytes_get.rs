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
        measures: "Bytes read by the process from windows of other processes.",
        formula: "sum over MPI_Get and the functions that fetch and change a value \
            (MPI_Fetch_and_op and similar).",
        cost: "This is an amount of data and not a time. A large amount takes long to transfer.",
        recognise: "Compare it with the time of the same call path in mpi_communication: much \
            time for little data is waiting.",
        remedy: "Send only the data needed, in fewer and larger messages.",
        example: "MPI_Get of 10 doubles: 80 bytes.",
    },
};
