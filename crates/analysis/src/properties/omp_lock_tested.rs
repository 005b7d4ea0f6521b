//! Time in which threads tested a lock again and again: they wait as in a routine that acquires it,
//! but between the calls.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};

/// Waiting by tests of a lock.
pub const PROPERTY: Property = Property {
    name: "omp_lock_tested",
    title: "Lock tested",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: gains::NEXT_BARRIER,
    doc: Doc {
        measures: "Time in which threads tested a lock again and again, while another thread had \
            it. It is a part of computation, except for the calls themselves.",
        formula: "for each lock that omp_test_lock (or its nested variant) acquires: from the \
            first test in vain by the same call path to the moment when another thread gave the \
            lock back, if there were two tests in vain or more. A thread that tested once did \
            something else meanwhile that took longer than it would have waited.",
        cost: "The thread does nothing else until it has the lock.",
        recognise: "It is much more than the time in the routine if the thread pauses between \
            tests.",
        remedy: "Hold the lock for a shorter time, or use one lock per independent object.",
        example: "T0 has the lock for 6 ms. T1 tests it at once and then every 0.1 ms: it waits \
            for 6 ms, of which the calls are a small part.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn it_is_taken_as_measured() {
        check(
            "omp_lock_tested",
            "wall=100 locations=1
             a/parallel@a.c:2                     0  time=90
             a/parallel@a.c:2/omp_test_lock@a.c:4  0  time=10 visits=50 omp_lock_tested=60",
            expect![[r#"
                a/parallel/omp_test_lock  [60]
                total 60
            "#]],
        );
    }
}
