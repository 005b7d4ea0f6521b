//! The ranked list of problems: what was lost where, why, and what fixing it would bring.
//!
//! A detector turns severities of one kind into findings, one per construct of the source. Loss is
//! never reported twice: a detector claims the (metric, call path) pairs that it explains, and
//! later ones leave them out. Diagnoses, which explain several metrics by one cause, come first. To
//! add a detector: write a file next to this one and a line in `DETECTORS`.

mod advice;
mod atomics;
mod barriers;
mod between;
mod blocked;
mod chunks;
mod doubt;
mod forks;
mod fractions;
mod gain;
mod idle_threads;
mod imbalance;
mod late_messages;
mod late_ranks;
mod late_threads;
mod lists;
mod lock_tests;
mod lock_users;
mod locks;
mod loop_work;
mod master_in_mpi;
mod memory;
mod moved;
mod mpi;
mod mpi_calls;
mod mpi_functions;
mod mpi_words;
mod needless;
mod next_barrier;
mod next_lock;
mod one_before;
mod one_late_rank;
mod outside;
mod overheads;
mod owner;
mod paths;
mod polls;
mod roots;
mod sections;
mod sets;
mod slower;
mod small_messages;
mod starvation;
mod task_diagnoses;
pub(crate) mod task_group;
mod task_waits;
mod thread_waits;
mod thread_work;

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use pompeii_model::{CallId, Cube, IndexVec, LocationId, RegionId, Role, Ticks, short_name};

pub use advice::Advice;
pub use gain::{FromTrace, Gain};
pub(crate) use gain::{begin_and_end, is_computation};
pub use lists::{AdviceKind, Cause};
pub(crate) use memory::combined_with;
pub use paths::construct;

use self::paths::Paths;
use crate::dilation::Costs;
use crate::properties::{self, Property};
use crate::waits::Waits;
use crate::{Dispatch, Lens, Measuring, Reference, format};

/// A problem of the program: one property at one construct of the source.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What causes the loss. `None`: what was measured does not tell.
    pub cause: Option<Cause>,
    /// The property or diagnosis that names the problem.
    pub property: &'static Property,
    /// The metric whose severities show it best.
    pub metric: &'static str,
    /// The construct's region.
    pub region: RegionId,
    /// The construct in the user's words: `parallel for`, `critical (sum)`.
    pub construct: String,
    /// Function, file and line of the construct: `CalcForce lulesh.cc:782`; empty where they are
    /// unknown.
    pub place: String,
    /// The call paths that the loss lies in, the largest first.
    pub calls: Vec<CallId>,
    /// Clock ticks lost, summed over all locations.
    pub lost_ticks: Ticks,
    /// By how much the run would be shorter without the loss (see [`Property::gain`]). `None`: what
    /// was measured does not tell.
    pub gain: Option<Gain>,
    /// What the trace of the run says about the gain, if the gain comes from there.
    pub from_trace: Option<FromTrace>,
    /// Share of the CPU allocation time.
    pub share: f64,
    /// Sentences that say more, from the measured values.
    pub details: Vec<String>,
    /// What to change.
    pub advice: Advice,
    /// What the waiting goes back to by a trace of the run, the largest part first.
    pub roots: Vec<RootCause>,
    /// What the machine did that explains the loss, see [`crate::findings_on`].
    pub explained_by: Option<Cause>,
}

/// Code that waiting goes back to.
#[derive(Clone, Debug, PartialEq)]
pub struct RootCause {
    /// Its call path.
    pub call: CallId,
    /// The location that is most often late because of it.
    pub location: LocationId,
    /// The waiting at the call paths of the finding that goes back to it.
    pub ticks: Ticks,
    /// Its share of all waiting there.
    pub share: f64,
}

/// Below these shares of allocation and wall time a finding is not worth a line of the summary.
const SIGNIFICANT_SHARE: f64 = 0.01;

/// A change that brings a smaller share of the run is hardly seen, since two runs of one program
/// differ by about a percent, and may cost as much at another place.
const WORTH_SHARE: f64 = 0.03;

