//! The one severity cube: metric x call path x location -> integer. Every value that is shown
//! anywhere is a sum over a box of it.
//!
//! Severities are stored *exclusive over the call tree* (a call path's own share) and *inclusive
//! over the metric tree* (a metric contains its children): this is what detectors produce and
//! what the two display modes are made of, in O(1) per call path after one pass.

use std::collections::HashMap;

use crate::{
    CallId, CallTree, Frequency, Id, IndexVec, LocationId, Metric, MetricId, Region, RegionId,
    Root, Row, Statistics, System, TaskTimes, Ticks, VisitTimes, Wait,
};

/// Severities of a run with the three dimensions that they are spread over.
#[derive(Clone, Debug)]
pub struct Cube {
    /// The clock whose ticks the [`crate::Unit::Ticks`] metrics count.
    pub clock: Frequency,
    /// The run's duration in ticks.
    pub wall_ticks: Ticks,
    /// Name of the program.
    pub program: String,
    /// All regions.
    pub regions: IndexVec<RegionId, Region>,
    /// All call paths.
    pub calls: CallTree,
    /// Where it ran.
    pub system: System,
    /// The operation that made it, if its values are those of one report minus those of another:
    /// `diff A B`. Then they may be negative, and wall time and shares mean nothing.
    pub difference: Option<String>,
    /// Metrics that are no properties of Pompeii, each with the name of the metric that it is a
    /// part of. That one may be derived, and then this cube does not have it yet.
    pub parts: Vec<(String, String)>,
    /// Who waited for whom.
    pub waits: Vec<Wait>,
    /// What the waiting goes back to, if the values are those of a trace.
    pub roots: Vec<Root>,
    /// Statistics of the instances of properties, from a trace: for each property those of all
    /// call paths, then those of each one.
    pub statistics: Vec<Statistics>,
    /// Times of task instances, by construct and location.
    pub task_times: Vec<TaskTimes>,
    /// Times of single visits, where they were asked for.
    pub visit_times: Vec<VisitTimes>,
    metrics: IndexVec<MetricId, Metric>,
    /// The metrics by their unique names, which reports ask for at each call path.
    metrics_by_name: HashMap<String, MetricId>,
    severities: IndexVec<MetricId, Severities>,
}

/// Those of one metric.
#[derive(Clone, Debug, Default)]
struct Severities {
    /// By call path, up to the last one that has any.
    rows: IndexVec<CallId, Row>,
    /// The sums of all rows, by location; empty until the first value.
    totals: Vec<i64>,
}

impl Severities {
    /// The row of a call path, to be changed, and the totals.
    fn at(&mut self, call: CallId, width: usize) -> (&mut Row, &mut [i64]) {
        while self.rows.len() <= call.index() {
            self.rows.push(Row::default());
        }
        if self.totals.len() < width {
            self.totals.resize(width, 0);
        }
        (&mut self.rows[call], &mut self.totals)
    }
}

impl Cube {
    /// A cube without metrics over the given dimensions.
    pub fn new(
        clock: Frequency,
        wall_ticks: Ticks,
        program: &str,
        (regions, calls, system): (IndexVec<RegionId, Region>, CallTree, System),
    ) -> Self {
        Self {
            clock,
            wall_ticks,
            program: program.to_owned(),
            regions,
            calls,
            system,
            difference: None,
            parts: Vec::new(),
            waits: Vec::new(),
            roots: Vec::new(),
            statistics: Vec::new(),
            task_times: Vec::new(),
            visit_times: Vec::new(),
            metrics: IndexVec::default(),
            metrics_by_name: HashMap::new(),
            severities: IndexVec::default(),
        }
    }

    /// Adds a metric; all its severities are 0.
    pub fn add_metric(&mut self, metric: Metric) -> MetricId {
        self.severities.push(Severities::default());
        let name = metric.name.clone();
        let id = self.metrics.push(metric);
        self.metrics_by_name.entry(name).or_insert(id);
        id
    }

    /// All metrics; parents come before their children.
    pub fn metrics(&self) -> &IndexVec<MetricId, Metric> {
        &self.metrics
    }

