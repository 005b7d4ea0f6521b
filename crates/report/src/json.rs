//! The machine-readable report. Its shape is a contract: fields are added, never renamed.
//!
//! Seconds end in `_s` and are sums over all locations unless they say otherwise; lists refer to
//! each other by index (`region`, `parent`), so that deep call trees need no deep nesting.

mod findings;
mod severities;
mod waits;

use pompeii_analysis::{
    Lens, MachineCause, allocation_on, check_sum, counted_only, dilation, efficiencies,
    findings_on, task_instances,
};
use pompeii_model::{Cube, Id};
use schemars::JsonSchema;
use serde::Serialize;

use crate::dilation::sentence;
use crate::json_distributions::{JsonTasks, JsonVisitTimes, json_tasks, json_visit_times};
use crate::json_schema::{SCHEMA, cause};
use crate::limits::limits;
use crate::nothing_found::nothing_found;
use crate::processes::{JsonProcess, json_processes};
use crate::serial::JsonSerial;
use crate::visits::by_call;
use crate::{Resources, RunInfo, WhatIf, difference, gains, one_thread};

use severities::{
    JsonCallPath, JsonLocation, JsonMetric, JsonRegion, json_call_paths, json_locations,
    json_metric, json_regions,
};
use waits::{JsonWait, json_wait};

pub use findings::JsonFinding;
use findings::json_finding;
pub(crate) use severities::nonzero;

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
    /// What to know before gains are added; `null` if fewer than two significant findings have one.
    pub gains_together: Option<String>,
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

/// The report as text, indented by two blanks.
pub fn json(cube: &Cube, run: &RunInfo) -> String {
    text(&json_report(cube, run))
}

/// The same with the regions and call paths of a cube that has more of them than that of the rest,
/// after those of it.
pub fn json_trees((cube, trees): (&Cube, &Cube), run: &RunInfo) -> String {
    let report = json_report(cube, run);
    if std::ptr::eq(cube, trees) {
        return text(&report);
    }
    text(&JsonReport { regions: json_regions(trees), call_paths: json_call_paths(trees), ..report })
}

fn text(report: &JsonReport) -> String {
    // Serialising to memory fails on non-string keys only, and there are none.
    serde_json::to_string_pretty(report).unwrap_or_default() + "\n"
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
        gains_together: gains::together(cube, run, &found),
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

fn json_machine_cause(cause: &MachineCause) -> JsonMachineCause {
    JsonMachineCause { cause: cause.cause.code(), sentence: cause.sentence.clone() }
}
