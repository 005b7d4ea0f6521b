//! Findings of a report as changes of the recorded run: what it would be without one of them. Not
//! every repair can be played: who executes which task would change, for example.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, bail};
use pompeii_analysis::format::counted;
use pompeii_analysis::{Cause, Finding, Removed};
use pompeii_model::{CallId, Cube, LocationId, RegionId, Role, Ticks};
use pompeii_replay::scenario::{Scaled, Scenario, UNIT};
use pompeii_report::{Change, RemovedFinding, WhatIf};

use super::changes::{Costs, Named};
use crate::analyzed_trace::removed;
use crate::commands::report;
use crate::experiment::{self, Damaged, Experiment};
use crate::foreign;
use crate::terminal::shown;

/// The findings of an experiment, in the order of its report.
pub struct Report {
    cube: Cube,
    findings: Vec<Finding>,
}

/// A finding that has at least this share of the time at its call paths has all of it: the rest is
/// time that the calls need themselves.
const MOST: f64 = 0.75;

/// What people read of a finding.
fn label(finding: &Finding) -> String {
    let Finding { property, construct, place, .. } = finding;
    format!("{}: {construct} {place}", property.title).trim_end().to_owned()
}

/// What people read of the change that removes a finding.
fn name(number: usize, finding: &Finding) -> String {
    format!("--remove {number} ({})", label(finding))
}

/// The folder of the experiment in which a trace is.
pub fn experiment_of(anchor: &Path) -> Option<&Path> {
    let folder = match anchor.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    foreign::is_experiment(folder).then_some(folder)
}

/// What a repair does to the recorded run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repair {
    /// All who come to the barriers arrive at the mean of their times.
    Even,
    /// Those who wait for the code that the finding names take an even part of it.
    Shared,
    /// No thread waits.
    Free,
    /// The code takes less time: these ticks of the profile less, on all threads together.
    Less(Ticks),
}

impl Report {
    /// What the repair of a finding does; `None` if it cannot be played.
    fn repair(&self, costs: &Costs<'_>, finding: &Finding) -> Option<Repair> {
        if !is_played(finding) || self.has_sections(finding) {
            return None;
        }
        let is_alone = self.is_alone(finding);
        match finding.cause? {
            Cause::ImbalanceSteady | Cause::SingleMaster | Cause::RankImbalanceSteady => {
                let is_even = is_alone && self.is_meeting(costs, finding);
                let names_code = || self.names_code(finding).then_some(Repair::Shared);
                if is_even { Some(Repair::Even) } else { names_code() }
            }
            Cause::ImbalanceChanging | Cause::RankImbalanceChanging => {
                (is_alone && self.is_meeting(costs, finding)).then_some(Repair::Even)
            }
            Cause::NeedlessBarrier
            | Cause::NowaitPossible
            | Cause::Critical
            | Cause::Lock
            | Cause::Ordered
            | Cause::LateSender
            | Cause::LateReceiver => is_alone.then_some(Repair::Free),
            // All threads of a process share the work of one: `threads - 1` of them were idle.
            Cause::SerialPart => {
                let processes = self.cube.system.processes.len().max(1);
                let threads = (self.cube.system.locations.len() / processes).max(1) as Ticks;
                Some(Repair::Less(finding.lost_ticks / threads))
            }
            Cause::ShortChunks | Cause::MemoryOrSharing => Some(Repair::Less(finding.lost_ticks)),
            _ => None,
        }
    }

    /// Whether the time at the call paths of a finding is lost because of it alone. Without waiting
    /// there, no thread would wait for the code of other findings either.
    fn is_alone(&self, finding: &Finding) -> bool {
        let shares = |of: &&Finding| {
            of.metric == finding.metric && of.calls.iter().any(|call| finding.calls.contains(call))
        };
        let metric = self.cube.metric(finding.metric);
        let ticks = |call: &CallId| metric.map_or(0, |metric| self.cube.own(metric, *call));
        let all: Ticks = finding.calls.iter().map(ticks).sum();
        let is_most = finding.lost_ticks as f64 >= MOST * all as f64;
        is_most && self.findings.iter().filter(shares).count() <= 1
    }

