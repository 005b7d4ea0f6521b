//! What the page says next to its trees: the same as the terminal, as data for the page's script.

use pompeii_analysis::{Lens, efficiencies};
use pompeii_model::{CallId, Cube, Id, Role};
use serde::{Serialize, Serializer};

use crate::factors::factors;
use crate::json::{JsonFinding, JsonPart, json_report};
use crate::json_distributions::{JsonTasks, JsonVisitTimes};
use crate::page_calls::PageCalls;
use crate::page_waits::{PageWait, page_waits};
use crate::processes::JsonProcess;
use crate::serial::JsonSerial;
use crate::summary::{gain, lost};
use crate::{JsonReport, RunInfo, difference, dilation, one_thread, waits};

/// All of it.
#[derive(Serialize)]
pub struct PageFacts {
    program: String,
    wall_ticks: i64,
    ticks_per_second: f64,
    observed_by: String,
    command: String,
    started: String,
    host: String,
    /// What the values of a difference mean.
    difference: Option<String>,
    /// What comes first: what measuring cost if that is much, what the machine did, wrong sums.
    alerts: Vec<String>,
    notes: Vec<String>,
    /// The parallel efficiency; `null` for a difference.
    parallel: Option<f64>,
    /// Its factors by name.
    factors: Vec<(&'static str, f64)>,
    allocation: Vec<JsonPart>,
    findings: Vec<PageFinding>,
    /// What is known if no finding is significant.
    nothing_found: Option<String>,
    /// Whether gains can be added.
    gains_together: Option<String>,
    /// What a run on one thread tells.
    alone: Vec<String>,
    /// The commands that tell more then.
    next: Vec<String>,
    /// Regions that differ: name, difference of their own times in seconds, and of their visits.
    changed: Vec<(String, f64, i64)>,
    waits: Vec<PageWait>,
    /// What the shares of these are shares of.
    waits_base: String,
    /// Regions of the program, and all call paths.
    region_count: usize,
    call_count: usize,
    tasks: Vec<JsonTasks>,
    visit_times: Vec<JsonVisitTimes>,
    ranks: Vec<JsonProcess>,
    /// What the run costs more than one on one thread.
    serial: Option<JsonSerial>,
}

/// What the overview shows only when more of a list is opened; to the page, how much that is.
#[derive(Serialize)]
pub(crate) struct Later {
    #[serde(serialize_with = "count_significant")]
    findings: Vec<PageFinding>,
    #[serde(serialize_with = "count")]
    waits: Vec<PageWait>,
    #[serde(skip)]
    tasks: Vec<JsonTasks>,
    #[serde(skip)]
    visit_times: Vec<JsonVisitTimes>,
}

/// Findings and constructs with waiting that the overview shows at once, as `findings.js` and
/// `details.js` have it.
const SHOWN: usize = 5;
/// Call paths with times of visits that `details.js` has at most.
const VISIT_TIMES: usize = 50;

impl PageFacts {
    /// Takes out what the overview does not show at once.
    pub(crate) fn take_later(&mut self) -> Later {
        let shown = self.findings.iter().enumerate().filter(|(_, of)| of.finding.significant);
        let end = shown.take(SHOWN).last().map_or(0, |(at, _)| at + 1);
        Later {
            findings: self.findings.split_off(end),
            waits: self.waits.split_off(SHOWN.min(self.waits.len())),
            tasks: std::mem::take(&mut self.tasks),
            visit_times: self.visit_times.split_off(VISIT_TIMES.min(self.visit_times.len())),
        }
    }

    /// Puts it back.
    pub(crate) fn put_back(&mut self, later: Later) {
        self.findings.extend(later.findings);
        self.waits.extend(later.waits);
        self.tasks = later.tasks;
        self.visit_times.extend(later.visit_times);
    }

    /// Regions that findings name, as indices.
    pub(crate) fn regions(&self) -> impl Iterator<Item = usize> {
        let findings = self.findings.iter().map(|of| &of.finding);
        findings.flat_map(|of| {
            std::iter::once(of.region).chain(of.code_times.iter().map(|code| code.region))
        })
    }

