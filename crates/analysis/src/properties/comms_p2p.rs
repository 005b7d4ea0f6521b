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
        measures: "Number of messages between two processes, counted at both ends.",
        formula: "comms_send + comms_recv.",
        cost: "This is a number and not a time. Each communication costs some microseconds, \
            however small it is.",
        recognise: "Compare it with the time of the same call path in mpi_communication: much \
            time for little data is waiting.",
        remedy: "Send only the data needed, in fewer and larger messages.",
        example: "One message: 1 in the sender and 1 in the receiver.",
    },
};
