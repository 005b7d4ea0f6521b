//! All time in OpenMP constructs that is not the user's own work.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// OpenMP.
pub const PROPERTY: Property = Property {
    name: "omp_time",
    title: "OpenMP",
    parent: Some("execution"),
    unit: Unit::Ticks,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Time that threads spent in OpenMP itself: forking and joining teams, \
            synchronising, creating tasks.",
        formula: "omp_management + omp_synchronization + omp_task_creation.",
        cost: "A thread that is here does not compute.",
        recognise: "A small share is normal; the parts say what it is.",
        remedy: "Go on with the largest part.",
        example: "10,000 parallel regions of 50 us with 5 us of fork and join each: 10 % of the \
            region's time is here.",
    },
};
