//! From the ticks of one host's clock to those of the run's: a tick is not as long on every host,
//! and sums of both would be sums of nothing. Sums must hold to the tick afterwards, too, as they
//! did before, so what is lost by rounding goes where it came from.
//!
//! Every number is rounded down by itself. Parts of something stay within it then, since what is
//! rounded down in parts is never more than the whole rounded down. Then each sum that analysis
//! compares is made what it was, rounded down: of an outermost parallel region (or of a call path
//! outside of any), where a worker may not have been for longer than its master; of task trees,
//! which are as much as the places where tasks were executed; and of the process's life.

use pompeii_model::{
    CallId, Cube, Distribution, Id, LocationId, Metric, MetricId, Moments, Role, Ticks, Unit,
};

/// How long a tick of the process is in ticks of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate(i128);

/// Binary digits behind the point: 60, so that a span comes out exact for whole decades.
const FRACTION_BITS: u32 = 60;

impl Default for Rate {
    fn default() -> Self {
        Self(1 << FRACTION_BITS)
    }
}

impl Rate {
    /// The rate of a clock for which `own` ticks are `common` ticks of the run, both together of a
    /// process's life; that of the run's own clock if the life has no length.
    pub fn new(own: u64, common: u64) -> Self {
        match i128::from(own) {
            0 => Self::default(),
            // Up, so that the life itself comes out exact.
            own => Self(((i128::from(common) << FRACTION_BITS) + own - 1) / own),
        }
    }

    /// Converts ticks of a process to ticks of the run, rounded down. Larger numbers than there are
    /// become the largest.
    pub fn ticks(self, own: Ticks) -> Ticks {
        let common = i128::from(own).saturating_mul(self.0) >> FRACTION_BITS;
        common.clamp(i128::from(Ticks::MIN), i128::from(Ticks::MAX)) as Ticks
    }

    /// The factor.
    pub fn factor(self) -> f64 {
        self.0 as f64 / (1_u64 << FRACTION_BITS) as f64
    }

    /// Converts all times of a cube but the lives of its processes.
    pub fn convert(self, own: &mut Cube) {
        if self == Self::default() {
            return;
        }
        for location in own.system.locations.ids() {
            Column::new(own, location).convert(own, self);
        }
        for wait in &mut own.waits {
            wait.wait_ticks = self.ticks(wait.wait_ticks);
            wait.starvation_ticks = self.ticks(wait.starvation_ticks);
        }
        own.task_times.iter_mut().for_each(|times| self.convert_bins(&mut times.ticks));
        own.visit_times.iter_mut().for_each(|times| self.convert_moments(&mut times.ticks));
    }

    fn convert_moments(self, of: &mut Moments) {
        if of.count > 0 {
            (of.min, of.max, of.sum) = (self.ticks(of.min), self.ticks(of.max), self.ticks(of.sum));
            of.sum_of_squares *= self.factor() * self.factor();
        }
    }

    /// Each bin goes where the middle of it does: bins are as wide as their place is high.
    fn convert_bins(self, of: &mut Distribution) {
        self.convert_moments(&mut of.moments);
        let steps = self.factor().log2().round() as isize;
        let mut moved = Vec::new();
        for (digits, &count) in of.bins.iter().enumerate().filter(|(_, count)| **count > 0) {
            let digits = digits.saturating_add_signed(steps).min(64);
            moved.resize(moved.len().max(digits + 1), 0);
            moved[digits] += count;
        }
        of.bins = moved;
    }
}

/// Whether it is the root of the task trees.
fn is_task_root(cube: &Cube, root: CallId) -> bool {
    let region = &cube.regions[cube.calls.region(root)];
    region.role == Role::Artificial && region.name == "TASKS"
}

/// A location's sums before they are rounded.
struct Column {
    location: LocationId,
    time: Option<MetricId>,
    task_time: Option<MetricId>,
    /// Where each call path of the program belongs; `None` for those of task trees.
    anchors: Vec<Option<CallId>>,
    before: Sums,
}

/// What a location's times sum to.
#[derive(Default)]
struct Sums {
    /// By call path: what was spent with it as anchor, tasks included.
    at: Vec<Ticks>,
    /// In task trees less what was executed of tasks somewhere; that of inner teams is not 0.
    only_in_trees: Ticks,
    /// In all.
    life: Ticks,
}

