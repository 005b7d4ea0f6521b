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
        measures: "Time in OpenMP itself: forking and joining teams, synchronising, creating \
            tasks.",
        formula: "omp_management + omp_synchronization + omp_task_creation.",
        cost: "The thread does not compute meanwhile.",
        recognise: "A small share of the total time is normal. The parts of this property show \
            the cause of a large share.",
        remedy: "Continue with the largest part.",
        example: "10,000 parallel regions of 50 us with 5 us of fork and join each: 10 % of the \
            regions' time.",
    },
};
