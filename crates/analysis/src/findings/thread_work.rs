//! What each thread did while others waited for it: its time by region, apart from waiting for
//! other threads of POSIX.

use std::collections::HashMap;

use pompeii_model::{CallId, Id, IndexVec, LocationId, RegionId, Ticks};

use super::paths;
use crate::{Lens, format};

/// A region that has less of a thread's work is not named.
const NAMED_SHARE: f64 = 0.1;
/// Regions that are named.
const NAMED: usize = 2;

/// Time of all threads.
pub(super) struct Work {
    by_location: IndexVec<LocationId, OfThread>,
}

/// Time of a thread by the construct or function that a reader looks for.
#[derive(Clone, Default)]
struct OfThread {
    works: HashMap<RegionId, Ticks>,
    waits: HashMap<RegionId, Ticks>,
}

impl Work {
    pub(super) fn new(lens: &Lens) -> Self {
        let cube = lens.cube;
        let mut by_location: IndexVec<LocationId, OfThread> =
            cube.system.locations.iter().map(|_| OfThread::default()).collect();
        let Some(metric) = lens.metric("execution") else { return Self { by_location } };
        for call in cube.calls.ids() {
            let row = cube.row(metric, call);
            let (region, waits) = (code(lens, call), lens.region(call).waits_for_thread());
            for (at, &ticks) in row.iter().enumerate().filter(|(_, ticks)| **ticks > 0) {
                let of = &mut by_location[LocationId::from_index(at)];
                let times = if waits { &mut of.waits } else { &mut of.works };
                *times.entry(region).or_default() += ticks;
            }
        }
        Self { by_location }
    }

    /// For how long the thread has worked.
    pub(super) fn ticks(&self, at: LocationId) -> Ticks {
        self.by_location[at].works.values().sum()
    }

    /// Of several threads, the one that has worked longest, and by how much longer than the
    /// average.
    pub(super) fn imbalance(&self, threads: &[LocationId]) -> Option<(LocationId, Ticks)> {
        let sum: Ticks = threads.iter().map(|&at| self.ticks(at)).sum();
        let late = threads.iter().copied().max_by_key(|&at| (self.ticks(at), at))?;
        Some((late, self.ticks(late) - sum / threads.len() as Ticks))
    }

    /// `Thread 1 works for 0.31 s of the run's 0.50 s: sort a.c:19 (0.28 s).`
    pub(super) fn sentence(&self, lens: &Lens, at: LocationId) -> String {
        let works = format::seconds(lens.seconds(self.ticks(at)));
        let run = format::seconds(lens.seconds(lens.cube.wall_ticks));
        let parts = largest(lens, &self.by_location[at].works);
        let parts = if parts.is_empty() { parts } else { format!(": {parts}") };
        format!("{} works for {works} of the run's {run}{parts}.", lens.thread_name(at))
    }

    /// Where the thread waits for other threads itself.
    pub(super) fn own_waiting(&self, lens: &Lens, at: LocationId) -> Option<String> {
        let parts = largest(lens, &self.by_location[at].waits);
        let name = lens.thread_name(at);
        (!parts.is_empty()).then(|| format!("{name} waits for other threads in {parts}."))
    }

    /// In which code the thread works longer than its team on average.
    pub(super) fn more_than_others(
        &self,
        lens: &Lens,
        late: LocationId,
        team: &[LocationId],
    ) -> Option<String> {
        let mean = |region: RegionId| {
            let of = |&at: &LocationId| self.by_location[at].works.get(&region).unwrap_or(&0);
            team.iter().map(of).sum::<Ticks>() / team.len().max(1) as Ticks
        };
        let excess = |(&region, &ticks): (&RegionId, &Ticks)| (ticks - mean(region), region);
        let most = self.by_location[late].works.iter().map(excess).max()?;
        let (more, code) = (format::seconds(lens.seconds(most.0)), label(lens, most.1));
        let name = lens.thread_name(late);
        (most.0 > 0).then(|| format!("{name} works {more} longer than the average in {code}."))
    }
}

/// The function or construct that the time of a call path is shown as.
fn code(lens: &Lens, call: CallId) -> RegionId {
    lens.cube.calls.region(paths::construct(lens.cube, call))
}

fn label(lens: &Lens, region: RegionId) -> String {
    format::region_with_place(lens.cube, region)
}

/// `sort a.c:19 (0.28 s) and fill a.c:7 (30 ms)`.
fn largest(lens: &Lens, times: &HashMap<RegionId, Ticks>) -> String {
    let all: Ticks = times.values().sum();
    let mut parts: Vec<(Ticks, RegionId)> =
        times.iter().map(|(&region, &ticks)| (ticks, region)).collect();
    parts.sort_by_key(|&(ticks, region)| (-ticks, region));
    let is_large = |&&(ticks, _): &&(Ticks, RegionId)| ticks as f64 >= NAMED_SHARE * all as f64;
    let name = |&(ticks, region): &(Ticks, RegionId)| {
        format!("{} ({})", label(lens, region), format::seconds(lens.seconds(ticks)))
    };
    let names: Vec<String> = parts.iter().filter(is_large).take(NAMED).map(name).collect();
    names.join(" and ")
}
