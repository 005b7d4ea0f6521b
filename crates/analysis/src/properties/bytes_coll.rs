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
        measures: "Bytes of collective operations, counted as if each operation consisted of \
            messages.",
        formula: "bytes_cout + bytes_cin.",
        cost: "This is an amount of data and not a time. A large amount takes long to transfer.",
        recognise: "Compare it with the time of the same call path in mpi_communication: much \
            time for little data is waiting.",
        remedy: "Send only the data needed, in fewer and larger messages.",
        example: "MPI_Allreduce of a double (8 bytes) by 4 processes: in each process 32 bytes \
            outgoing and 32 bytes incoming.",
    },
};
