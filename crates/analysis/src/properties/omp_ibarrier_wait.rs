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
    compute: Compute::Row(|profile, call| profile.implicit_wait(call)),
    gain: gains::LATE_THREADS,
    doc: Doc {
        measures: "Time between the arrival of a thread at an implicit barrier and the arrival of \
            the last thread of the team.",
        formula: "for each barrier and thread: measure of [own arrival, latest arrival of the \
            team] minus the tasks executed by the thread in this time. It is known at the end of \
            the barrier, without a trace. A single with copyprivate keeps its barrier: there the \
            own time of the construct, which is spent waiting for the values, counts.",
        cost: "The threads that have arrived do nothing, because the work before the barrier is \
            not spread evenly.",
        recognise: "omp_barrier_last shows which thread arrives last, and omp_barrier_delay how \
            much waiting it causes. If it is always the same thread, it has more work. If it \
            changes, the amount of work varies, or other programs disturb the run.",
        remedy: "If the same thread is always last, use schedule(dynamic) or guided, or loop \
            bounds that follow the cost. If the last thread changes, do more work between \
            barriers, or use nowait if the next construct allows it. After single, use nowait, or \
            give the other threads other work meanwhile.",
        example: "A triangular loop with schedule(static) on 4 threads: the last thread has 7/16 \
            of the work, and the others wait for it.",
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
    fn a_single_with_copyprivate_is_its_own_barrier() {
        check(
            "omp_ibarrier_wait",
            "wall=40 locations=2
             a/parallel@a.c:2  *  time=10
             a/parallel@a.c:2/single@a.c:4 copyprivate(x) barrier_included  0  time=2
             a/parallel@a.c:2/single@a.c:4 copyprivate(x) barrier_included  1  time=30
             a/parallel@a.c:2/single@a.c:4 copyprivate(x) barrier_included/single sblock@a.c:4  0  \
             time=28",
            expect![[r#"
                a/parallel/single  [2, 30]
                total 32
            "#]],
        );
    }

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
