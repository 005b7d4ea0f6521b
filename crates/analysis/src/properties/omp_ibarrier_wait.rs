//! Waiting at implicit barriers for threads that arrive later. The most frequent loss in OpenMP
//! programs.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};

/// Wait at implicit barrier.
pub const PROPERTY: Property = Property {
    name: "omp_ibarrier_wait",
    title: "Wait at implicit barrier",
    parent: Some("omp_ibarrier"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: gains::LATE_THREADS,
    doc: Doc {
        measures: "Time from a thread's arrival at an implicit barrier until the latest thread of \
            the team has arrived.",
        formula: "per barrier and thread: measure of [own arrival, latest arrival of the team] \
            minus the tasks that the thread executed in it. Known when the barrier ends, also \
            without a trace.",
        cost: "The threads that arrived do nothing: the work before the barrier is not spread \
            evenly.",
        recognise: "omp_barrier_last tells who arrives last, omp_barrier_delay what that cost the \
            others. Always the same thread: its share of the work is larger. A different one each \
            time: the work varies, or the machine disturbs.",
        remedy: "Always the same thread: schedule(dynamic) or guided, or bounds that follow the \
            cost. Different threads: larger pieces of work between barriers, nowait where the \
            next construct allows it. After single: nowait, or let the others do something else \
            meanwhile.",
        example: "A triangular loop with schedule(static) on 4 threads: the last thread has 7/16 \
            of the work, the others wait for it.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn waiting_is_a_part_of_the_barrier() {
        check(
            "omp_ibarrier_wait",
            "wall=50 locations=2
             a/parallel@a.c:2                               0  time=45
             a/parallel@a.c:2                               1  time=20
             a/parallel@a.c:2/implicit barrier@a.c:9  0  time=5
             a/parallel@a.c:2/implicit barrier@a.c:9  1  time=30 omp_ibarrier_wait=25",
            expect![[r#"
                a/parallel/implicit barrier  [0, 25]
                total 25
            "#]],
        );
    }
}
