//! The barrier at which a loss before it shows again: threads that wait for each other at a lock
//! come to the next barrier one after the other, and wait there too.
//!
//! Let c_i be what thread i loses here, and W_i its waiting at a barrier of the same parallel
//! region. Without the loss, thread i arrives at the barrier by c_i earlier, so what it would wait
//! until the present end is c_i + W_i. The barrier opens earlier by the least of these sums, less
//! the least W_i, which is there for another reason. If four threads enter a critical section one
//! after the other, the first waits longest at the barrier and the last longest at the entry, and
//! all sums are equal: the barrier is a consequence, and one finding has both.

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
    alone: Parts,
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
    /// `own` less. A barrier that the loss explains is returned once.
    pub(super) fn next(
        &mut self,
        parallel: CallId,
        own: &IndexVec<LocationId, Ticks>,
    ) -> Option<Next> {
        let InRegion { teams, barriers } = self.0.get_mut(&parallel)?;
        let tried = barriers.iter().take(TRIED).map(|barrier| barrier.without(teams, own));
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
                Barrier { calls, position, waits, alone }
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
    fn without(&self, teams: &[Vec<LocationId>], own: &IndexVec<LocationId, Ticks>) -> Without {
        let (alone, both) = (self.alone, parts(teams, |at| own[at] + self.waits[at]));
        let ticks = both.least - alone.least;
        // The sums are over all visits: in single ones another thread may have been last, by as
        // much as the waiting that changes.
        let low = (ticks - alone.least).max(ticks / 2);
        let explained = (ticks * both.members - (both.sum - alone.sum)) as f64;
        Without {
            gain: Gain::between(low, ticks, ticks.max(both.mean() - alone.mean())),
            is_explained: explained >= EXPLAINED * alone.sum as f64,
        }
    }
}