    /// The metric with this unique name.
    pub fn metric(&self, name: &str) -> Option<MetricId> {
        self.metrics_by_name.get(name).copied()
    }

    /// Metrics that are direct parts of `metric`.
    pub fn metric_children(&self, metric: MetricId) -> impl Iterator<Item = MetricId> + '_ {
        self.metrics.enumerated().filter(move |(_, m)| m.parent == Some(metric)).map(|(id, _)| id)
    }

    /// Adds `value` to the call path's own severity. A sum that is too large, as in damaged files,
    /// becomes the largest number.
    ///
    /// # Panics
    /// Panics where `metric`, `call` or `location` is not of this cube.
    pub fn add(&mut self, metric: MetricId, call: CallId, location: LocationId, value: i64) {
        let width = self.system.locations.len();
        let (row, totals) = self.severities[metric].at(call, width);
        row.add(location, value, width);
        let total = &mut totals[location.index()];
        *total = total.saturating_add(value);
    }

    /// Sets the call path's own severities, which were all 0.
    ///
    /// # Panics
    /// Panics where `metric` is not of this cube, or the row has more values than it has locations.
    pub fn set_row(&mut self, metric: MetricId, call: CallId, row: Row) {
        if row.is_empty() {
            return;
        }
        let (place, totals) = self.severities[metric].at(call, self.system.locations.len());
        debug_assert!(place.is_empty(), "a row is set once");
        for (at, value) in row.values().iter().enumerate() {
            totals[at] = totals[at].saturating_add(*value);
        }
        *place = row;
    }

    /// The call path's own severity (exclusive over the call tree).
    pub fn get(&self, metric: MetricId, call: CallId, location: LocationId) -> i64 {
        self.severities[metric].rows.get(call).map_or(0, |row| row.get(location))
    }

    /// The call path's own severity, summed over all locations.
    pub fn own(&self, metric: MetricId, call: CallId) -> i64 {
        self.severities[metric].rows.get(call).map_or(0, Row::sum)
    }

    /// The call path's own severities by location; empty where all are 0.
    pub fn row(&self, metric: MetricId, call: CallId) -> &[i64] {
        self.severities[metric].rows.get(call).map_or(&[], Row::values)
    }

    /// The same, shared with this cube.
    pub fn shared_row(&self, metric: MetricId, call: CallId) -> Row {
        self.severities[metric].rows.get(call).cloned().unwrap_or_default()
    }

    /// Inclusive severities of all call paths, summed over all locations, in one pass.
    pub fn all_inclusive(&self, metric: MetricId) -> IndexVec<CallId, i64> {
        let mut sums: IndexVec<CallId, i64> =
            self.calls.ids().map(|call| self.own(metric, call)).collect();
        for call in self.calls.ids().rev() {
            if let Some(parent) = self.calls.parent(call) {
                sums[parent] = sums[parent].saturating_add(sums[call]);
            }
        }
        sums
    }

    /// The sum over all call paths and locations.
    pub fn total(&self, metric: MetricId) -> i64 {
        sum(&self.severities[metric].totals)
    }

    /// The sum over all call paths of one location.
    pub fn total_at(&self, metric: MetricId, location: LocationId) -> i64 {
        self.severities[metric].totals.get(location.index()).copied().unwrap_or(0)
    }

    /// The metric's own part: its total without its children's (expanded display).
    pub fn metric_exclusive_total(&self, metric: MetricId) -> i64 {
        let parts: Vec<i64> = self.metric_children(metric).map(|child| self.total(child)).collect();
        self.total(metric).saturating_sub(sum(&parts))
    }

    /// Calls `change` for each text of the definitions: names, files, clauses, descriptions. So
    /// foreign text can be escaped in one place, before a line for a terminal is made of it.
    pub fn change_texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        change(&mut self.program);
        change(&mut self.system.machine);
        self.difference.iter_mut().for_each(&mut *change);
        self.parts.iter_mut().flat_map(|(name, whole)| [name, whole]).for_each(&mut *change);
        for region in self.regions.iter_mut() {
            let texts = [&mut region.name, &mut region.file, &mut region.clauses];
            texts.into_iter().for_each(&mut *change);
        }
        for process in self.system.processes.iter_mut() {
            [&mut process.name, &mut process.node].into_iter().for_each(&mut *change);
        }
        self.system.locations.iter_mut().for_each(|location| change(&mut location.name));
        for metric in self.metrics.iter_mut() {
            let texts = [&mut metric.name, &mut metric.title, &mut metric.description];
            texts.into_iter().for_each(&mut *change);
            metric.display.percent_of.iter_mut().for_each(&mut *change);
        }
        let names = self.metrics.enumerated().map(|(id, metric)| (metric.name.clone(), id));
        // Of two with the same name, the first one counts.
        self.metrics_by_name = names.rev().collect();
    }

    /// CPU allocation time: wall time x locations, in ticks (POMP paper, section 5).
    pub fn allocation_ticks(&self) -> Ticks {
        self.wall_ticks.saturating_mul(self.system.locations.len() as i64)
    }
}

