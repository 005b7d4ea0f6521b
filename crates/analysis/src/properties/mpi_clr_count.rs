//! Sends of data that waited for a late receiver; found in traces.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Late receivers.
pub const PROPERTY: Property = Property {
    name: "mpi_clr_count",
    title: "Late receivers",
    parent: Some("comms_send"),
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Number of calls that waited for a late receiver of a message with data.",
        formula: "+1 for each call with mpi_latereceiver, if the latest message has a length of 1 \
            byte or more. Found by `pompeii analyze`.",
        cost: "This is a number and not a time. The time is in mpi_latereceiver.",
        recognise: "Only messages that are too large for the buffers of the library wait for their \
            receivers.",
        remedy: "See mpi_latereceiver. The advice is the same.",
        example: "100 steps, each with one send that waits: 100.",
    },
};
