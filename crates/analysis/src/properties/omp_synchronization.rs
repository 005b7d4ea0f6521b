//! All constructs in which threads wait for each other.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Synchronization.
pub const PROPERTY: Property = Property {
    name: "omp_synchronization",
    title: "Synchronization",
    parent: Some("omp_time"),
    unit: Unit::Ticks,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Time in barriers, at the entry of critical sections and ordered constructs, in \
            lock routines, and waiting for tasks.",
        formula: "omp_barrier + omp_critical + omp_lock_api + omp_ordered + omp_taskwait + \
            omp_taskgroup + omp_taskyield.",
        cost: "Waiting threads do not compute.",
        recognise: "The parts say what the threads wait for: other threads at barriers, locks, or \
            tasks.",
        remedy: "Continue with the largest part.",
        example: "24 % of the CPU allocation in barriers and 2 % in critical sections: balance \
            the loops first.",
    },
};