    /// Whether the loss lies only where all wait for the last one.
    fn is_meeting(&self, costs: &Costs<'_>, finding: &Finding) -> bool {
        let regions = self.regions(costs, finding);
        !regions.is_empty() && regions.into_iter().all(|region| costs.is_meeting(region))
    }

    /// Whether the finding names code for which others wait elsewhere.
    fn names_code(&self, finding: &Finding) -> bool {
        finding.calls.iter().all(|call| self.cube.calls.region(*call) != finding.region)
    }

    /// Whether the loss lies at sections: it depends on their number what an even spread brings.
    fn has_sections(&self, finding: &Finding) -> bool {
        let Cube { calls, regions, .. } = &self.cube;
        let is_section = |call: &CallId| {
            matches!(regions[calls.region(*call)].role, Role::Sections | Role::Section)
        };
        let near = |call: &CallId| {
            let siblings = calls.parent(*call).into_iter().flat_map(|it| calls.children(it));
            calls.children(*call).iter().chain(siblings).any(is_section) || is_section(call)
        };
        finding.calls.iter().any(near)
    }
}

/// Whether the trace is played with the dependences that the finding is about. Threads without
/// tasks wait until others execute them; who tests a lock again and again computes meanwhile; and
/// calls of POSIX threads take the recorded time.
fn is_played(finding: &Finding) -> bool {
    let metric = finding.metric;
    let is_posix = metric.starts_with("pthread_");
    !(metric.ends_with("_starvation") || metric == "omp_lock_tested" || is_posix)
}

impl Report {
    /// The report of the experiment in which a trace is.
    ///
    /// # Errors
    /// It is in none, or the report cannot be read.
    pub fn open(anchor: &Path) -> Result<Report> {
        let Some(folder) = experiment_of(anchor) else {
            bail!(
                "{}: the archive is not in an experiment of Pompeii or Score-P, so it has no \
                 findings with numbers; name a region",
                shown(anchor)
            );
        };
        Ok(Report::of(experiment::open(folder, Damaged::default())?))
    }

    /// The report of an experiment.
    pub fn of(experiment: Experiment) -> Report {
        let findings = report::findings_of(&experiment);
        Report::new(experiment.cube, findings)
    }

    /// The report has numbers for significant findings only.
    fn new(cube: Cube, mut findings: Vec<Finding>) -> Report {
        findings.retain(|finding| finding.is_significant(&cube));
        Report { cube, findings }
    }

    /// The run without the finding with a number.
    ///
    /// # Errors
    /// There is no such finding, or it cannot be played.
    pub fn change(&self, costs: &Costs<'_>, number: usize) -> Result<Named> {
        let finding = self.finding(number)?;
        let name = name(number, finding);
        match self.without(costs, finding) {
            Some(scenario) => Ok(Named { name, scenario, finding: self.key(finding) }),
            None => bail!(
                "{name}: the repair cannot be computed from the recorded run, because other \
                 threads would do other work, or because the trace does not have the lost time by \
                 itself; try --region with a region of this place"
            ),
        }
    }

    /// The finding with a number.
    ///
    /// # Errors
    /// There is none.
    fn finding(&self, number: usize) -> Result<&Finding> {
        let finding = number.checked_sub(1).and_then(|place| self.findings.get(place));
        finding.with_context(|| {
            let all = counted(self.findings.len() as i64, "finding");
            format!("--remove {number}: the report has {all}, with numbers from 1")
        })
    }

    /// The run without each of the first findings that can be played.
    pub fn changes(&self, costs: &Costs<'_>, most: usize) -> Vec<Named> {
        let change = |finding: &Finding| {
            let scenario = self.without(costs, finding)?;
            let name = format!("without {}", label(finding));
            Some(Named { name, scenario, finding: self.key(finding) })
        };
        self.findings.iter().filter_map(change).take(most).collect()
    }

    /// The run without the finding with a number, if `analyze` has played that.
    pub fn played(&self, what_if: &WhatIf, number: usize) -> Option<Change> {
        let finding = self.finding(number).ok()?;
        let mut all = what_if.changes.iter();
        let is_it = |of: &Removed| of.is(&self.cube, finding);
        let change = all.find(|change| removed(what_if, change).as_ref().is_some_and(is_it))?;
        Some(Change { change: name(number, finding), ..change.clone() })
    }