impl Column {
    fn new(cube: &Cube, location: LocationId) -> Self {
        let (time, task_time) = (cube.metric("time"), cube.metric("task_time"));
        let parallels = cube
            .calls
            .outermost(|call| cube.regions[cube.calls.region(call)].role == Role::Parallel);
        let in_program = |call: CallId| !is_task_root(cube, cube.calls.root(call));
        let anchor = |call: CallId| in_program(call).then(|| parallels[call].unwrap_or(call));
        let anchors = cube.calls.ids().map(anchor).collect();
        let mut column = Self { location, time, task_time, anchors, before: Sums::default() };
        column.before = column.sums(cube);
        column
    }

    fn value(&self, cube: &Cube, metric: Option<MetricId>, call: CallId) -> Ticks {
        metric.map_or(0, |metric| cube.get(metric, call, self.location))
    }

    fn sums(&self, cube: &Cube) -> Sums {
        let mut sums = Sums { at: vec![0; cube.calls.len()], ..Sums::default() };
        for call in cube.calls.ids() {
            let time = self.value(cube, self.time, call);
            let tasks = self.value(cube, self.task_time, call);
            sums.life = sums.life.saturating_add(time);
            sums.only_in_trees = sums.only_in_trees.saturating_sub(tasks);
            match self.anchors[call.index()] {
                Some(anchor) => {
                    let at = &mut sums.at[anchor.index()];
                    *at = at.saturating_add(time).saturating_add(tasks);
                }
                None => sums.only_in_trees = sums.only_in_trees.saturating_add(time),
            }
        }
        sums
    }

    fn convert(&self, cube: &mut Cube, rate: Rate) {
        let ticks = |(_, metric): &(_, &Metric)| metric.unit == Unit::Ticks;
        let times: Vec<MetricId> =
            cube.metrics().enumerated().filter(ticks).map(|(id, _)| id).collect();
        for metric in times {
            for call in cube.calls.ids() {
                let value = cube.get(metric, call, self.location);
                if value != 0 {
                    let more = rate.ticks(value).saturating_sub(value);
                    cube.add(metric, call, self.location, more);
                }
            }
        }
        let Some(time) = self.time else { return };
        self.mend_tasks(cube, time, rate);
        self.mend_anchors(cube, time, rate);
        // Whatever the master did, it did while its process lived.
        let missing = rate.ticks(self.before.life).saturating_sub(self.sums(cube).life);
        if let (true, Some(program)) = (self.is_master(cube), self.program(cube, time)) {
            cube.add(time, program, self.location, missing);
        }
    }

    fn is_master(&self, cube: &Cube) -> bool {
        cube.system.master(self.location) == self.location
    }

    /// The root of its own program, if the cube has several.
    fn program(&self, cube: &Cube, time: MetricId) -> Option<CallId> {
        let programs = || cube.calls.roots().iter().copied().filter(|&at| !is_task_root(cube, at));
        let own = programs().find(|&root| cube.get(time, root, self.location) != 0);
        own.or_else(|| programs().next())
    }

    /// What is too much or too little in task trees is so at the call path with the longest time.
    fn mend_tasks(&self, cube: &mut Cube, time: MetricId, rate: Rate) {
        let missing = rate.ticks(self.before.only_in_trees);
        let missing = missing.saturating_sub(self.sums(cube).only_in_trees);
        let in_trees = cube.calls.ids().filter(|call| self.anchors[call.index()].is_none());
        let longest = in_trees.max_by_key(|&call| cube.get(time, call, self.location));
        if let (Some(call), true) = (longest, missing != 0) {
            cube.add(time, call, self.location, missing);
        }
    }

