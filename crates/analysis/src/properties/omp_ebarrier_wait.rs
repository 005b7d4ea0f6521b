//! Waiting at explicit barriers for threads that arrive later.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};

/// Wait at explicit barrier.
pub const PROPERTY: Property = Property {
    name: "omp_ebarrier_wait",
    title: "Wait at explicit barrier",
    parent: Some("omp_ebarrier"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: gains::LATE_THREADS,
    doc: Doc {
        measures: "Time from a thread's arrival at an explicit barrier until the latest thread of \
            the team has arrived.",
        formula: "per barrier and thread: measure of [own arrival, latest arrival of the team] \
            minus the tasks that the thread executed in it. Known when the barrier ends, also \
            without a trace.",
        cost: "The threads that arrived do nothing: the work before the barrier is not spread \
            evenly.",
        recognise: "omp_barrier_last tells who arrives last, omp_barrier_delay what that cost the \
            others. Always the same thread: its share of the work is larger. A different one each \
            time: the work varies, or the machine disturbs.",
        remedy: "Spread the work before the barrier evenly; replace the barrier by finer \
            synchronisation (task dependences, point-to-point flags), or remove it.",
        example: "Phase 1 takes 3 ms on thread 0 and 1 ms on the others, then a barrier: each of \
            the others waits 2 ms.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn waiting_is_a_part_of_the_barrier() {
        check(
            "omp_ebarrier_wait",
            "wall=50 locations=2
             a/parallel@a.c:2                               0  time=45
             a/parallel@a.c:2                               1  time=20
             a/parallel@a.c:2/barrier@a.c:9  0  time=5
             a/parallel@a.c:2/barrier@a.c:9  1  time=30 omp_ebarrier_wait=25",
            expect![[r#"
                a/parallel/barrier  [0, 25]
                total 25
            "#]],
        );
    }
}
