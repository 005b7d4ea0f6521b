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
        measures: "Number of messages sent by the process.",
        formula: "+1 for each send that was begun.",
        cost: "This is a number and not a time. Each communication costs some microseconds, \
            however small it is.",
        recognise: "Compare it with the time of the same call path in mpi_communication: much \
            time for little data is waiting.",
        remedy: "Send only the data needed, in fewer and larger messages.",
        example: "MPI_Sendrecv: 1 sent and 1 received.",
    },
};
