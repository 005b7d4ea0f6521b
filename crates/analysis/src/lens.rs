//! An analysed cube with its metrics by name: what findings and reports look at it through.

use pompeii_model::{
    CallId, Cube, Id, IndexVec, LocationId, MetricId, Paradigm, Region, RegionId, Role, Ticks,
};

use crate::profile::{in_task_tree, is_task_root, outermost_parallels};

/// With fewer samples, the standard deviation of their number is more than 18 % of it.
pub const MANY_SAMPLES: i64 = 30;

/// A view of an analysed cube. A metric that the cube does not have is 0 everywhere.
#[derive(Clone, Copy)]
pub struct Lens<'a> {
    /// The analysed cube.
    pub cube: &'a Cube,
}

impl<'a> Lens<'a> {
    /// Looks at `cube`, which [`crate::derive`] has made.
    pub fn new(cube: &'a Cube) -> Self {
        Self { cube }
    }

    pub(crate) fn metric(&self, name: &str) -> Option<MetricId> {
        self.cube.metric(name)
    }

    /// Sum of the metric over all call paths and locations.
    pub fn total(&self, name: &str) -> i64 {
        self.metric(name).map_or(0, |metric| self.cube.total(metric))
    }

    /// Sum of the call path's own severity over all locations.
    pub fn own(&self, name: &str, call: CallId) -> i64 {
        self.metric(name).map_or(0, |metric| self.cube.own(metric, call))
    }

    /// For how long locks and mutexes were held that were acquired at these call paths, in ticks.
    pub(crate) fn held(&self, calls: &[CallId]) -> i64 {
        self.sum("omp_lock_held", calls) + self.sum("pthread_lock_held", calls)
    }

    /// Sum of the call paths' own severities over all locations.
    pub fn sum(&self, name: &str, calls: &[CallId]) -> i64 {
        // Times fit (`derive.rs`); counts of damaged files may not.
        calls.iter().map(|&call| self.own(name, call)).fold(0, i64::saturating_add)
    }

    /// Severities of the call paths by location.
    pub fn by_location(&self, name: &str, calls: &[CallId]) -> IndexVec<LocationId, i64> {
        let mut sums: IndexVec<LocationId, i64> =
            self.cube.system.locations.iter().map(|_| 0).collect();
        let Some(metric) = self.metric(name) else { return sums };
        for &call in calls {
            for (at, value) in self.cube.row(metric, call).iter().enumerate() {
                let sum = &mut sums[LocationId::from_index(at)];
                *sum = sum.saturating_add(*value);
            }
        }
        sums
    }

    /// The call paths that end in each region, ascending.
    pub fn calls_by_region(&self) -> IndexVec<RegionId, Vec<CallId>> {
        let mut found: IndexVec<RegionId, Vec<CallId>> =
            self.cube.regions.iter().map(|_| Vec::new()).collect();
        for call in self.cube.calls.ids() {
            found[self.cube.calls.region(call)].push(call);
        }
        found
    }

