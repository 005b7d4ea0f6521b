//! The machine-readable report. Its shape is a contract: fields are added, never renamed.
//!
//! Seconds end in `_s` and are sums over all locations unless they say otherwise; lists refer to
//! each other by index (`region`, `parent`), so that deep call trees need no deep nesting.

use std::collections::BTreeMap;

use pompeii_analysis::{
    Cause, Finding, Gain, Lens, MachineCause, allocation_on, check_sum, counted_only, dilation,
    efficiencies, findings_on, properties, task_instances,
};
use pompeii_model::{
    CallId, Cube, Id, IndexVec, MetricId, Paradigm, Region, RegionId, Role, Ticks, Unit, Wait,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::code_times::JsonCodeTimes;
use crate::dilation::sentence;
use crate::json_distributions::{JsonTasks, JsonVisitTimes, json_tasks, json_visit_times};
use crate::json_roots::JsonRootCause;
use crate::json_schema::{SCHEMA, advice_kind, cause, cause_or_null, gain_origin};
use crate::limits::limits;
use crate::nothing_found::nothing_found;
use crate::processes::{JsonProcess, json_processes};
use crate::serial::JsonSerial;
use crate::visits::by_call;
use crate::{Resources, RunInfo, WhatIf, difference, one_thread};

/// A whole report, as `pompeii report --json` prints it. Fields that end in `_s` are seconds, and
/// sums over all locations unless they say otherwise. Fields may be added, and are never renamed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "pompeii-report-2")]
pub struct JsonReport {
    /// Name and version of this format.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: &'static str,
    /// The version of Pompeii that made the report.
    pub version: &'static str,
    /// Name of the measured program.
    pub program: String,
    /// The command of the run; empty if it is unknown.
    pub command: String,
    /// Date and time at which the run began, in universal time; empty if it is unknown.
    pub started: String,
    /// The host of the first process; empty if it is unknown.
    pub host: String,
    /// The operation if the report is the difference of two others, for example `diff A B`,
    /// otherwise `null`. Then all times and counts are those of A minus those of B, there are no
    /// findings, and `share` is 0.
    pub difference: Option<String>,
    /// Wall time of the run.
    pub wall_s: f64,
    /// Wall time of the run in ticks of the clock used for measuring.
    pub wall_ticks: i64,
    /// Ticks of the clock in a second.
    pub ticks_per_second: f64,
    /// Number of processes.
    pub processes: usize,
    /// Number of threads of all processes.
    pub threads: usize,
    /// CPU allocation time: wall time x threads.
    pub allocation_s: f64,
    /// `null` if all sums hold, otherwise which one does not.
    pub sum_error: Option<String>,
    /// How well the threads were used; `null` for a difference.
    pub efficiencies: Option<JsonEfficiencies>,
    /// What the CPU allocation time was spent on.
    pub allocation: Vec<JsonPart>,
    /// What the machine did to the run.
    pub machine: Vec<JsonMachineCause>,
    /// Estimated share by which measuring made the run longer: 0.1 means that a second without
    /// measuring became 1.1 s. `null` if it is not known how the run was measured.
    pub dilation: Option<f64>,
    /// What the numbers do not show: what measuring cost, what was only counted, not recorded, lost
    /// or filtered.
    pub notes: Vec<String>,
    /// The problems, in the order of the summary.
    pub findings: Vec<JsonFinding>,
    /// What the summary says if no finding is significant, otherwise `null`: whether threads lost
    /// time, and whether the machine explains it.
    pub nothing_found: Option<String>,
    /// The kinds of times and counts.
    pub metrics: Vec<JsonMetric>,
    /// The parts of the source.
    pub regions: Vec<JsonRegion>,
    /// The call tree.
    pub call_paths: Vec<JsonCallPath>,
    /// The threads of all processes.
    pub locations: Vec<JsonLocation>,
    /// The processes, in the order of their locations.
    pub ranks: Vec<JsonProcess>,
    /// Constructs that were counted and not timed.
    pub counted_only: Vec<JsonCounted>,
    /// Who waited for whom.
    pub waits: Vec<JsonWait>,
    /// Times of task instances, by construct.
    pub tasks: Vec<JsonTasks>,
    /// Times of single visits, if the program ran with `run --statistics`.
    pub visit_times: Vec<JsonVisitTimes>,
    /// How long the run would take with changes; `null` without an analysis of its trace.
    pub what_if: Option<WhatIf>,
    /// What the command used besides CPU time; `null` if it is not known.
    pub resources: Option<Resources>,
    /// What the run costs more than one on one thread; `null` without such a run.
    pub serial: Option<JsonSerial>,
}

/// Efficiencies between 0 and 1; 1 means that nothing is lost. The first is the product of the next
/// five.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonEfficiencies {
    /// Useful share of the CPU allocation time.
    pub parallel: f64,
    /// Do processes wait for others?
    pub process_balance: f64,
    /// What does MPI cost?
    pub mpi_communication: f64,
    /// Do threads wait for others? Called thread balance in the summary.
    pub load_balance: f64,
    /// Do all threads have work? Called parallel share in the summary.
    pub serial_parts: f64,
    /// What do OpenMP constructs cost? Called OpenMP efficiency in the summary.
    pub openmp_overhead: f64,
    /// Average / maximum over the threads of their computation in parallel regions and tasks, over
    /// the whole run. Not a factor.
    pub thread_balance: f64,
}

