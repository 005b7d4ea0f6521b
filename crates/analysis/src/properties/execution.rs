//! Time in which a thread ran something: the measured part of the allocation.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Execution.
pub const PROPERTY: Property = Property {
    name: "execution",
    title: "Execution",
    parent: Some("time"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.time(call)),
    gain: "",
    doc: Doc {
        measures: "Time in which the thread was inside the program: computing, in OpenMP, or \
            waiting in a construct.",
        formula: "time - omp_idle_threads - process_absent.",
        cost: "Not a loss by itself; it separates what ran from what stood still.",
        recognise: "Execution far below time: the program is serial for long (see \
            omp_idle_threads).",
        remedy: "Go on with its parts: computation and OpenMP.",
        example: "38.6 s allocated, 34.0 s execution: 4.6 s in which threads had nothing to run.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn only_what_ran_counts() {
        check(
            "execution",
            "wall=10 locations=2
             a  0  time=10",
            expect![[r#"
                a  [10, 0]
                total 10
            "#]],
        );
    }
}
