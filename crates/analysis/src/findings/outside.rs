//! Code of a parallel region that lies outside of a loop and can make a thread late at the loop's
//! barrier: all that does not end at a barrier of its own. If another thread is late in each visit,
//! sums do not tell where it was late. But if there is hardly any other code, it was in the loop.

use std::collections::HashMap;

use pompeii_model::{CallId, IndexVec, Role, Ticks};

use super::Search;
use super::imbalance::Parts;
use super::owner::owner;
use super::paths::ends_team;

/// A quantity of each outermost parallel region (time, for example), without what ends at a barrier
/// of its own.
pub(super) struct Outside<'a> {
    left: HashMap<CallId, Ticks>,
    /// Of each call path and all below it.
    inclusive: &'a IndexVec<CallId, Ticks>,
}

impl<'a> Outside<'a> {
    pub(super) fn new(search: &Search, inclusive: &'a IndexVec<CallId, Ticks>) -> Self {
        let (lens, paths) = (&search.lens, &search.paths);
        let mut left: HashMap<CallId, Ticks> = HashMap::new();
        for &barrier in &paths.barriers {
            let Some(parallel) = paths.outermost_parallel[barrier] else { continue };
            let left = left.entry(parallel).or_insert(inclusive[parallel]);
            let scope = owner(lens, barrier).2;
            // The barrier lies in its construct. What ends a team ends no construct.
            let ended = if ends_team(lens, barrier) { barrier } else { scope };
            *left -= inclusive[ended];
        }
        Self { left, inclusive }
    }

    /// Whether other code may have made most of the waiting at the barrier of this loop. The whole
    /// of it may have been in the late thread, and then all others have waited for it.
    pub(super) fn explains(&self, search: &Search, scope: CallId, parts: Parts) -> bool {
        let is_loop = search.lens.role(scope) == Role::Loop;
        let parallel = search.paths.outermost_parallel[scope].filter(|_| is_loop);
        let left = parallel.and_then(|parallel| self.left.get(&parallel));
        left.is_none_or(|left| 2 * left * (parts.members - 1).max(1) > parts.sum)
    }

    /// What leads to these barriers: the constructs that they end, and other code of their parallel
    /// regions.
    pub(super) fn before(&self, search: &Search, barriers: &[CallId]) -> Ticks {
        let lens = &search.lens;
        let mut parallels: Vec<CallId> =
            barriers.iter().filter_map(|&at| search.paths.outermost_parallel[at]).collect();
        parallels.sort();
        parallels.dedup();
        let outside = parallels.iter().filter_map(|parallel| self.left.get(parallel));
        let ends = barriers.iter().filter(|&&barrier| !ends_team(lens, barrier));
        // An explicit barrier is its own construct, without any code.
        let ended =
            |&barrier: &CallId| self.inclusive[owner(lens, barrier).2] - self.inclusive[barrier];
        outside.sum::<Ticks>() + ends.map(ended).sum::<Ticks>()
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use expect_test::{Expect, expect};

    /// A loop in which the threads are late in turn, in 20 visits, and `other` milliseconds of code
    /// before it on each of the two threads.
    fn check_with(other: i64, expect: Expect) {
        let text = format!(
            "wall=500 locations=2
             a/parallel@a.c:2                                   *  time={other} visits=1
             a/parallel@a.c:2/for@a.c:5 schedule(static)        *  time={} visits=20 \
             omp_loop_iterations=640 omp_loop_visits_known=20 omp_loop_iterations_min=32 \
             omp_loop_iterations_max=32
             a/parallel@a.c:2/for@a.c:5 schedule(static)/implicit barrier@a.c:9  *  time=100 \
             visits=20 omp_ibarrier_wait=100 omp_barrier_last=10",
            400 - other
        );
        check(&text, expect);
    }

    #[test]
    fn a_loop_without_other_code_gets_a_schedule() {
        check_with(
            10,
            expect![[r#"
                a.c:5 for | omp_ibarrier_wait lost=200 gain=100 (59 to 120)
                    [imbalance_changing, schedule a.c:5]
                    Different threads arrive last (thread 0 in 50 % of 20 visits), 5.0 ms after the average.
                    Set schedule(dynamic,1) for the loop a.c:5.
            "#]],
        );
    }

    #[test]
    fn other_code_may_make_threads_late_in_turn() {
        check_with(
            80,
            expect![[r#"
                a.c:5 for | omp_ibarrier_wait lost=200 gain=100 (59 to 120)
                    [imbalance_changing, none]
                    Different threads arrive last (thread 0 in 50 % of 20 visits), 5.0 ms after the average.
                    No thread is always late: another static split does not help. Do more work between barriers, or use nowait if the next code does not need the results.
            "#]],
        );
    }
}
