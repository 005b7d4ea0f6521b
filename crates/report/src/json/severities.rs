//! The severities of the report: the metrics, and their values by region, call path and location.

use std::collections::BTreeMap;

use pompeii_analysis::properties;
use pompeii_model::{CallId, Cube, Id, IndexVec, MetricId, Paradigm, Region, RegionId, Role, Unit};
use schemars::JsonSchema;
use serde::Serialize;

/// A metric: a kind of time or count.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonMetric {
    /// A word for programs.
    pub name: String,
    /// Words for people.
    pub title: String,
    /// The metric that it is a part of: an index into `metrics`.
    pub parent: Option<usize>,
    /// `sec`, `occ` (occurrences), `bytes` or `ns` (nanoseconds).
    pub unit: &'static str,
    /// How values are combined over call paths on a location: `sum`, `maximum` or `mean`. A
    /// maximum and a mean are those of call paths that have a value.
    pub over_call_paths: &'static str,
    /// How values are then combined over locations.
    pub over_locations: &'static str,
    /// The name of the metric whose total is 100 %; `null` if that is the CPU allocation time for
    /// times, and the total of the metric's root for others.
    pub percent_of: Option<String>,
    /// Over all call paths and locations, with its children (collapsed display).
    pub total: f64,
    /// The same without its children (expanded display).
    pub exclusive: f64,
    /// The sum of ticks, counts or bytes as it was measured.
    pub raw: i64,
}

/// A region with its sums over call paths and locations.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonRegion {
    /// Its name, as other tools show it: `!$omp parallel @lulesh.cc:782`.
    pub name: String,
    /// The same for people: `parallel CalcForce lulesh.cc:782`.
    pub label: String,
    /// The function around the construct, or the one that calls the routine; empty if it is
    /// unknown.
    pub function: String,
    /// The construct's words, or `user`, `function`, `lock`, `parameter`, `artificial`.
    pub kind: String,
    /// Its source file; empty if it is unknown.
    pub file: String,
    /// Its first line; 0 if it is unknown.
    pub line: u32,
    /// Its last line; 0 if it is unknown.
    pub end_line: u32,
    /// The clauses that say how it runs, as they were written.
    pub clauses: String,
    /// The construct kept its implicit barrier: its time includes the waiting there.
    pub barrier_included: bool,
    /// It was not instrumented but sampled: it has no visits, and its time is an estimate by so
    /// many samples as its metric `samples` says.
    pub sampled: bool,
    /// How often threads entered it.
    pub visits: i64,
    /// Measured time with everything below it, without idle time; recursion counts once.
    pub time_s: f64,
    /// Measured time of the region itself.
    pub self_s: f64,
    /// Own severities that are not 0, by name of the metric: seconds, or counts.
    pub metrics: BTreeMap<String, f64>,
}

/// A call path.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonCallPath {
    /// The call path that it was entered from: an index into `call_paths`; `null` for a root.
    pub parent: Option<usize>,
    /// Its region: an index into `regions`.
    pub region: usize,
    /// How often threads entered it.
    pub visits: i64,
    /// Measured time with everything below it, without idle time.
    pub time_s: f64,
    /// Measured time of the call path itself.
    pub self_s: f64,
    /// Own severities that are not 0, by name of the metric: seconds, or counts.
    pub metrics: BTreeMap<String, f64>,
}

/// A thread with its totals.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonLocation {
    /// Its name.
    pub name: String,
    /// Name of its process.
    pub process: String,
    /// Rank of its process in MPI_COMM_WORLD.
    pub rank: u32,
    /// Name of the host.
    pub node: String,
    /// Severities that are not 0, by name of the metric: seconds, or counts.
    pub metrics: BTreeMap<String, f64>,
}

fn shown(cube: &Cube, unit: Unit, value: f64) -> f64 {
    match unit {
        Unit::Ticks => value / cube.clock.ticks_per_second(),
        _ => value / unit.parts(),
    }
}

pub(super) fn json_metric(cube: &Cube, id: MetricId) -> JsonMetric {
    let metric = &cube.metrics()[id];
    JsonMetric {
        name: metric.name.clone(),
        title: metric.title.clone(),
        parent: metric.parent.map(Id::index),
        unit: metric.unit.cube_name(),
        over_call_paths: metric.display.over_calls.as_str(),
        over_locations: metric.display.over_locations.as_str(),
        percent_of: metric.display.percent_of.clone(),
        total: shown(cube, metric.unit, cube.shown_total(id)),
        exclusive: match metric.display.is_sum() {
            true => shown(cube, metric.unit, cube.metric_exclusive_total(id) as f64),
            false => shown(cube, metric.unit, cube.shown_total(id)),
        },
        raw: cube.total(id),
    }
}

/// The construct's words for OpenMP (without the name of a critical section), else what it is.
fn kind(region: &Region) -> String {
    match region.role {
        Role::Lock => "lock".to_owned(),
        Role::Artificial => "artificial".to_owned(),
        Role::User => "user".to_owned(),
        Role::Parameter => "parameter".to_owned(),
        Role::Function if region.paradigm != Paradigm::OpenMp => "function".to_owned(),
        _ => region.construct().split(" (").next().unwrap_or_default().to_owned(),
    }
}