    /// The region that the call path ends in.
    pub fn region(&self, call: CallId) -> &'a Region {
        &self.cube.regions[self.cube.calls.region(call)]
    }

    /// The role of the region that the call path ends in.
    pub fn role(&self, call: CallId) -> Role {
        self.region(call).role
    }

    /// Time of which nothing is known, because recording was off: of the threads that had it off,
    /// and idle time beside them, since parallel regions in it are not seen.
    pub fn off_ticks(&self) -> (Ticks, Ticks) {
        let off = self.off_calls();
        (self.sum("recording_off", &off), self.sum("omp_idle_threads", &off))
    }

    /// Both together, by location.
    pub fn off_by_location(&self) -> IndexVec<LocationId, Ticks> {
        let off = self.off_calls();
        let mut sums = self.by_location("recording_off", &off);
        for (at, &ticks) in self.by_location("omp_idle_threads", &off).enumerated() {
            sums[at] += ticks;
        }
        sums
    }

    fn off_calls(&self) -> Vec<CallId> {
        let calls = self.cube.calls.ids();
        calls.filter(|&call| self.region(call).is_measurement_off()).collect()
    }

    /// Whether the call path is worksharing at whose end threads wait for each other.
    pub(crate) fn ends_with_barrier(&self, call: CallId) -> bool {
        let is_shared =
            matches!(self.role(call), Role::Loop | Role::Sections | Role::Workshare | Role::Single);
        let mut below = self.cube.calls.children(call).iter();
        is_shared && below.any(|&child| self.role(child) == Role::ImplicitBarrier)
    }

    /// Whether the call path is a barrier that only the instrumented program has: a combined
    /// construct, whose halves begin on one line, gets one at the end of its inner half. A program
    /// that was not instrumented has no barrier but its own.
    pub fn is_added_barrier(&self, call: CallId) -> bool {
        let calls = &self.cube.calls;
        let Some(inner) = calls.parent(call) else { return false };
        let Some(outer) = calls.parent(inner) else { return false };
        let (a, b) = (self.region(inner), self.region(outer));
        self.role(call) == Role::ImplicitBarrier
            && matches!(a.role, Role::Loop | Role::Sections | Role::Workshare)
            && b.role == Role::Parallel
            && a.begin() == b.begin()
            && !b.is_seen_by_libgomp()
            && !b.is_seen_by_ompt()
    }

    /// What such a barrier took, without what threads would have waited at the join, by location.
    pub(crate) fn added_barrier(&self, call: CallId) -> impl Iterator<Item = Ticks> + use<'a> {
        let row = |name| self.metric(name).map_or(&[][..], |metric| self.cube.row(metric, call));
        let waits = ["omp_ibarrier_wait", "omp_ibarrier_starvation"].map(row);
        let times = row("execution");
        (0..self.threads()).map(move |at| {
            let of = |row: &[i64]| row.get(at).copied().unwrap_or(0);
            (of(times) - waits.iter().map(|row| of(row)).sum::<i64>()).max(0)
        })
    }

    /// Whether the call path lies in a task tree.
    pub fn in_task_tree(&self, call: CallId) -> bool {
        in_task_tree(self.cube, call)
    }

    /// Whether the call path is a stub: it stands for tasks that were executed at its parent.
    pub fn is_stub(&self, call: CallId) -> bool {
        self.role(call) == Role::Task && !self.is_task_tree(call)
    }

    /// Whether the call path is a task construct's own tree, directly below `TASKS`.
    pub fn is_task_tree(&self, call: CallId) -> bool {
        self.cube.calls.parent(call).is_some_and(|parent| is_task_root(self.cube, parent))
    }

    /// For each call path the outermost parallel region around it (or itself), if it is in one.
    pub fn outermost_parallels(&self) -> IndexVec<CallId, Option<CallId>> {
        outermost_parallels(self.cube)
    }

    /// What MPI takes, by location: time in it, idle threads while their master is in it, and time
    /// in which the process was not there.
    pub fn in_mpi(&self) -> IndexVec<LocationId, Ticks> {
        let mut sums = self.idle_in_mpi();
        for metric in ["mpi", "process_absent"].into_iter().filter_map(|name| self.metric(name)) {
            for at in self.cube.system.locations.ids() {
                sums[at] += self.cube.total_at(metric, at);
            }
        }
        sums
    }

    /// Idle time while the location's master is in MPI, by location.
    pub fn idle_in_mpi(&self) -> IndexVec<LocationId, Ticks> {
        let mpi = |&call: &CallId| self.region(call).paradigm == Paradigm::Mpi;
        let calls: Vec<CallId> = self.cube.calls.ids().filter(mpi).collect();
        self.by_location("omp_idle_threads", &calls)
    }

    /// The locations that entered any of the call paths, by process; all where visits are unknown.
    pub(crate) fn teams_at(&self, calls: &[CallId]) -> Vec<Vec<LocationId>> {
        let visits = self.by_location("visits", calls);
        let is_known = visits.iter().any(|&visits| visits > 0);
        let teams = self.cube.system.locations_by_process().into_iter();
        let here = |team: Vec<LocationId>| -> Vec<LocationId> {
            team.into_iter().filter(|&at| !is_known || visits[at] > 0).collect()
        };
        teams.map(here).filter(|team| !team.is_empty()).collect()
    }

    /// Number of locations that entered any of the call paths; all where visits are unknown.
    pub(crate) fn threads_at(&self, calls: &[CallId]) -> usize {
        let visits = self.by_location("visits", calls);
        match visits.iter().filter(|&&visits| visits > 0).count() {
            0 => self.threads(),
            threads => threads,
        }
    }

    /// Number of locations.
    pub fn threads(&self) -> usize {
        self.cube.system.locations.len()
    }

    /// Seconds of a span of clock ticks.
    pub fn seconds(&self, ticks: Ticks) -> f64 {
        self.cube.clock.seconds(ticks)
    }

    /// Share of the CPU allocation time; 0 for an empty run.
    pub fn share(&self, ticks: Ticks) -> f64 {
        let whole = self.cube.allocation_ticks();
        if whole == 0 { 0.0 } else { ticks as f64 / whole as f64 }
    }

    /// The location in the user's words: `thread 3`, with several processes `rank 1 thread 3`.
    pub fn thread_name(&self, location: LocationId) -> String {
        self.cube.system.thread_name(location)
    }
}