/// A part of the CPU allocation time.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonPart {
    /// A word for programs.
    pub name: &'static str,
    /// Words for people.
    pub title: &'static str,
    /// CPU time.
    pub time_s: f64,
    /// Share of the CPU allocation time, between 0 and 1.
    pub share: f64,
}

/// What the machine did to the run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonMachineCause {
    /// A word of the list of causes.
    #[schemars(schema_with = "cause")]
    pub cause: &'static str,
    /// What happened, with the measured values, and what to do.
    pub sentence: String,
}

/// One problem of the run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonFinding {
    /// What causes the loss; `null` if the measurement does not tell.
    #[schemars(schema_with = "cause_or_null")]
    pub cause: Option<&'static str>,
    /// What to change.
    pub advice: JsonAdvice,
    /// The property that was lost; `pompeii explain` describes it.
    pub property: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The metric whose severities show it best.
    pub metric: &'static str,
    /// The construct: an index into `regions`.
    pub region: usize,
    /// The construct in the user's words.
    pub construct: String,
    /// Construct, function, file and line: `parallel for CalcForce lulesh.cc:782`.
    pub label: String,
    /// The function around the construct; empty if it is unknown.
    pub function: String,
    /// The source file of the construct; empty if it is unknown.
    pub file: String,
    /// Its first line; 0 if it is unknown.
    pub line: u32,
    /// CPU time lost, summed over all threads.
    pub lost_s: f64,
    /// By how much the run would be shorter without the loss, wall time; `null` if the measurement
    /// does not tell.
    pub gain_s: Option<f64>,
    /// The least gain that is expected, wall time.
    pub gain_low_s: Option<f64>,
    /// The largest gain that is expected, wall time.
    pub gain_high_s: Option<f64>,
    /// Where the gain comes from: `profile` is a prediction from what was measured, `trace` is the
    /// recorded run, played again without the loss; `null` if the gain is not known.
    #[schemars(schema_with = "gain_origin")]
    pub gain_origin: Option<&'static str>,
    /// `gain_s` is an upper bound: nothing took the place of what was removed.
    pub gain_is_upper_bound: bool,
    /// The share of a gain from the trace that depends on the order in which threads got locks in
    /// this run; `null` if the program has no locks, and for other gains.
    pub gain_lock_order_share: Option<f64>,
    /// `lost_s` as a share of the CPU allocation time, between 0 and 1.
    pub share: f64,
    /// Whether loss or gain are at least 1 % of the run, and the gain may be as large. The summary
    /// shows only such findings.
    pub significant: bool,
    /// The `cause` of an entry of `machine` that explains the loss, or `null`.
    #[schemars(schema_with = "cause_or_null")]
    pub explained_by: Option<&'static str>,
    /// What the waiting goes back to, the largest part first; empty without an analysis of a trace.
    pub root_causes: Vec<JsonRootCause>,
    /// How long each thread computes in the code for which others wait; empty if the cause is
    /// another one, and for findings that are not significant.
    pub code_times: Vec<JsonCodeTimes>,
    /// What was observed, as sentences.
    pub details: Vec<String>,
    /// The advice as a sentence.
    pub suggestion: String,
    /// Where the loss is, the largest part first: indices into `call_paths` of the report.
    pub call_paths: Vec<usize>,
}

/// What to change; the sentence `suggestion` is made from it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonAdvice {
    /// The kind of change. Its description says what `target` and `value` are.
    #[schemars(schema_with = "advice_kind")]
    pub kind: &'static str,
    /// What the advice is applied to; empty for `none`.
    pub target: String,
    /// What to set; `null` if the kind has no value.
    pub value: Option<String>,
}

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

/// A construct that was counted and not timed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonCounted {
    /// What was counted.
    pub thing: &'static str,
    /// The construct: an index into `regions`.
    pub region: usize,
    /// How often.
    pub count: i64,
}