impl Finding {
    /// Whether a change of the program is to be advised. If the gain is not known, it is if the
    /// finding is worth a line.
    pub(crate) fn is_worth_a_change(&self, cube: &Cube) -> bool {
        let share = |gain: Gain| gain.ticks as f64 / cube.wall_ticks.max(1) as f64;
        let is_much = self.gain.is_none_or(|gain| share(gain) >= WORTH_SHARE);
        is_much && self.is_significant(cube)
    }

    /// Whether the loss or the gain is at least 1 % of the run, and the gain may be. The creation
    /// of threads, for example, is a loss that no repair shortens.
    pub fn is_significant(&self, cube: &Cube) -> bool {
        let is_much =
            |ticks: Ticks| ticks as f64 / cube.wall_ticks.max(1) as f64 >= SIGNIFICANT_SHARE;
        let gain = self.gain.is_some_and(|gain| is_much(gain.ticks));
        let hope = self.gain.is_none_or(|gain| is_much(gain.high_ticks));
        hope && (gain || self.share >= SIGNIFICANT_SHARE)
    }

    /// What the finding is ranked by, clock ticks: its gain, or where that is not known what each
    /// thread has lost on average.
    fn rank(&self, threads: usize) -> Ticks {
        self.gain.map_or(self.lost_ticks / threads.max(1) as Ticks, |gain| gain.ticks)
    }
}

/// What a detector can say something about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// Teams of several threads: a thread that is alone waits for no other at its barriers and
    /// locks, and time there is a preemption, for example.
    Teams,
    Nothing,
}

type Detector = fn(&mut Search);

const DETECTORS: &[(Detector, Needs)] = &[
    (task_diagnoses::detect, Needs::Nothing),
    (forks::detect, Needs::Teams),
    (locks::detect, Needs::Teams),
    (atomics::detect, Needs::Teams),
    (memory::detect, Needs::Teams),
    (chunks::detect, Needs::Teams),
    (needless::detect, Needs::Teams),
    (barriers::detect, Needs::Teams),
    (task_waits::detect, Needs::Teams),
    (starvation::detect, Needs::Teams),
    (thread_waits::detect, Needs::Teams),
    (mpi::detect, Needs::Nothing),
    (idle_threads::detect_serial, Needs::Nothing),
    (idle_threads::detect_limited, Needs::Nothing),
    (overheads::detect, Needs::Teams),
];

/// All problems of an analysed cube, the one with the largest possible gain first. Where a gain is
/// not known, its place is that of the loss per thread.
pub fn findings(cube: &Cube) -> Vec<Finding> {
    findings_with(cube, Known::default())
}

/// Facts about a run that its cube does not have.
#[derive(Clone, Copy, Default)]
pub(crate) struct Known<'a> {
    /// The same program on one thread, which shows memory and sharing.
    pub(crate) reference: Option<&'a Reference>,
    /// What handing out chunks costs, which shows loops with too short ones.
    pub(crate) dispatch: Option<&'a Dispatch>,
    /// How it was measured: what measuring cost is no loss of the program.
    pub(crate) measuring: Option<&'a Measuring>,
}

/// The same with all that is known.
pub(crate) fn findings_with(cube: &Cube, known: Known) -> Vec<Finding> {
    let mut search = Search::new(cube, known);
    let has_teams = cube.system.locations.len() > cube.system.processes.len();
    for (detect, needs) in DETECTORS {
        if has_teams || *needs != Needs::Teams {
            detect(&mut search);
        }
    }
    roots::follow(&mut search);
    let mut found = search.found;
    found.retain(|finding| finding.lost_ticks > 0);
    rank(cube, &mut found);
    found
}

/// Brings findings into the order of a report.
pub(crate) fn rank(cube: &Cube, found: &mut [Finding]) {
    let threads = cube.system.locations.len();
    found.sort_by_key(|f| (-f.rank(threads), -f.lost_ticks, f.region, f.property.name));
    larger_losses_first(found, |f| f.rank(threads), cube.wall_ticks);
}

