//! Explicit barriers: those that the program asks for.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};
use crate::profile::Class;

/// Explicit barrier.
pub const PROPERTY: Property = Property {
    name: "omp_ebarrier",
    title: "Explicit barrier",
    parent: Some("omp_barrier"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::ExplicitBarrier, call)),
    gain: gains::BARRIER_ITSELF,
    doc: Doc {
        measures: "Time in barriers written in the program (`#pragma omp barrier`), without the \
            tasks executed there.",
        formula: "own time of call paths to regions of the kind `barrier`.",
        cost: "All threads wait for the last one. The barrier itself costs a few hundred \
            nanoseconds to a few microseconds.",
        recognise: "If there are many visits with little waiting, the number of barriers is the \
            problem, and not the balance of work.",
        remedy: "Remove unnecessary barriers. For example, a barrier after a worksharing \
            construct without nowait is not needed.",
        example: "`for` without nowait followed by `barrier`: at the second barrier no thread \
            waits, but each visit has its cost.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn the_role_decides() {
        check(
            "omp_ebarrier",
            "wall=90 locations=1
             a/parallel@a.c:2                         0  time=40
             a/parallel@a.c:2/barrier@a.c:5           0  time=20 omp_ebarrier_wait=5
             a/parallel@a.c:2/implicit barrier@a.c:9  0  time=30 omp_management=8 \
             omp_ibarrier_wait=2",
            expect![[r#"
                a/parallel/barrier  [20]
                total 20
            "#]],
        );
    }
}
