//! Receives of data in the wrong order; found in traces.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Late senders in the wrong order.
pub const PROPERTY: Property = Property {
    name: "mpi_clswo_count",
    title: "Wrong order, with data",
    parent: Some("mpi_cls_count"),
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Number of calls that waited for a late sender of a message with data, although \
            an earlier message was there.",
        formula: "+1 for each call with mpi_latesender_wo, if the message has a length of 1 byte \
            or more. Found by `pompeii analyze`.",
        cost: "This is a number and not a time. The time is in mpi_latesender.",
        recognise: "Compare it with mpi_cls_count: it tells how many late senders another order of \
            receives avoids.",
        remedy: "See mpi_latesender_wo. The advice is the same.",
        example: "100 steps, each with one receive that waits: 100.",
    },
};