/// A sum that is too large, as in damaged traces, becomes the largest number.
fn sum(values: &[i64]) -> i64 {
    values.iter().fold(0, |sum, value| sum.saturating_add(*value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Display, Location, Process, ProcessId, Unit};

    fn cube() -> (Cube, CallId, CallId) {
        let regions = ["main", "loop"].into_iter().map(Region::artificial).collect();
        let mut calls = CallTree::default();
        let main = calls.add_root(RegionId(0));
        let body = calls.child(main, RegionId(1));
        let mut system = System::default();
        let process = Process {
            name: "Process".into(),
            rank: 0,
            node: "n".into(),
            master: LocationId(0),
            wall_ticks: 100,
        };
        system.processes.push(process);
        for name in ["Master thread", "OMP thread 1"] {
            system.locations.push(Location { name: name.into(), process: ProcessId(0) });
        }
        let clock = Frequency::new(1e9).unwrap();
        (Cube::new(clock, 100, "main", (regions, calls, system)), main, body)
    }

    #[test]
    fn sums_that_are_too_large_are_the_largest_number() {
        let (mut cube, main, body) = cube();
        cube.wall_ticks = i64::MAX;
        let time = cube.add_metric(metric("time", None));
        let part = cube.add_metric(metric("part", Some(time)));
        for call in [main, body] {
            cube.add(time, call, LocationId(0), i64::MAX / 2 + 1);
            cube.add(time, call, LocationId(1), i64::MAX / 2 + 1);
        }
        cube.set_row(part, main, Row::new(vec![i64::MIN, -1]));
        cube.set_row(part, body, Row::new(vec![i64::MIN, -1]));
        assert_eq!(cube.all_inclusive(time)[main], i64::MAX);
        assert_eq!((cube.own(time, body), cube.total(time)), (i64::MAX, i64::MAX));
        assert_eq!((cube.total(part), cube.total_at(part, LocationId(0))), (i64::MIN, i64::MIN));
        assert_eq!(cube.metric_exclusive_total(time), i64::MAX);
        assert_eq!(cube.allocation_ticks(), i64::MAX);
    }

    fn metric(name: &str, parent: Option<MetricId>) -> Metric {
        let (name, title, description) = (name.to_owned(), name.to_owned(), String::new());
        let (unit, display) = (Unit::Ticks, Display::default());
        Metric { name, title, description, unit, parent, display }
    }

    #[test]
    fn boxes_of_the_cube_add_up() {
        let (mut cube, main, body) = cube();
        let time = cube.add_metric(metric("time", None));
        let wait = cube.add_metric(metric("wait", Some(time)));
        cube.add(time, main, LocationId(0), 40);
        cube.add(time, body, LocationId(0), 60);
        cube.add(time, body, LocationId(1), 60);
        cube.add(wait, body, LocationId(1), 10);
        assert_eq!(cube.all_inclusive(time)[main], 160);
        assert_eq!(cube.own(time, body), 120);
        assert_eq!(cube.total_at(time, LocationId(1)), 60);
        assert_eq!(cube.metric_exclusive_total(time), 150);
        assert!(cube.row(wait, main).is_empty());
        assert_eq!((cube.total(time), cube.total_at(wait, LocationId(1))), (160, 10));
        assert_eq!(cube.allocation_ticks(), 200);
    }
}
