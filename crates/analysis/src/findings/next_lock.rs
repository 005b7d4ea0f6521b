//! The next lock: threads that no longer wait at one lock come to another one together, and wait
//! for each other there instead.
//!
//! If a barrier has the waiting that follows from a lock, the threads start from it at the same
//! time, and so they would come to the next lock at the same time too. Of n threads that come to a
//! lock together, the last one waits until n - 1 others have had it. What the threads wait there
//! already is not new.

use std::collections::HashMap;

use pompeii_model::{CallId, Ticks};

use super::locks::kept;
use super::{Search, grouped};

/// Of the locks of one parallel region only the first ones are looked at, those that lose most.
/// With all of them, a region with many locks would be the work of their square.
const TRIED: usize = 64;

/// The call paths of each lock, by outermost parallel region.
pub(super) struct Locks {
    /// Number of the lock, and its call paths.
    of: HashMap<CallId, Vec<(usize, Vec<CallId>)>>,
    /// The metric of waiting at them.
    contention: &'static str,
}

/// A barrier that has the waiting which follows from a lock.
pub(super) struct After<'a> {
    pub(super) parallel: CallId,
    pub(super) lock: usize,
    pub(super) barrier: &'a [CallId],
}

impl Locks {
    pub(super) fn new(search: &Search, locks: &[Vec<CallId>], contention: &'static str) -> Self {
        let mut of: HashMap<CallId, Vec<(usize, Vec<CallId>)>> = HashMap::new();
        for (lock, calls) in locks.iter().enumerate() {
            let outermost = |call| search.paths.outermost_parallel[call];
            for (parallel, calls) in grouped(calls.iter().copied(), outermost) {
                if let Some(parallel) = parallel {
                    of.entry(parallel).or_default().push((lock, calls));
                }
            }
        }
        Self { of, contention }
    }

    /// What the last thread would wait longer at other locks of the parallel region, if it did not
    /// wait at this one.
    pub(super) fn wait_instead(&self, search: &Search, after: &After) -> Ticks {
        let lens = &search.lens;
        let arrivals = lens.sum("visits", after.barrier);
        let rounds = arrivals / (lens.threads_at(after.barrier) as i64).max(1);
        let longer = |calls: &[CallId]| {
            let entries = lens.sum("visits", calls);
            let each = kept(search, calls) as f64 / entries.max(1) as f64;
            let together = each * (entries.min(arrivals) - rounds).max(0) as f64;
            let waits = lens.by_location(self.contention, calls);
            (together as Ticks - waits.iter().copied().max().unwrap_or(0)).max(0)
        };
        let locks = self.of.get(&after.parallel).into_iter().flatten();
        let others = locks.filter(|(lock, _)| *lock != after.lock).take(TRIED);
        others.map(|(_, calls)| longer(calls)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use expect_test::expect;

    /// Two threads come to a section of 30 ms together in each of 10 rounds, and then one after the
    /// other to one of 10 ms, where none waits: without the first they would come there together.
    #[test]
    fn threads_that_no_longer_wait_meet_at_the_next_section() {
        check(
            "wall=800 locations=2
             a/parallel@a.c:2                                 *  time=99 visits=1
             a/parallel@a.c:2/critical (a)@a.c:5              *  time=150 visits=10 \
             omp_lock_contention_critical=150
             a/parallel@a.c:2/critical (a)@a.c:5/critical sblock (a)@a.c:5  *  time=300 visits=10
             a/parallel@a.c:2/critical (b)@a.c:8              *  time=1 visits=10
             a/parallel@a.c:2/critical (b)@a.c:8/critical sblock (b)@a.c:8  *  time=100 visits=10
             a/parallel@a.c:2/barrier@a.c:12                  *  time=150 visits=10 \
             omp_ebarrier_wait=150 omp_barrier_last=5",
            expect![[r#"
                a.c:5 critical (a) | omp_lock_contention_critical lost=600 gain=200 (162 to 328)
                    [critical, none]
                    20 visits: 15 ms waiting for another thread, 30 ms inside.
                    One thread at a time is inside: 20 x 30 ms = 0.60 s of the run's 0.80 s.
                    Enter less often (private sums, reduction), or make its body shorter.
                a.c:8 critical (b) | omp_critical lost=2 gain=1 (0 to 4)
                    [critical, none]
                    20 visits, 100 µs each, 10 ms inside.
                    One thread at a time is inside: 20 x 10 ms = 0.20 s of the run's 0.80 s.
                    Enter less often (private sums, reduction), or make its body shorter.
            "#]],
        );
    }
}