    /// Call paths that the overview names, as indices.
    pub(crate) fn call_paths(&self) -> impl Iterator<Item = usize> {
        self.visit_times.iter().map(|of| of.call_path)
    }
}

fn count<T, S: Serializer>(of: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(of.len() as u64)
}

fn count_significant<S: Serializer>(of: &[PageFinding], serializer: S) -> Result<S::Ok, S::Error> {
    let significant = of.iter().filter(|of| of.finding.significant).count();
    serializer.serialize_u64(significant as u64)
}

/// A finding, with its numbers as the terminal has them.
#[derive(Serialize)]
struct PageFinding {
    #[serde(flatten)]
    finding: JsonFinding,
    lost: String,
    gain: String,
}

/// The facts of an analysed run.
pub fn page_facts(cube: &Cube, run: &RunInfo, calls: &PageCalls) -> PageFacts {
    let is_run = cube.difference.is_none();
    let alone = one_thread::sentences(cube, run);
    let JsonReport {
        allocation,
        findings,
        nothing_found,
        gains_together,
        mut notes,
        tasks,
        mut visit_times,
        ranks,
        resources,
        serial,
        sum_error,
        ..
    } = json_report(cube, run);
    let alerts = alerts(cube, run, sum_error);
    let meaning = cube.difference.as_deref().map(difference::meaning);
    notes.retain(|note| {
        let is_elsewhere = alerts.contains(note) || alone.contains(note);
        !is_elsewhere && meaning.as_ref() != Some(note)
    });
    notes.extend(calls.note());
    notes.extend(resources.map(|of| of.sentence()));
    let lens = Lens::new(cube);
    let waits = page_waits(&lens, &findings, calls);
    let place = |call: usize| calls.place(CallId::from_index(call));
    visit_times.iter_mut().for_each(|of| of.call_path = place(of.call_path));
    visit_times.sort_by(|a, b| b.sum_s.total_cmp(&a.sum_s));
    let next = if alone.is_empty() { Vec::new() } else { one_thread::next(run).to_vec() };
    PageFacts {
        program: cube.program.clone(),
        wall_ticks: cube.wall_ticks,
        ticks_per_second: cube.clock.ticks_per_second(),
        observed_by: run.observed_by.clone(),
        command: run.command.clone(),
        started: run.started.clone(),
        host: run.host.clone(),
        difference: meaning,
        alerts,
        notes,
        parallel: is_run.then(|| efficiencies(cube).parallel),
        factors: if is_run { factors(cube) } else { Vec::new() },
        allocation,
        nothing_found,
        gains_together,
        findings: findings.into_iter().map(|of| finding(of, place)).collect(),
        alone,
        next,
        changed: if is_run { Vec::new() } else { changed(cube) },
        waits_base: waits::base(cube),
        region_count: cube.regions.iter().filter(|of| of.role != Role::Artificial).count(),
        call_count: calls.shown().len(),
        waits,
        tasks,
        visit_times,
        ranks,
        serial,
    }
}

/// In the order of the terminal.
fn alerts(cube: &Cube, run: &RunInfo, sum_error: Option<String>) -> Vec<String> {
    if cube.difference.is_some() {
        return Vec::new();
    }
    let measuring = dilation::sentence(cube, run).filter(|(_, is_first)| *is_first);
    let machine = run.machine.causes.iter().map(|cause| cause.sentence.clone());
    let sums = sum_error.map(|error| format!("The values of this report do not add up: {error}."));
    measuring.map(|(sentence, _)| sentence).into_iter().chain(machine).chain(sums).collect()
}

fn finding(mut finding: JsonFinding, place: impl Fn(usize) -> usize) -> PageFinding {
    finding.call_paths = finding.call_paths.into_iter().map(place).collect();
    finding.call_paths.dedup();
    let gains = finding.gain_s.zip(finding.gain_low_s).zip(finding.gain_high_s);
    let gains = gains.map(|((gain, low), high)| [gain, low, high]);
    let gain = gain(gains, finding.gain_is_upper_bound);
    PageFinding { lost: lost(finding.lost_s), gain, finding }
}

fn changed(cube: &Cube) -> Vec<(String, f64, i64)> {
    let all = difference::changed(cube).into_iter();
    let named =
        all.map(|of| (cube.regions[of.region].label(), cube.clock.seconds(of.ticks), of.visits));
    named.collect()
}