/// Gains that differ by less than 1 % of the run are equal as predictions: of such findings the
/// one with the largest loss comes first.
fn larger_losses_first(found: &mut [Finding], rank: impl Fn(&Finding) -> Ticks, wall: Ticks) {
    let equal = (wall as f64 * SIGNIFICANT_SHARE) as Ticks;
    let mut rest = found;
    while let Some(first) = rest.first().map(&rank) {
        let end = rest.iter().take_while(|finding| first - rank(finding) < equal).count().max(1);
        let (alike, others) = rest.split_at_mut(end);
        // A stable sort: equal losses stay in the order of their gains.
        alike.sort_by_key(|finding| -finding.lost_ticks);
        rest = others;
    }
}

/// A search in progress.
pub(crate) struct Search<'a> {
    pub(crate) lens: Lens<'a>,
    claimed: BTreeSet<(&'static str, CallId)>,
    found: Vec<Finding>,
    paths: Paths,
    waits: Waits<'a>,
    /// Number of barriers in the source, which is how often chance may give one a wrong word.
    barriers: usize,
    /// Delays of barriers by location: in each outermost parallel region, and (`None`) in all.
    delays: HashMap<Option<CallId>, IndexVec<LocationId, i64>>,
    known: Known<'a>,
    costs: Option<Costs<'a>>,
    /// By how much the run was longer because it was measured.
    measuring_ticks: Ticks,
    /// Code that waits for memory: another schedule does not help there.
    memory_bound: BTreeSet<CallId>,
    /// Code that takes so much longer than on one thread that this may be why threads wait for each
    /// other at its end.
    slower: BTreeSet<CallId>,
}

impl<'a> Search<'a> {
    fn new(cube: &'a Cube, known: Known<'a>) -> Self {
        let lens = Lens::new(cube);
        let paths = Paths::new(&lens);
        let mut of: HashMap<Option<CallId>, Vec<CallId>> = HashMap::new();
        let all: Vec<CallId> = match lens.metric("omp_barrier_delay") {
            Some(metric) => {
                cube.calls.ids().filter(|&call| !cube.row(metric, call).is_empty()).collect()
            }
            None => Vec::new(),
        };
        for &call in &all {
            if let Some(parallel) = paths.outermost_parallel[call] {
                of.entry(Some(parallel)).or_default().push(call);
            }
        }
        of.insert(None, all);
        let costs = known.measuring.map(|measuring| Costs::new(cube, measuring));
        let delay = |(parallel, calls): (Option<CallId>, Vec<CallId>)| {
            (parallel, lens.by_location("omp_barrier_delay", &calls))
        };
        Self {
            lens,
            claimed: BTreeSet::new(),
            found: Vec::new(),
            paths,
            waits: Waits::new(lens),
            barriers: cube.regions.iter().filter(|region| is_barrier(region.role)).count(),
            delays: of.into_iter().map(delay).collect(),
            known,
            measuring_ticks: costs.as_ref().map_or(0, Costs::run_ticks),
            costs,
            memory_bound: BTreeSet::new(),
            slower: BTreeSet::new(),
        }
    }

    /// How it was measured, with usual values for what is not known.
    fn measuring(&self) -> Measuring {
        self.known.measuring.copied().unwrap_or_default()
    }

    /// The call paths, grouped by region, at which `metric` is lost and not yet explained.
    fn losses(&self, metric: &'static str) -> Vec<(RegionId, Vec<CallId>)> {
        let Lens { cube } = self.lens;
        let Some(id) = self.lens.metric(metric) else { return Vec::new() };
        let is_free = |&call: &CallId| cube.own(id, call) > 0 && !self.is_claimed(metric, call);
        grouped(cube.calls.ids().filter(is_free), |call| cube.calls.region(call))
    }

    /// Whether the severity is explained already.
    fn is_claimed(&self, metric: &'static str, call: CallId) -> bool {
        self.claimed.contains(&(metric, call))
    }

    /// Marks the severities of `metric` at `calls` as explained.
    fn claim(&mut self, metric: &'static str, calls: &[CallId]) {
        self.claimed.extend(calls.iter().map(|&call| (metric, call)));
    }

