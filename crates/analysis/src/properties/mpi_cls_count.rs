//! Receives of data that waited for a late sender; found in traces.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Late senders.
pub const PROPERTY: Property = Property {
    name: "mpi_cls_count",
    title: "Late senders",
    parent: Some("comms_recv"),
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Number of calls that waited for a late sender of a message with data.",
        formula: "+1 for each call with mpi_latesender, if the latest message has a length of 1 \
            byte or more. Found by `pompeii analyze`.",
        cost: "This is a number and not a time. The time is in mpi_latesender.",
        recognise: "A few long waits are an imbalance, many short ones an order of work that does \
            not fit.",
        remedy: "See mpi_latesender. The advice is the same.",
        example: "100 steps, each with one receive that waits: 100.",
    },
};
