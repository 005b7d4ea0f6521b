//! Who arrived last at a barrier, and how often.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Arrivals as the last.
pub const PROPERTY: Property = Property {
    name: "omp_barrier_last",
    title: "Arrivals as the last",
    parent: None,
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "How often the thread was the last of its team to arrive at the barrier.",
        formula: "+1 per barrier on the latest thread; the sum over threads is the number of \
            barriers.",
        cost: "The last thread determines when all others go on.",
        recognise: "One thread with nearly all of them: its work is larger. An even spread: chance \
            or the machine.",
        remedy: "See omp_ibarrier_wait.",
        example: "Thread 0 is last in 1,920 of 2,000 barriers: it does something extra before.",
    },
};
