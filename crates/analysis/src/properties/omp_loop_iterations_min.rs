//! Fewest iterations of a visit.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Fewest iterations of a visit.
pub const PROPERTY: Property = Property {
    name: "omp_loop_iterations_min",
    title: "Fewest loop iterations",
    parent: None,
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "The smallest number of iterations that the worksharing loop had in a visit of the \
            thread. Sums over call paths or locations have no meaning.",
        formula: "Minimum of the trip counts over the visits of the location whose trip count was \
            known. 0 is also the value where no visit had a known one.",
        cost: "It costs no time. It tells whether all visits have the same number of iterations.",
        recognise: "Minimum and maximum differ if the loop has another length in each visit, for \
            example in a triangular loop nest.",
        remedy: "If the loop is long in some visits only, add an if clause for the short ones.",
        example: "Visits with 10, 20 and 30 iterations: 10.",
    },
};