    /// Reports a finding. `site` says where, `loss` what is lost and what a repair brings.
    fn report(&mut self, name: &'static str, site: Site, loss: Loss, words: Words) {
        let Some(property) = properties::find(name) else { return };
        let advice = memory::allowed(self, words.advice, &site);
        let loss = self.without_measuring(loss, &site, name);
        let mut calls = site.calls;
        let lens = self.lens;
        calls.sort_by_cached_key(|&call| (-lens.own(site.metric, call), call));
        self.found.push(Finding {
            cause: words.cause,
            property,
            metric: site.metric,
            region: site.region,
            construct: short_name(&site.construct).into_owned(),
            place: lens.cube.regions[site.region].place(),
            calls,
            lost_ticks: loss.lost,
            gain: loss.gain.map(|gain| {
                let gain = gain.in_run(lens.cube, name, loss.lost);
                gain.without_measuring(lens.cube, name, self.measuring_ticks)
            }),
            share: lens.share(loss.lost),
            details: words.details.iter().map(|text| format::sentence(text)).collect(),
            advice,
            roots: Vec::new(),
            explained_by: None,
            from_trace: None,
        });
    }

    /// The loss that the program has when it is not measured. Waiting has no events in it, and what
    /// has several causes has been corrected already.
    fn without_measuring(&self, loss: Loss, site: &Site, name: &str) -> Loss {
        let Some(costs) = &self.costs else { return loss };
        if !has_events(site.metric) || task_diagnoses::NAMES.contains(&name) {
            return loss;
        }
        let threads = self.lens.threads_at(&site.calls) as Ticks;
        loss.without(costs.inside(&site.calls), threads, 0.0)
    }

    /// The loss of the thread that delays the others (see the gain of `omp_taskwait`).
    fn on_the_delaying_thread(&self, metric: &str, calls: &[CallId]) -> Ticks {
        let mut gain = 0.0;
        for (parallel, calls) in
            grouped(calls.iter().copied(), |call| self.paths.outermost_parallel[call])
        {
            let delay = self.delays.get(&parallel);
            let loss = self.lens.by_location(metric, &calls);
            let total: i64 = delay.map_or(0, |delay| delay.iter().sum());
            gain += match delay {
                Some(delay) if total != 0 => {
                    loss.iter().zip(delay.iter()).map(|(&l, &d)| l as f64 * d as f64).sum::<f64>()
                        / total as f64
                }
                _ => loss.iter().sum::<i64>() as f64 / self.lens.threads_at(&calls) as f64,
            };
        }
        gain.round() as Ticks
    }
}

/// Whether the time of a metric is that of whole visits, with the events in them. Locks are not
/// among them: `locks.rs` tells their events from waiting.
fn has_events(metric: &str) -> bool {
    matches!(
        metric,
        "omp_management"
            | "omp_task_creation"
            | "omp_taskwait"
            | "omp_taskgroup"
            | "omp_taskloop"
            | "omp_taskyield"
            | "omp_ibarrier"
            | "omp_ebarrier"
    )
}

fn is_barrier(role: Role) -> bool {
    matches!(role, Role::Barrier | Role::ImplicitBarrier)
}

/// Where a loss lies.
#[derive(Clone)]
struct Site {
    region: RegionId,
    construct: String,
    metric: &'static str,
    calls: Vec<CallId>,
}

/// What is lost over all locations, in clock ticks, and what the run would be shorter by.
#[derive(Clone, Copy)]
struct Loss {
    lost: Ticks,
    gain: Option<Gain>,
}

impl Loss {
    /// A loss whose gain has no reason for wide bounds.
    fn new(lost: Ticks, gain: Ticks) -> Self {
        Self { lost, gain: Some(Gain::about(gain)) }
    }

    /// Without what measuring cost these threads, over all of them. It is an estimate, so the gain
    /// is known less well.
    fn without(self, measuring: Ticks, threads: Ticks, unsure: f64) -> Self {
        let measuring = measuring.clamp(0, self.lost);
        let gain = self.gain.map(|gain| gain.without(measuring / threads.max(1), unsure));
        Self { lost: self.lost - measuring, gain }
    }