    /// By what a finding is known again.
    fn key(&self, finding: &Finding) -> Option<RemovedFinding> {
        Some(RemovedFinding {
            property: finding.property.name.to_owned(),
            region: self.cube.regions[finding.region].name.clone(),
            cause: finding.cause?.code().to_owned(),
            lost_s: self.cube.clock.seconds(finding.lost_ticks),
            wall_with_lock_waits_s: None,
        })
    }

    /// The run without a finding; `None` if that cannot be played.
    fn without(&self, costs: &Costs<'_>, finding: &Finding) -> Option<Scenario> {
        let regions = self.regions(costs, finding);
        let scenario = match self.repair(costs, finding)? {
            Repair::Free => Scenario { without_waiting: regions, ..Scenario::default() },
            Repair::Even => Scenario { even: regions, ..Scenario::default() },
            Repair::Shared => {
                Scenario { scaled: self.shared(costs, finding), ..Scenario::default() }
            }
            Repair::Less(ticks) => {
                let own: i64 = regions.iter().map(|region| costs.own_ticks(*region)).sum();
                let less = costs.ticks_of(self.cube.clock.seconds(ticks));
                let share = (1.0 - less / own.max(1) as f64).clamp(0.0, 1.0);
                let share = (share * UNIT as f64).round() as i64;
                let scaled = |region| Scaled { region, location: None, share };
                let scaled = regions.into_iter().map(scaled).collect();
                Scenario { scaled, ..Scenario::default() }
            }
        };
        (scenario != Scenario::default()).then_some(scenario)
    }

    /// Each location that waits for the code of a finding, or executes it, takes the mean of its
    /// time: within a process, or, if processes wait for each other, those with the same number.
    fn shared(&self, costs: &Costs<'_>, finding: &Finding) -> Vec<Scaled> {
        let of_ranks = finding.cause == Some(Cause::RankImbalanceSteady);
        let metric = self.cube.metric(finding.metric);
        let waits = |location: LocationId| {
            let ticks = |call: &CallId| metric.map_or(0, |it| self.cube.get(it, *call, location));
            finding.calls.iter().map(ticks).sum::<Ticks>() > 0
        };
        let regions = costs.in_trace(&self.cube.regions[finding.region]);
        regions.into_iter().flat_map(|region| costs.shared(region, of_ranks, &waits)).collect()
    }

