//! Empty messages that were waited for; found in traces.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Late senders without data.
pub const PROPERTY: Property = Property {
    name: "mpi_sls_count",
    title: "Late senders without data",
    parent: Some("comms_recv"),
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Number of calls that waited for a late sender of a message of 0 bytes, which \
            only synchronises.",
        formula: "+1 for each call with mpi_latesender, if the latest message has 0 bytes. Found \
            by `pompeii analyze`.",
        cost: "This is a number and not a time. The time is in mpi_latesender.",
        recognise: "Such messages order the work of processes: check whether the order is needed.",
        remedy: "See mpi_latesender. The advice is the same.",
        example: "100 steps, each with one receive that waits: 100.",
    },
};
