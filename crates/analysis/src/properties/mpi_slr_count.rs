//! Empty messages whose sender waited; found in traces.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Late receivers without data.
pub const PROPERTY: Property = Property {
    name: "mpi_slr_count",
    title: "Late receivers without data",
    parent: Some("comms_send"),
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Number of calls that waited for a late receiver of a message of 0 bytes, for \
            example in MPI_Ssend.",
        formula: "+1 for each call with mpi_latereceiver, if the latest message has 0 bytes. Found \
            by `pompeii analyze`.",
        cost: "This is a number and not a time. The time is in mpi_latereceiver.",
        recognise: "Such messages order the work of processes: check whether the order is needed.",
        remedy: "See mpi_latereceiver. The advice is the same.",
        example: "100 steps, each with one send that waits: 100.",
    },
};
