//! What the late thread cost the others: the same time as the waiting, on the thread that caused
//! it.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Waiting caused at barriers.
pub const PROPERTY: Property = Property {
    name: "omp_barrier_delay",
    title: "Waiting caused at barriers",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Waiting time of the other threads, shown at the thread that arrived last and \
            therefore caused it.",
        formula: "for each barrier: sum of the waiting times of all threads of the team, at the \
            latest thread. The totals of waiting and delay are equal, except for waiting time \
            filled with tasks.",
        cost: "It shows which thread has too much work.",
        recognise: "Compare the call paths of this thread with those of the others.",
        remedy: "Move work from the thread with the largest value to others.",
        example: "All waiting together is 7.9 s. Thread 0 causes 7.6 s of it, because its rows \
            take longer than the other rows.",
    },
};