    /// A share of the loss, with its part of the gain.
    fn part(self, share: f64) -> Self {
        Self {
            lost: (self.lost as f64 * share) as Ticks,
            gain: self.gain.map(|gain| gain.part(share)),
        }
    }

    /// Both losses together. If one gain is not known, that of both is not.
    fn and(self, other: Self) -> Self {
        let gain = self.gain.zip(other.gain).map(|(one, other)| one + other);
        Self { lost: self.lost + other.lost, gain }
    }
}

/// What causes it, what was observed, and what to change.
#[derive(Clone)]
struct Words {
    cause: Option<Cause>,
    details: Vec<String>,
    advice: Advice,
}

/// The call paths (or others) of each key, in the order in which the keys come first.
fn grouped<T: Copy, K: Copy + Eq + Hash>(
    calls: impl IntoIterator<Item = T>,
    key: impl Fn(T) -> K,
) -> Vec<(K, Vec<T>)> {
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    let mut known: HashMap<K, usize> = HashMap::new();
    for call in calls {
        let key = key(call);
        let place = *known.entry(key).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(call);
    }
    groups
}

/// `for ocean.c:118 (0.4 s), write_state (0.2 s)`: the largest parts of a loss by region. Empty if
/// none has a twentieth of it.
fn largest_parts(lens: &Lens, metric: &str, calls: &[CallId], divisor: i64) -> String {
    let of_region =
        |(_, calls): (RegionId, Vec<CallId>)| (lens.sum(metric, &calls) / divisor.max(1), calls[0]);
    let regions = grouped(calls.iter().copied(), |call| lens.cube.calls.region(call));
    let mut parts: Vec<(i64, CallId)> = regions.into_iter().map(of_region).collect();
    parts.sort_by_key(|&(value, call)| (-value, call));
    let whole: i64 = parts.iter().map(|(value, _)| value).sum();
    let named: Vec<String> = parts
        .iter()
        .filter(|(value, _)| value.saturating_mul(20) >= whole)
        .take(2)
        .map(|&(value, call)| {
            let name = format::name_with_place(lens.cube, call);
            format!("{name} ({})", format::seconds(lens.seconds(value)))
        })
        .collect();
    named.join(", ")
}

/// Shows the findings in the cube that `text` describes, in milliseconds (clock 1000).
#[cfg(test)]
pub(crate) fn check(text: &str, expect: expect_test::Expect) {
    check_with_waits(text, &[], expect);
}

/// The same with waits: the end of the path of the call that waited, its location, the same of what
/// it waited for, or of what preceded a serial part that ends there, and the milliseconds.
#[cfg(test)]
pub(crate) fn check_with_waits(
    text: &str,
    waits: &[(&str, u32, &str, u32, i64)],
    expect: expect_test::Expect,
) {
    let mut cube = crate::notation::cube(text).unwrap();
    let path = |call: CallId| {
        let tree = &cube.calls;
        let above = std::iter::successors(Some(call), |&call| tree.parent(call));
        let names = above.map(|call| {
            let region = &cube.regions[tree.region(call)];
            let is_site = region.role == Role::Lock && region.begin_line > 0;
            let line = if is_site { region.source().map(|at| format!("@{at}")) } else { None };
            region.construct().to_owned() + &line.unwrap_or_default()
        });
        names.collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("/")
    };
    let find = |end: &str| cube.calls.ids().find(|&call| path(call).ends_with(end)).unwrap();
    let wait = |&(call, location, by, other, wait_ticks)| pompeii_model::Wait {
        call: find(call),
        location: LocationId(location),
        by: Some((find(by), LocationId(other))),
        visits: 9,
        wait_ticks,
        starvation_ticks: 0,
    };
    cube.waits = waits.iter().map(wait).collect();
    check_cube(&crate::derive(&cube), Known::default(), expect);
}

/// The same, compared with a run on one thread.
#[cfg(test)]
pub(crate) fn check_with_reference(text: &str, reference: &str, expect: expect_test::Expect) {
    let [cube, one] =
        [text, reference].map(|text| crate::derive(&crate::notation::cube(text).unwrap()));
    let run = |cube| crate::reference::Run { cube, not_on_cpu_ns: None };
    let reference = Reference::new(run(&cube), run(&one)).unwrap();
    check_cube(&cube, Known { reference: Some(&reference), ..Known::default() }, expect);
}