/// Waiting of a location at a call path for another one.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonWait {
    /// Where it waited: an index into `call_paths`.
    pub call_path: usize,
    /// Who waited: an index into `locations`.
    pub location: usize,
    /// Where the other one was: an index into `call_paths`. `null` for all causes after the first
    /// few of a call path.
    pub by_call_path: Option<usize>,
    /// The other one: an index into `locations`; `null` together with `by_call_path`.
    pub by_location: Option<usize>,
    /// How often.
    pub visits: i64,
    /// Waiting time.
    pub wait_s: f64,
    /// The part of it in which no task was ready.
    pub starvation_s: f64,
}

/// The report as text, indented by two blanks.
pub fn json(cube: &Cube, run: &RunInfo) -> String {
    // Serialising to memory fails on non-string keys only, and there are none.
    serde_json::to_string_pretty(&json_report(cube, run)).unwrap_or_default() + "\n"
}

/// The report as values.
pub fn json_report(cube: &Cube, run: &RunInfo) -> JsonReport {
    let machine = &run.machine;
    let lens = Lens::new(cube);
    let is_run = cube.difference.is_none();
    let part = |part: pompeii_analysis::AllocationPart| JsonPart {
        name: part.name,
        title: part.title,
        time_s: lens.seconds(part.ticks),
        share: if is_run { lens.share(part.ticks) } else { 0.0 },
    };
    let measuring = run.measuring.as_ref();
    let found = if is_run { findings_on(cube, machine, measuring) } else { Vec::new() };
    let waits = cube.waits.iter().filter(|wait| !wait.is_serial());
    JsonReport {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        program: cube.program.clone(),
        command: run.command.clone(),
        started: run.started.clone(),
        host: run.host.clone(),
        difference: cube.difference.clone(),
        wall_s: lens.seconds(cube.wall_ticks),
        wall_ticks: cube.wall_ticks,
        ticks_per_second: cube.clock.ticks_per_second(),
        processes: cube.system.processes.len(),
        threads: cube.system.locations.len(),
        allocation_s: lens.seconds(cube.allocation_ticks()),
        sum_error: check_sum(cube).err().filter(|_| is_run).map(|error| error.to_string()),
        efficiencies: is_run.then(|| json_efficiencies(cube)),
        allocation: allocation_on(cube, machine).into_iter().map(part).collect(),
        machine: machine.causes.iter().map(json_machine_cause).collect(),
        dilation: run
            .measuring
            .filter(|_| is_run)
            .map(|measuring| dilation(cube, &measuring).share),
        notes: notes(cube, run),
        nothing_found: nothing_found(cube, run, &found),
        findings: found.iter().map(|finding| json_finding(cube, finding)).collect(),
        metrics: cube.metrics().ids().map(|id| json_metric(cube, id)).collect(),
        regions: json_regions(cube),
        call_paths: json_call_paths(cube),
        locations: json_locations(cube),
        ranks: json_processes(cube),
        counted_only: counted_only(cube)
            .into_iter()
            .map(|c| JsonCounted { thing: c.thing, region: c.region.index(), count: c.count })
            .collect(),
        tasks: task_instances(cube).iter().map(|of| json_tasks(cube, of)).collect(),
        visit_times: by_call(cube).iter().map(|of| json_visit_times(cube, of)).collect(),
        waits: waits.map(|wait| json_wait(cube, wait)).collect(),
        what_if: run.what_if.clone().filter(|_| is_run),
        resources: run.resources.filter(|_| is_run),
        serial: run.serial.as_ref().filter(|_| is_run).map(|of| JsonSerial::new(cube, of)),
    }
}

fn json_efficiencies(cube: &Cube) -> JsonEfficiencies {
    let e = efficiencies(cube);
    JsonEfficiencies {
        parallel: e.parallel,
        process_balance: e.process_balance,
        mpi_communication: e.mpi_communication,
        load_balance: e.load_balance,
        serial_parts: e.serial_parts,
        openmp_overhead: e.openmp_overhead,
        thread_balance: e.thread_balance,
    }
}

/// All that the summary says in sentences, except what the machine did.
fn notes(cube: &Cube, run: &RunInfo) -> Vec<String> {
    if let Some(operation) = &cube.difference {
        let meaning = std::iter::once(difference::meaning(operation));
        return meaning.chain(run.notes.iter().cloned()).collect();
    }
    let alone = one_thread::sentences(cube, run);
    let measuring = sentence(cube, run).filter(|(_, is_first)| alone.is_empty() || *is_first);
    let measuring = measuring.map(|(sentence, _)| sentence).into_iter();
    measuring.chain(alone).chain(limits(cube)).chain(run.notes.iter().cloned()).collect()
}

fn json_wait(cube: &Cube, wait: &Wait) -> JsonWait {
    JsonWait {
        call_path: wait.call.index(),
        location: wait.location.index(),
        by_call_path: wait.by.map(|(call, _)| call.index()),
        by_location: wait.by.map(|(_, location)| location.index()),
        visits: wait.visits,
        wait_s: cube.clock.seconds(wait.wait_ticks),
        starvation_s: cube.clock.seconds(wait.starvation_ticks),
    }
}

