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
        measures: "Time between the arrival of a thread at an explicit barrier and the arrival of \
            the last thread of the team.",
        formula: "for each barrier and thread: measure of [own arrival, latest arrival of the \
            team] minus the tasks executed by the thread in this time. It is known at the end of \
            the barrier, without a trace.",
        cost: "The threads that have arrived do nothing, because the work before the barrier is \
            not spread evenly.",
        recognise: "omp_barrier_last shows which thread arrives last, and omp_barrier_delay how \
            much waiting it causes. If it is always the same thread, it has more work. If it \
            changes, the amount of work varies, or other programs disturb the run.",
        remedy: "Spread the work before the barrier evenly; replace the barrier by finer \
            synchronisation (task dependences, flags between two threads), or remove it.",
        example: "Before a barrier, thread 0 works for 3 ms and each of the others for 1 ms: each \
            of the others waits 2 ms.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  =========|..............|===
thread 1  ==============|.........|===
thread 2  ========================|===
                   ^ arrival      ^ arrival of the last thread";

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
