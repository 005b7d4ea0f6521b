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
        formula: "+1 for each barrier, at the latest thread. The sum over all threads is the \
            number of barriers.",
        cost: "All others wait until the last thread has arrived.",
        recognise: "If one thread has nearly all arrivals as the last, it has more work. If they \
            are spread evenly, the cause is chance or the machine.",
        remedy: "See omp_ibarrier_wait.",
        example: "Thread 0 is last at 1,920 of 2,000 barriers: it has additional work before them.",
    },
};
