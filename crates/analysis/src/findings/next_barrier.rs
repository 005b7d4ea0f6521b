//! The barrier at which a loss before it shows again: threads that wait for each other at a lock
//! come to the next barrier one after the other, and wait there too.
//!
//! Let c_i be what thread i loses here, and W_i its waiting at a barrier of the same parallel
//! region. Without the loss, thread i arrives at the barrier by c_i earlier, so what it would wait
//! until the present end is c_i + W_i. The barrier opens earlier by the least of these sums, less
//! the least W_i, which is there for another reason. If four threads enter a critical section one
//! after the other, the first waits longest at the barrier and the last longest at the entry, and
//! all sums are equal: the barrier is a consequence, and one finding has both.
//!
//! If the order of the threads changes from visit to visit, the least W_i hides this. But a thread
//! that has waited at the entry for another one comes to the barrier later by as much, and the
//! other one waits there for it. With k entries between two barriers, the last of them decides.
//! Therefore up to (sum of c_i) / k of the waiting that changes follows from the loss, too.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

use pompeii_model::{CallId, IndexVec, LocationId, RegionId, Ticks};

use super::imbalance::Parts;
use super::{Gain, Search, grouped};
use crate::Lens;

/// The barrier belongs to the lock if so much of its waiting follows from it.
const EXPLAINED: f64 = 0.5;

/// For each lock only the barriers with most waiting are tried: with all of them, a parallel region
/// with many locks and barriers would be the work of their product.
const TRIED: usize = 64;

/// Metrics of waiting at a barrier.
pub(super) const WAITING: [&str; 2] = ["omp_ibarrier_wait", "omp_ebarrier_wait"];

/// Barriers whose waiting no finding has explained yet, by outermost parallel region.
pub(super) struct Barriers(HashMap<CallId, InRegion>);

struct InRegion {
    teams: Vec<Vec<LocationId>>,
    /// The one with most waiting first.
    barriers: VecDeque<Barrier>,
}

/// The barriers of one region of the source.
struct Barrier {
    calls: Vec<CallId>,
    /// Place among those of the parallel region.
    position: usize,
    waits: IndexVec<LocationId, Ticks>,
    visits: i64,
    alone: Parts,
}

/// What threads lose before a barrier.
struct Own<'a> {
    by_location: &'a IndexVec<LocationId, Ticks>,
    /// Number of visits, of all threads, with this loss.
    entries: i64,
}

/// A barrier that opens earlier without the loss.
pub(super) struct Next {
    pub(super) gain: Gain,
    /// Its waiting and call paths, if the waiting follows from the loss.
    pub(super) explained: Option<(Ticks, Vec<CallId>)>,
}

impl Barriers {
    pub(super) fn new(search: &Search) -> Self {
        let lens = &search.lens;
        let is_free = |call: &CallId| {
            let mut waits = WAITING.iter().filter(|metric| lens.own(metric, *call) > 0).peekable();
            waits.peek().is_some() && waits.all(|metric| !search.is_claimed(metric, *call))
        };
        let free = search.paths.barriers.iter().copied().filter(is_free);
        let by_parallel = grouped(free, |call| search.paths.outermost_parallel[call]).into_iter();
        let known = |(parallel, calls): (Option<CallId>, Vec<CallId>)| {
            Some((parallel?, InRegion::new(lens, parallel?, calls)))
        };
        Self(by_parallel.filter_map(known).collect())
    }

    /// The barrier of the parallel region that would open earlier by the most, if each thread lost
    /// `own` less in `entries` visits of all threads. A barrier that the loss explains is returned
    /// once.
    pub(super) fn next(
        &mut self,
        parallel: CallId,
        own: &IndexVec<LocationId, Ticks>,
        entries: i64,
    ) -> Option<Next> {
        let InRegion { teams, barriers } = self.0.get_mut(&parallel)?;
        let lost = Own { by_location: own, entries };
        let tried = barriers.iter().take(TRIED).map(|barrier| barrier.without(teams, &lost));
        let (at, next) = tried
            .enumerate()
            .max_by_key(|&(at, Without { gain, .. })| (gain.ticks, barriers[at].position))?;
        let explained = next.is_explained.then(|| barriers.remove(at)).flatten();
        let explained = explained.map(|barrier| (barrier.alone.sum, barrier.calls));
        Some(Next { gain: next.gain, explained })
    }
}

