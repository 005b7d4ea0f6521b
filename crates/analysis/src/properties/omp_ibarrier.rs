//! Implicit barriers: those at the end of a parallel region and of worksharing constructs without
//! nowait.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};
use crate::profile::Class;

/// Implicit barrier.
pub const PROPERTY: Property = Property {
    name: "omp_ibarrier",
    title: "Implicit barrier",
    parent: Some("omp_barrier"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::ImplicitBarrier, call)),
    gain: gains::BARRIER_ITSELF,
    doc: Doc {
        measures: "Time in implicit barriers (at the end of a loop, of single and so on), without \
            the tasks executed there and without the join of the team.",
        formula: "own time of call paths to regions of the kind `implicit barrier` - \
            omp_management there.",
        cost: "All threads wait for the last one. The barrier itself costs a few hundred \
            nanoseconds to a few microseconds.",
        recognise: "If there are many visits with little waiting, the number of barriers is the \
            problem, and not the balance of work.",
        remedy: "Remove unnecessary barriers: use nowait if the next construct does not read the \
            results of this one.",
        example: "A parallel region has two independent loops: the first one can have nowait.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn the_role_decides_and_the_join_is_taken_out() {
        check(
            "omp_ibarrier",
            "wall=90 locations=1
             a/parallel@a.c:2                         0  time=40
             a/parallel@a.c:2/barrier@a.c:5           0  time=20 omp_ebarrier_wait=5
             a/parallel@a.c:2/implicit barrier@a.c:9  0  time=30 omp_management=8 \
             omp_ibarrier_wait=2",
            expect![[r#"
                a/parallel/implicit barrier  [22]
                total 22
            "#]],
        );
    }
}
