//! Iterations of worksharing loops.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Iterations of worksharing loops.
pub const PROPERTY: Property = Property {
    name: "omp_loop_iterations",
    title: "Loop iterations",
    parent: None,
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Number of iterations that the loop had in all visits of the thread, whichever \
            threads executed them. It is counted where the limits of the loop are known before it \
            starts.",
        formula: "Sum of the trip counts over the visits of the location whose trip count was \
            known (omp_loop_visits_known). With collapse, the product of the trip counts.",
        cost: "Iterations cost no time themselves. With the time of the loop, they give the time \
            per iteration.",
        recognise: "A loop with fewer iterations than threads cannot keep all threads busy. A \
            dynamic schedule hands out as many chunks as the loop has iterations, divided by \
            the size of a chunk.",
        remedy: "With few iterations, collapse two loops. With many short ones, choose a static \
            schedule or a larger chunk.",
        example: "100 visits of a loop from 0 to 999 by a team of two threads: 100,000 on each \
            of them.",
    },
};