impl InRegion {
    fn new(lens: &Lens, parallel: CallId, calls: Vec<CallId>) -> Self {
        let teams = lens.teams_at(&[parallel]);
        let groups = grouped(calls, |call| lens.cube.calls.region(call)).into_iter().enumerate();
        let mut barriers: Vec<Barrier> = groups
            .map(|(position, (_, calls)): (usize, (RegionId, Vec<CallId>))| {
                let [mut waits, explicit] = WAITING.map(|metric| lens.by_location(metric, &calls));
                waits.iter_mut().zip(explicit.iter()).for_each(|(sum, more)| *sum += more);
                let alone = parts(&teams, |at| waits[at]);
                let visits = lens.sum("visits", &calls);
                Barrier { calls, position, waits, visits, alone }
            })
            .collect();
        barriers.sort_by_key(|barrier| Reverse(barrier.alone.sum));
        Self { teams, barriers: barriers.into() }
    }
}

fn parts(teams: &[Vec<LocationId>], of: impl Fn(LocationId) -> Ticks) -> Parts {
    Parts::of_teams(teams.iter().map(|team| team.iter().map(|&at| of(at)).collect()))
}

/// A barrier without a loss before it.
struct Without {
    gain: Gain,
    is_explained: bool,
}

impl Barrier {
    fn without(&self, teams: &[Vec<LocationId>], own: &Own) -> Without {
        let (alone, both) = (self.alone, parts(teams, |at| own.by_location[at] + self.waits[at]));
        let follows = self.changing_with(own, both.sum - alone.sum, alone.members);
        let ticks = both.least - alone.least + follows;
        // The sums are over all visits: in single ones another thread may have been last, by as
        // much as the waiting that changes for another reason.
        let low = (ticks - (alone.least - follows)).max(ticks / 2);
        let explained = (ticks * both.members - (both.sum - alone.sum)) as f64;
        Without {
            gain: Gain::between(low, ticks, ticks.max(both.mean() - alone.mean())),
            is_explained: explained >= EXPLAINED * alone.sum as f64,
        }
    }

    /// The part of the least waiting that follows from the loss because the order of the threads
    /// changes.
    fn changing_with(&self, own: &Own, lost: Ticks, members: i64) -> Ticks {
        let often = (own.entries as f64 / self.visits.max(1) as f64).max(1.0);
        let each = lost as f64 / members.max(1) as f64 / often;
        self.alone.least.min(each as Ticks)
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use expect_test::{Expect, expect};

    /// Two threads enter a critical section `entries` times before each of 20 barriers, in another
    /// order each time: each waits for 50 ms at the section and for as long at the barrier.
    fn check_order(entries: i64, expect: Expect) {
        let visits = 20 * entries;
        check(
            &format!(
                "wall=300 locations=2
                 a/parallel@a.c:2                         *  time=100 visits=1
                 a/parallel@a.c:2/critical@a.c:5          *  time=50 visits={visits} \
                 omp_lock_contention_critical=50
                 a/parallel@a.c:2/critical@a.c:5/critical sblock@a.c:5  *  time=100 visits={visits}
                 a/parallel@a.c:2/barrier@a.c:9           *  time=50 visits=20 \
                 omp_ebarrier_wait=50 omp_barrier_last=10"
            ),
            expect,
        );
    }

    #[test]
    fn waiting_that_changes_with_the_order_at_the_section_is_a_consequence() {
        check_order(
            1,
            expect![[r#"
                a.c:5 critical | omp_lock_contention_critical lost=200 gain=100 (82 to 118)
                    [critical, none]
                    40 visits: 2.5 ms waiting for another thread, 5.0 ms inside.
                    One thread at a time is inside: 40 x 5.0 ms = 0.20 s of the run's 0.30 s.
                    Enter less often (private sums, reduction), or make its body shorter.
            "#]],
        );
    }

    #[test]
    fn of_many_entries_the_last_one_decides() {
        check_order(
            50,
            expect![[r#"
                a.c:5 critical | omp_lock_contention_critical lost=100 gain=51 (30 to 61)
                    [critical, none]
                    2,000 visits: 50 µs waiting for another thread, 100 µs inside.
                    One thread at a time is inside: 2,000 x 100 µs = 0.20 s of the run's 0.30 s.
                    Enter less often (private sums, reduction), or make its body shorter.
                a.c:9 barrier | omp_ebarrier_wait lost=100 gain=50 (29 to 59)
                    [imbalance_changing, none]
                    Different threads arrive last (thread 0 in 50 % of 20 visits), 2.5 ms after the average.
                    No thread is always late: remove the barrier if nothing needs it, or do more work between barriers.
            "#]],
        );
    }
}
