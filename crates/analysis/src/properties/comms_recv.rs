//! Messages that were received.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Received.
pub const PROPERTY: Property = Property {
    name: "comms_recv",
    title: "Messages received",
    parent: Some("comms_p2p"),
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Messages that the process has received.",
        formula: "one for each receive that was completed.",
        cost: "Not a time; each costs some microseconds.",
        recognise: "Compare with the time of the same call path in mpi_communication.",
        remedy: "Send only what is needed, in fewer and larger portions.",
        example: "MPI_Irecv and MPI_Wait: one, at MPI_Wait.",
    },
};
