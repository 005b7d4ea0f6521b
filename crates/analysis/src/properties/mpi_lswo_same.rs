//! Messages of one process in the wrong order; found in traces.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Wrong order, same source.
pub const PROPERTY: Property = Property {
    name: "mpi_lswo_same",
    title: "Wrong order, same source",
    parent: Some("mpi_latesender_wo"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time of waiting for a late sender although an earlier message of the same \
            process was there.",
        formula: "mpi_latesender_wo, if the message that is received later comes from the same \
            process. Found by `pompeii analyze`.",
        cost: "The process could have worked with the earlier message first.",
        recognise: "The two messages have different tags or communicators.",
        remedy: "Receive the messages of a process in the order in which it sends them.",
        example: "Rank 1 sends tag 3 at 10 ms and tag 4 at 60 ms, and rank 0 receives tag 4 first.",
    },
};