    /// A call path outside of parallel regions is its own anchor, and has lost nothing that is not
    /// lost from a sum of two at most; a parallel region gets back what was lost below it.
    fn mend_anchors(&self, cube: &mut Cube, time: MetricId, rate: Rate) {
        let now = self.sums(cube);
        for call in cube.calls.ids() {
            let missing = rate.ticks(self.before.at[call.index()]);
            let missing = missing.saturating_sub(now.at[call.index()]);
            if missing != 0 {
                cube.add(time, call, self.location, missing);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pompeii_model::{
        CallTree, Display, Frequency, Location, Metric, Process, ProcessId, Region, RegionId,
        System,
    };

    use super::*;

    /// Program with a parallel region with a loop and a barrier in it that executes tasks, whose
    /// tree has two call paths; a master and a worker.
    fn cube() -> Cube {
        let names = ["program", "TASKS", "parallel", "loop", "barrier", "task", "critical"];
        let region = |name: &str| Region {
            role: if name == "parallel" { Role::Parallel } else { Role::Artificial },
            ..Region::artificial(name)
        };
        let mut calls = CallTree::default();
        let program = calls.add_root(RegionId(0));
        let parallel = calls.child(program, RegionId(2));
        calls.child(parallel, RegionId(3));
        let barrier = calls.child(parallel, RegionId(4));
        calls.child(barrier, RegionId(5));
        let tasks = calls.add_root(RegionId(1));
        let task = calls.child(tasks, RegionId(5));
        calls.child(task, RegionId(6));
        let mut system = System::default();
        let (name, node, master) = (String::new(), String::new(), LocationId(0));
        system.processes.push(Process { name, rank: 0, node, master, wall_ticks: 0 });
        for name in ["Master thread", "OMP thread 1"] {
            system.locations.push(Location { name: name.to_owned(), process: ProcessId(0) });
        }
        let regions = names.into_iter().map(region).collect();
        let clock = Frequency::new(1e9).unwrap();
        let mut cube = Cube::new(clock, 0, "", (regions, calls, system));
        for (name, unit) in [
            ("time", Unit::Ticks),
            ("visits", Unit::Count),
            ("omp_ibarrier_wait", Unit::Ticks),
            ("task_time", Unit::Ticks),
        ] {
            let (name, title, description) = (name.to_owned(), String::new(), String::new());
            let display = Display::default();
            cube.add_metric(Metric { name, title, description, unit, parent: None, display });
        }
        cube
    }

    /// Times of program, region, loop, barrier, and of the task tree's two call paths; what the
    /// barrier has executed is what the tree has.
    fn fill(cube: &mut Cube, location: u32, times: [Ticks; 6]) {
        let (time, wait, task_time) = (MetricId(0), MetricId(2), MetricId(3));
        let location = LocationId(location);
        for (call, ticks) in [0, 1, 2, 3, 6, 7].into_iter().zip(times) {
            cube.add(time, CallId(call), location, ticks);
            cube.add(MetricId(1), CallId(call), location, 3);
        }
        cube.add(wait, CallId(3), location, times[3]);
        cube.add(task_time, CallId(4), location, times[4] + times[5]);
    }

    fn inside(cube: &Cube, location: u32) -> Ticks {
        let location = LocationId(location);
        let of = |metric, call| cube.get(MetricId(metric), CallId(call), location);
        (1..5).map(|call| of(0, call) + of(3, call)).sum()
    }

    /// All that analysis compares, for many odd numbers.
    #[test]
    fn sums_hold_to_the_tick_at_any_rate() {
        for seed in 1..500_u64 {
            let number = |index: u64| (seed * 7919 * (index + 3) % 1009).cast_signed();
            let mut of_master = [0, 1, 2, 3, 4, 5].map(number);
            let of_worker =
                [0, 6, 7, 8, 9, 10].map(|index| if index == 0 { 0 } else { number(index) });
            // The master is in the region for at least as long as its worker.
            of_master[1] += of_worker.iter().sum::<Ticks>();
            let mut cube = cube();
            fill(&mut cube, 0, of_master);
            fill(&mut cube, 1, of_worker);
            let life: Ticks = of_master.iter().sum();
            let common = (life.unsigned_abs() * (500 + seed)) / 750;
            let rate = Rate::new(life.unsigned_abs(), common);
            rate.convert(&mut cube);
            let total = |location| cube.total_at(MetricId(0), LocationId(location));
            assert_eq!(total(0), common.cast_signed());
            assert!(inside(&cube, 1) <= inside(&cube, 0), "{seed}");
            assert_eq!(cube.get(MetricId(1), CallId(2), LocationId(0)), 3);
            for location in [LocationId(0), LocationId(1)] {
                let of = |metric, call| cube.get(MetricId(metric), CallId(call), location);
                assert_eq!(of(0, 6) + of(0, 7), of(3, 4), "{seed}");
                assert!(of(2, 3) <= of(0, 3));
                assert!(cube.calls.ids().all(|call| cube.get(MetricId(0), call, location) >= 0));
            }
        }
    }

    #[test]
    fn a_life_comes_out_exact_and_parts_are_never_more_than_it() {
        let rate = Rate::new(2_700_000_001, 2_400_000_007);
        assert_eq!(rate.ticks(2_700_000_001), 2_400_000_007);
        assert!(rate.ticks(1_300_000_000) + rate.ticks(1_400_000_001) <= 2_400_000_007);
        assert_eq!((rate.ticks(0), rate.ticks(1), rate.ticks(-1)), (0, 0, -1));
        assert_eq!(Rate::new(0, 7).ticks(5), 5);
        assert_eq!(Rate::new(9, 9), Rate::default());
    }
}
