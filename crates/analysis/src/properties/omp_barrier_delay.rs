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
        measures: "Waiting time of the other threads, shown at the thread that arrived last and so \
            caused it.",
        formula: "per barrier: sum of the waiting of all threads of the team, on the latest \
            thread. Totals of waiting and delay agree up to waiting that was filled with tasks.",
        cost: "It tells whom to relieve.",
        recognise: "Compare the call paths of the delaying thread with those of the others.",
        remedy: "Take work away from the thread with the largest value.",
        example: "Thread 0 causes 7.6 s of 7.9 s: its rows take longer than all others.",
    },
};