    /// The regions of the trace in which the loss of a finding lies. A thread may have a lock not
    /// before it enters the body of the construct.
    fn regions(&self, costs: &Costs<'_>, finding: &Finding) -> Vec<RegionId> {
        let Cube { calls, regions, .. } = &self.cube;
        let is_body = |call: &CallId| {
            let role = regions[calls.region(*call)].role;
            matches!(role, Role::CriticalBody | Role::OrderedBody)
        };
        let bodies = |call: CallId| calls.children(call).iter().copied().filter(is_body);
        let all = finding.calls.iter().flat_map(|call| std::iter::once(*call).chain(bodies(*call)));
        let of_profile: BTreeSet<RegionId> = all.map(|call| calls.region(call)).collect();
        let found = of_profile.into_iter().flat_map(|region| costs.in_trace(&regions[region]));
        found.collect::<BTreeSet<RegionId>>().into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use pompeii_analysis::notation;
    use pompeii_replay::{Options, Outcome, replay, text};

    use super::*;

    /// The run of a profile. In texts the names of regions differ; those of the trace get the names
    /// of the profile by their lines.
    fn run(cube: &Cube, trace: &str) -> Outcome {
        let mut trace = text::parse(trace).unwrap();
        trace.definitions.ticks_per_second = 1000;
        let program = trace.definitions.program_region;
        trace.definitions.regions[program].name = cube.program.clone();
        for region in trace.definitions.regions.iter_mut().filter(|region| region.begin_line > 0) {
            let is_it = |of: &&pompeii_model::Region| {
                (of.begin_line, of.role) == (region.begin_line, region.role)
            };
            *region = cube.regions.iter().find(is_it).unwrap().clone();
        }
        replay(trace.trace(), Options::default(), &mut |_| {})
    }

    /// The run without each of the findings of a profile.
    fn check(cube: &str, trace: &str, expect: Expect) {
        let cube = pompeii_analysis::derive(&notation::cube(cube).unwrap());
        let outcome = run(&cube, trace);
        let costs = Costs::of(&outcome);
        let findings = pompeii_analysis::findings(&cube);
        let report = Report::new(cube, findings);
        let name = |region: &RegionId| costs.region(*region).name.clone();
        let names = |regions: &[RegionId]| regions.iter().map(name).collect::<Vec<_>>().join(", ");
        let mut shown = String::new();
        for number in 0..=report.findings.len() + 1 {
            shown += &match report.change(&costs, number) {
                Ok(Named { name, scenario, .. }) => {
                    let less = scenario.scaled.iter();
                    let less = less.map(|it| format!("{} {}", names(&[it.region]), it.share));
                    let less = less.collect::<Vec<_>>().join(", ");
                    let (free, even) = (names(&scenario.without_waiting), names(&scenario.even));
                    format!("{name}\n    free [{free}] even [{even}] less [{less}]\n")
                }
                Err(error) => format!("{error}\n"),
            };
        }
        expect.assert_eq(&shown);
    }

    /// Three threads wait for the first one, which has more work.
    #[test]
    fn a_late_thread_shares_its_work() {
        check(
            "wall=1000 locations=4
             a/parallel@a.c:5                          *    visits=10
             a/parallel@a.c:5/for@a.c:5                0    time=1000 visits=10
             a/parallel@a.c:5/for@a.c:5                1-3  time=400 visits=10
             a/parallel@a.c:5/implicit barrier@a.c:9   *    visits=10
             a/parallel@a.c:5/implicit barrier@a.c:9   1-3  time=600 omp_ibarrier_wait=600
             a/parallel@a.c:5/implicit barrier@a.c:9  0  omp_barrier_last=9 omp_barrier_delay=1800
             a/parallel@a.c:5/implicit barrier@a.c:9   2    omp_barrier_last=1",
            "0 0.0 + parallel:5; + loop:5
             1000 0.0 -; + ibarrier:9; -; -",
            expect![[r#"
                --remove 0: the report has 1 finding, with numbers from 1
                --remove 1 (Wait at implicit barrier: parallel for a.c:5)
                    free [] even [!$omp implicit barrier @a.c:9] less []
                --remove 2: the report has 1 finding, with numbers from 1
            "#]],
        );
    }

    /// The others wait 400 ticks for the first thread: 300 for one loop and 100 for the other one.
    /// The mean of the first loop is 175 ticks.
    #[test]
    fn code_that_is_one_of_several_causes_is_shared() {
        let thread = |number: u32, [first, second]: [u64; 2]| {
            let second = first + second;
            format!(
                "0 0.{number} team A; + parallel:30; + loop:12
                 {first} 0.{number} -; + loop:25
                 {second} 0.{number} -; + loop:40
                 {} 0.{number} + ibarrier:42
                 700 0.{number} -; -; -; endteam A\n",
                second + 100
            )
        };
        let late = thread(0, [400, 200]);
        let others = [1, 2, 3].map(|number| thread(number, [100, 100])).concat();
        check(
            "wall=700 locations=4
             a/parallel@a.c:30                        *    visits=1
             a/parallel@a.c:30/for@a.c:12             0    time=400 visits=30
             a/parallel@a.c:30/for@a.c:12             1-3  time=100 visits=30
             a/parallel@a.c:30/for@a.c:25             0    time=200 visits=30
             a/parallel@a.c:30/for@a.c:25             1-3  time=100 visits=30
             a/parallel@a.c:30/for@a.c:40             *    time=100 visits=30
             a/parallel@a.c:30/for@a.c:40/implicit barrier@a.c:42  0    omp_barrier_last=30 visits=30
             a/parallel@a.c:30/for@a.c:40/implicit barrier@a.c:42  1-3  time=400 visits=30 \
             omp_ibarrier_wait=400",
            &format!("team A = 0.0 0.1 0.2 0.3\n{late}{others}"),
            expect![[r#"
                --remove 0: the report has 2 findings, with numbers from 1
                --remove 1 (Wait at implicit barrier: for a.c:12)
                    free [] even [] less [!$omp for @a.c:12 4375, !$omp for @a.c:12 17500, !$omp for @a.c:12 17500, !$omp for @a.c:12 17500]
                --remove 2 (Wait at implicit barrier: for a.c:25)
                    free [] even [] less [!$omp for @a.c:25 6250, !$omp for @a.c:25 12500, !$omp for @a.c:25 12500, !$omp for @a.c:25 12500]
                --remove 3: the report has 2 findings, with numbers from 1
            "#]],
        );
    }

    /// One section takes three times as long as the other one. Only two threads can have sections.
    #[test]
    fn sections_are_not_spread_evenly() {
        check(
            "wall=1000 locations=3
             a/parallel@a.c:5                               *    visits=10
             a/parallel@a.c:5/sections@a.c:5                *    visits=10
             a/parallel@a.c:5/sections@a.c:5/section@a.c:6  0    time=900 visits=10
             a/parallel@a.c:5/sections@a.c:5/section@a.c:8  1    time=300 visits=10
             a/parallel@a.c:5/implicit barrier@a.c:9        *    visits=10
             a/parallel@a.c:5/implicit barrier@a.c:9        1    time=600 omp_ibarrier_wait=600
             a/parallel@a.c:5/implicit barrier@a.c:9        2    time=900 omp_ibarrier_wait=900
             a/parallel@a.c:5/implicit barrier@a.c:9  0  omp_barrier_last=10 omp_barrier_delay=1500",
            "0 0.0 + parallel:5
             1000 0.0 + ibarrier:9; -; -",
            expect![[r#"
                --remove 0: the report has 1 finding, with numbers from 1
                --remove 1 (Wait at implicit barrier: parallel sections a.c:5): the repair cannot be computed from the recorded run, because other threads would do other work, or because the trace does not have the lost time by itself; try --region with a region of this place
                --remove 2: the report has 1 finding, with numbers from 1
            "#]],
        );
    }

    /// The idle thread loses 400 ticks, and with both threads the code takes 200 of 400 less.
    #[test]
    fn a_serial_part_is_shared_by_all_threads() {
        check(
            "wall=1000 locations=2
             a                  0  time=400
             a/parallel@a.c:70  *  time=600 visits=1",
            "end 1000
             400 0.0 + parallel:70
             1000 0.0 -",
            expect![[r#"
                --remove 0: the report has 1 finding, with numbers from 1
                --remove 1 (Idle threads: a)
                    free [] even [] less [a 5000]
                --remove 2: the report has 1 finding, with numbers from 1
            "#]],
        );
    }

    /// Nothing is known of the time in the barrier that is no waiting, so no change is its repair.
    #[test]
    fn a_critical_construct_is_free_and_an_unknown_cause_is_none() {
        check(
            "wall=100 locations=2
             a/parallel@a.c:2                                    0  time=10 visits=1
             a/parallel@a.c:2                                    1  time=30 visits=1
             a/parallel@a.c:2/critical (sum)@a.c:5               0  time=40 visits=20 \
             omp_lock_contention_critical=36
             a/parallel@a.c:2/critical (sum)@a.c:5               1  time=20 visits=20 \
             omp_lock_contention_critical=18
             a/parallel@a.c:2/critical (sum)@a.c:5/critical sblock (sum)@a.c:5  *  time=40 visits=20
             a/parallel@a.c:2/implicit barrier@a.c:9  0  time=10 omp_ibarrier_wait=2 visits=1
             a/parallel@a.c:2/implicit barrier@a.c:9  1  time=10 omp_ibarrier_wait=1 visits=1 \
             omp_barrier_last=1 omp_barrier_delay=3",
            "0 0.0 + parallel:2; + critical:5; + critical_body:5
             90 0.0 -; -; + ibarrier:9; -; -",
            expect![[r#"
                --remove 0: the report has 3 findings, with numbers from 1
                --remove 1 (Critical contention: critical (sum) a.c:5)
                    free [!$omp critical (sum) @a.c:5, !$omp critical sblock (sum) @a.c:5] even [] less []
                --remove 2 (Implicit barrier: parallel a.c:2): the repair cannot be computed from the recorded run, because other threads would do other work, or because the trace does not have the lost time by itself; try --region with a region of this place
                --remove 3 (Wait at implicit barrier: parallel a.c:2)
                    free [] even [!$omp implicit barrier @a.c:9] less []
                --remove 4: the report has 3 findings, with numbers from 1
            "#]],
        );
    }
}