pub(super) fn json_regions(cube: &Cube) -> Vec<JsonRegion> {
    let mut calls: Vec<Vec<CallId>> = vec![Vec::new(); cube.regions.len()];
    for call in cube.calls.ids() {
        calls[cube.calls.region(call).index()].push(call);
    }
    let measured = cube.metric("execution");
    let inclusive = measured.map(|metric| cube.all_inclusive(metric));
    let repeated = repeated(cube);
    let outermost = |call: &CallId| !repeated[*call];
    let region = |(id, region): (RegionId, &Region)| {
        let calls = &calls[id.index()];
        let own = |metric| calls.iter().map(|&call| cube.own(metric, call)).sum::<i64>();
        let below = |sums: &IndexVec<CallId, i64>| -> i64 {
            calls.iter().copied().filter(outermost).map(|call| sums[call]).sum()
        };
        JsonRegion {
            name: region.name.clone(),
            label: region.label(),
            function: region.function().unwrap_or_default().to_owned(),
            kind: kind(region),
            file: region.file.clone(),
            line: region.begin_line,
            end_line: region.end_line,
            clauses: region.written_clauses(),
            barrier_included: region.includes_barrier(),
            sampled: region.is_sampled(),
            visits: cube.metric("visits").map_or(0, own),
            time_s: cube.clock.seconds(inclusive.as_ref().map_or(0, below)),
            self_s: cube.clock.seconds(measured.map_or(0, own)),
            metrics: nonzero(cube, |metric| match cube.display(metric).is_sum() {
                true => own(metric) as f64,
                false => cube.shown(metric, calls.iter().copied(), cube.system.locations.ids()),
            }),
        }
    };
    cube.regions.enumerated().map(region).collect()
}

/// Whether a call path's region is on the way to it already. One walk: paths may be very long.
fn repeated(cube: &Cube) -> IndexVec<CallId, bool> {
    let mut repeated: IndexVec<CallId, bool> = cube.calls.ids().map(|_| false).collect();
    let mut open = vec![0_usize; cube.regions.len()];
    let mut steps: Vec<(CallId, bool)> = Vec::new();
    steps.extend(cube.calls.roots().iter().map(|&root| (root, true)));
    while let Some((call, enters)) = steps.pop() {
        let around = &mut open[cube.calls.region(call).index()];
        if enters {
            repeated[call] = *around > 0;
            *around += 1;
            steps.push((call, false));
            steps.extend(cube.calls.children(call).iter().map(|&child| (child, true)));
        } else {
            *around -= 1;
        }
    }
    repeated
}

pub(super) fn json_call_paths(cube: &Cube) -> Vec<JsonCallPath> {
    let measured = cube.metric("execution");
    let inclusive = measured.map(|metric| cube.all_inclusive(metric));
    let visits = cube.metric("visits");
    let path = |call: CallId| JsonCallPath {
        parent: cube.calls.parent(call).map(Id::index),
        region: cube.calls.region(call).index(),
        visits: visits.map_or(0, |visits| cube.own(visits, call)),
        time_s: inclusive.as_ref().map_or(0.0, |sums| cube.clock.seconds(sums[call])),
        self_s: measured.map_or(0.0, |metric| cube.clock.seconds(cube.own(metric, call))),
        metrics: nonzero(cube, |metric| cube.shown_own(metric, call)),
    };
    cube.calls.ids().map(path).collect()
}

pub(super) fn json_locations(cube: &Cube) -> Vec<JsonLocation> {
    let location = |id| {
        let location = &cube.system.locations[id];
        let process = &cube.system.processes[location.process];
        JsonLocation {
            name: location.name.clone(),
            process: process.name.clone(),
            rank: process.rank,
            node: process.node.clone(),
            metrics: nonzero(cube, |metric| cube.shown_at(metric, &[id])),
        }
    };
    cube.system.locations.ids().map(location).collect()
}

/// The values by metric, of those that are not 0 and are sums that mean something.
pub(crate) fn nonzero(cube: &Cube, value: impl Fn(MetricId) -> f64) -> BTreeMap<String, f64> {
    let all = cube.metrics().enumerated().map(|(id, metric)| (metric, value(id)));
    all.filter(|(metric, value)| *value != 0.0 && properties::adds_up(&metric.name))
        .map(|(metric, value)| (metric.name.clone(), shown(cube, metric.unit, value)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::nonzero;

    #[test]
    fn extremes_are_not_added_up() {
        let text = "wall=100 locations=2\n\
                    main/parallel@a.c:4/for@a.c:5  *  time=50 visits=2 omp_loop_iterations=20 \
                    omp_loop_visits_known=2 omp_loop_iterations_min=9 omp_loop_iterations_max=11\n";
        let cube = pompeii_analysis::notation::cube(text).unwrap();
        let shown = nonzero(&cube, |metric| cube.shown_total(metric));
        assert_eq!(shown.get("omp_loop_iterations"), Some(&40.0), "{shown:?}");
        assert!(!shown.contains_key("omp_loop_iterations_max"), "{shown:?}");
    }
}