fn json_machine_cause(cause: &MachineCause) -> JsonMachineCause {
    JsonMachineCause { cause: cause.cause.code(), sentence: cause.sentence.clone() }
}

fn json_finding(cube: &Cube, finding: &Finding) -> JsonFinding {
    let region = &cube.regions[finding.region];
    let from_trace = finding.from_trace;
    let gain = |of: fn(Gain) -> Ticks| finding.gain.map(|gain| cube.clock.seconds(of(gain)));
    JsonFinding {
        cause: finding.cause.map(Cause::code),
        advice: JsonAdvice {
            kind: finding.advice.kind.code(),
            target: finding.advice.target.clone(),
            value: finding.advice.value.clone(),
        },
        property: finding.property.name,
        title: finding.property.title,
        metric: finding.metric,
        region: finding.region.index(),
        construct: finding.construct.clone(),
        label: format!("{} {}", finding.construct, finding.place).trim_end().to_owned(),
        function: region.function().unwrap_or_default().to_owned(),
        file: region.file.clone(),
        line: region.begin_line,
        lost_s: cube.clock.seconds(finding.lost_ticks),
        gain_s: gain(|gain| gain.ticks),
        gain_low_s: gain(|gain| gain.low_ticks),
        gain_high_s: gain(|gain| gain.high_ticks),
        gain_origin: finding.gain.map(|_| if from_trace.is_some() { "trace" } else { "profile" }),
        gain_is_upper_bound: from_trace.is_some_and(|of| of.is_bound),
        gain_lock_order_share: from_trace.and_then(|of| of.lock_order_share),
        share: finding.share,
        significant: finding.is_significant(cube),
        explained_by: finding.explained_by.map(Cause::code),
        root_causes: JsonRootCause::all(cube, finding),
        code_times: JsonCodeTimes::all(cube, finding),
        details: finding.details.clone(),
        suggestion: finding.advice.sentence(),
        call_paths: finding.calls.iter().map(|call| call.index()).collect(),
    }
}

fn shown(cube: &Cube, unit: Unit, value: i64) -> f64 {
    match unit {
        Unit::Ticks => cube.clock.seconds(value),
        _ => value as f64 / unit.parts(),
    }
}

fn json_metric(cube: &Cube, id: MetricId) -> JsonMetric {
    let metric = &cube.metrics()[id];
    JsonMetric {
        name: metric.name.clone(),
        title: metric.title.clone(),
        parent: metric.parent.map(Id::index),
        unit: metric.unit.cube_name(),
        total: shown(cube, metric.unit, cube.total(id)),
        exclusive: shown(cube, metric.unit, cube.metric_exclusive_total(id)),
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

fn json_regions(cube: &Cube) -> Vec<JsonRegion> {
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
            metrics: nonzero(cube, own),
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

fn json_call_paths(cube: &Cube) -> Vec<JsonCallPath> {
    let measured = cube.metric("execution");
    let inclusive = measured.map(|metric| cube.all_inclusive(metric));
    let visits = cube.metric("visits");
    let path = |call: CallId| JsonCallPath {
        parent: cube.calls.parent(call).map(Id::index),
        region: cube.calls.region(call).index(),
        visits: visits.map_or(0, |visits| cube.own(visits, call)),
        time_s: inclusive.as_ref().map_or(0.0, |sums| cube.clock.seconds(sums[call])),
        self_s: measured.map_or(0.0, |metric| cube.clock.seconds(cube.own(metric, call))),
        metrics: nonzero(cube, |metric| cube.own(metric, call)),
    };
    cube.calls.ids().map(path).collect()
}

fn json_locations(cube: &Cube) -> Vec<JsonLocation> {
    let location = |id| {
        let location = &cube.system.locations[id];
        let process = &cube.system.processes[location.process];
        JsonLocation {
            name: location.name.clone(),
            process: process.name.clone(),
            rank: process.rank,
            node: process.node.clone(),
            metrics: nonzero(cube, |metric| cube.total_at(metric, id)),
        }
    };
    cube.system.locations.ids().map(location).collect()
}

/// The values by metric, of those that are not 0 and are sums that mean something.
pub(crate) fn nonzero(cube: &Cube, value: impl Fn(MetricId) -> i64) -> BTreeMap<String, f64> {
    let all = cube.metrics().enumerated().map(|(id, metric)| (metric, value(id)));
    all.filter(|(metric, value)| *value != 0 && properties::adds_up(&metric.name))
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
        let shown = nonzero(&cube, |metric| cube.total(metric));
        assert_eq!(shown.get("omp_loop_iterations"), Some(&40.0), "{shown:?}");
        assert!(!shown.contains_key("omp_loop_iterations_max"), "{shown:?}");
    }
}
