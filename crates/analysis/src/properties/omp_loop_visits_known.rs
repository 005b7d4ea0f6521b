//! Visits of loops whose iterations are known.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Visits of loops whose iterations are known.
pub const PROPERTY: Property = Property {
    name: "omp_loop_visits_known",
    title: "Loop visits with known iterations",
    parent: None,
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Number of visits of worksharing loops in which the number of iterations was known.",
        formula: "+1 for each visit of the location for which the instrumented program has passed \
            a trip count. It passes none if computing the limits of the loop has side effects, \
            for loops over iterators, and with --abi pomp2.",
        cost: "It costs no time. It tells of how many visits omp_loop_iterations is the sum.",
        recognise: "Iterations per visit are omp_loop_iterations divided by this number.",
        remedy: "Write limits and step of the loop as variables or constants, for example \
            i < n and not i < size(). Then the number of iterations is known.",
        example: "for (int i = 0; i < n; i++) has a known trip count, \
            for (auto it = v.begin(); it != v.end(); ++it) has none.",
    },
};
