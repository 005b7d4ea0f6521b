//! All barriers, those that the program has and those that constructs imply.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Barrier.
pub const PROPERTY: Property = Property {
    name: "omp_barrier",
    title: "Barrier",
    parent: Some("omp_synchronization"),
    unit: Unit::Ticks,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Time in barriers, without the tasks executed there and without fork and join.",
        formula: "omp_ebarrier + omp_ibarrier.",
        cost: "All threads wait for the last one.",
        recognise: "The parts distinguish waiting for late threads from waiting for tasks. The \
            remaining time is the cost of the barrier itself.",
        remedy: "See omp_ibarrier_wait.",
        example: "8 threads, one of them needs 10 ms more than the others: 70 ms in the barrier.",
    },
};
