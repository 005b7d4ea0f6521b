//! Most iterations of a visit.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Most iterations of a visit.
pub const PROPERTY: Property = Property {
    name: "omp_loop_iterations_max",
    title: "Most loop iterations",
    parent: None,
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "The largest number of iterations that the worksharing loop had in a visit of the \
            thread. Sums over call paths or locations have no meaning.",
        formula: "Maximum of the trip counts over the visits of the location whose trip count was \
            known.",
        cost: "It costs no time. It tells whether all visits have the same number of iterations.",
        recognise: "If the maximum is smaller than the number of threads, some threads have no \
            iteration in any visit.",
        remedy: "Collapse the loop with the one inside it, so that there are enough iterations \
            for all threads.",
        example: "Visits with 10, 20 and 30 iterations: 30.",
    },
};
