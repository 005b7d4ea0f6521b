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
        measures: "Time during which the thread was active in the program: computing, in OpenMP, \
            in MPI, or waiting in a construct.",
        formula: "time - omp_idle_threads - process_absent.",
        cost: "This is not a loss by itself. It separates active time from idle time.",
        recognise: "If execution is much less than time, the program is serial for a long time \
            (see omp_idle_threads).",
        remedy: "Continue with its parts, for example computation, OpenMP and MPI.",
        example: "38.6 s of CPU allocation, 34.0 s of execution: in the remaining 4.6 s threads \
            had nothing to run.",
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
