//! Time that atomic constructs take longer because other threads update the same memory.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Contention of atomics.
pub const PROPERTY: Property = Property {
    name: "omp_atomic_contention",
    title: "Atomic contention",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "The loss of the thread with the most of it, because the program without contention does \
        the same updates in private memory. Bounds: two thirds and four thirds of it, because \
        few visits are timed and the others' excess is an estimate.",
    doc: Doc {
        measures: "By how much longer atomic constructs take because other threads update the same \
            memory. It is an estimate from samples, and part of computation.",
        formula: "visits x S x t / (S + t). S: mean of what timed visits take longer than an atomic on \
            memory of the thread's own, without what the statement computes before the update \
            (the difference of the shortest ones). t: computing time of the code around / \
            visits. One of 1,024 visits of a thread is timed; it comes later than the others, so \
            it finds its memory with another thread more often. An atomic that is measured like \
            other constructs (`timed`) is not sampled.",
        cost: "The cache line with the data moves from core to core at each update, which takes \
            about 100 ns. The updates of all threads take turns.",
        recognise: "The loop with the atomic takes longer with more threads.",
        remedy: "Update private copies and add them up at the end (reduction).",
        example: "Two threads increment one counter 10 million times each, every 40 ns. A timed \
            visit takes 80 ns, one without contention 20 ns: S = 60 ns, S x t / (S + t) = 24 ns, \
            and 0.24 s for each thread.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn it_is_taken_as_measured() {
        check(
            "omp_atomic_contention",
            "wall=100 locations=1
             a/parallel@a.c:2              0  time=100
             a/parallel@a.c:2/atomic@a.c:4  0  visits=2048 omp_atomic_contention=60",
            expect![[r#"
                a/parallel/atomic  [60]
                total 60
            "#]],
        );
    }
}