/// The same, with what handing out chunks costs.
#[cfg(test)]
pub(crate) fn check_with_dispatch(text: &str, dispatch: &Dispatch, expect: expect_test::Expect) {
    let cube = crate::derive(&crate::notation::cube(text).unwrap());
    check_cube(&cube, Known { dispatch: Some(dispatch), ..Known::default() }, expect);
}

/// The same, measured at a known cost.
#[cfg(test)]
pub(crate) fn check_measured(text: &str, measuring: Measuring, expect: expect_test::Expect) {
    let cube = crate::derive(&crate::notation::cube(text).unwrap());
    check_cube(&cube, Known { measuring: Some(&measuring), ..Known::default() }, expect);
}

#[cfg(test)]
fn check_cube(cube: &Cube, known: Known, expect: expect_test::Expect) {
    crate::check_sum(cube).unwrap();
    let mut shown = String::new();
    let found = findings_with(cube, known);
    let lens = Lens::new(cube);
    let of_waiting = found.iter().filter(|f| !gain::is_computation(f.property.name));
    let (lost, whole) = (of_waiting.map(|f| f.lost_ticks).sum::<i64>(), cube.allocation_ticks());
    assert!(lost <= whole - lens.total("comp"), "{lost} ticks: something is reported twice");
    for f in found {
        let (name, lost) = (f.property.name, f.lost_ticks);
        let gain = f.gain.map_or("?".to_owned(), |gain| {
            format!("{} ({} to {})", gain.ticks, gain.low_ticks, gain.high_ticks)
        });
        let place = if f.place.is_empty() { "?" } else { &f.place };
        shown += &format!("{place} {} | {name} lost={lost} gain={gain}\n", f.construct);
        let Advice { kind, target, .. } = &f.advice;
        let cause = f.cause.map_or("?", Cause::code);
        shown += &format!("    [{}]\n", format!("{cause}, {} {target}", kind.code()).trim_end());
        for line in f.details.iter().chain([&f.advice.sentence()]) {
            shown += &format!("    {line}\n");
        }
    }
    expect.assert_eq(&shown);
}

#[cfg(test)]
mod tests {
    use super::{check, check_measured};
    use crate::Measuring;
    use expect_test::expect;

    /// An event takes 10 us, so 5,000 visits of the critical region and its body take 122.5 ms of
    /// each thread's time there: both events of the body, and 45 % of the last event of the
    /// critical region, which lies next to the work around.
    #[test]
    fn what_measuring_cost_is_no_loss_of_the_program() {
        let text = "wall=1000 locations=2
             a/parallel@a.c:2                                      *  time=400 visits=1
             a/parallel@a.c:2/critical@a.c:5                       *  time=400 visits=5000
             a/parallel@a.c:2/critical@a.c:5/critical sblock@a.c:5  *  time=200 visits=5000";
        let measuring = Measuring { clock_ns: 9_997.5, ..Measuring::default() };
        check_measured(
            text,
            measuring,
            expect![[r#"
                a.c:5 critical | omp_critical lost=655 gain=328 (251 to 411)
                    [critical, none]
                    10,000 visits, 80 µs each, 40 µs inside.
                    One thread at a time is inside: 10,000 x 40 µs = 0.40 s of the run's 1.0 s.
                    Enter less often (private sums, reduction), or make its body shorter.
            "#]],
        );
    }

    /// Time at barriers and locks is a preemption there.
    #[test]
    fn a_thread_that_is_alone_waits_for_no_other() {
        check(
            "wall=1000 locations=1
             a                                         0  time=400
             a/parallel@a.c:2                          0  time=500 visits=50 omp_management=20
             a/parallel@a.c:2/critical@a.c:3           0  time=40 visits=50
             a/parallel@a.c:2/implicit barrier@a.c:9   0  time=60 visits=50 omp_barrier_last=50",
            expect![""],
        );
    }
}
