//! Messages that were sent.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Sent.
pub const PROPERTY: Property = Property {
    name: "comms_send",
    title: "Messages sent",
    parent: Some("comms_p2p"),
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Messages that the process has sent.",
        formula: "one for each send that was begun.",
        cost: "Not a time; each costs some microseconds.",
        recognise: "Compare with the time of the same call path in mpi_communication.",
        remedy: "Send only what is needed, in fewer and larger portions.",
        example: "MPI_Sendrecv: one sent, one received.",
    },
};
