//! Messages between two processes.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Messages.
pub const PROPERTY: Property = Property {
    name: "comms_p2p",
    title: "Messages",
    parent: Some("comms"),
    unit: Unit::Count,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Messages between two processes, at both ends.",
        formula: "comms_send + comms_recv.",
        cost: "Not a time; each costs some microseconds.",
        recognise: "Compare with the time of the same call path in mpi_communication.",
        remedy: "Send only what is needed, in fewer and larger portions.",
        example: "One message counts once where it is sent and once where it is received.",
    },
};
