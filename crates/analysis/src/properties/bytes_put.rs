//! Data written into memory of other processes.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Put.
pub const PROPERTY: Property = Property {
    name: "bytes_put",
    title: "Bytes put",
    parent: Some("bytes_rma"),
    unit: Unit::Bytes,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Bytes written by the process into windows of other processes.",
        formula: "sum over MPI_Put and the functions that add to remote values (MPI_Accumulate \
            and similar).",
        cost: "This is an amount of data and not a time. A large amount takes long to transfer.",
        recognise: "Compare it with the time of the same call path in mpi_communication: much \
            time for little data is waiting.",
        remedy: "Send only the data needed, in fewer and larger messages.",
        example: "MPI_Put of 10 doubles: 80 bytes.",
    },
};
