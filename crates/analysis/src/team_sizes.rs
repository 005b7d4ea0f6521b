//! What the models of loops and tasks say of teams with other numbers of threads, for scenarios
//! that play the run with such teams ([`TeamSize`]).
//!
//! A loop has a model if its schedule and the time of each iteration are known ([`loops`]). A
//! parallel region with tasks has one if all records of its tasks are there ([`simulated`]). A
//! region takes `recorded time * simulated time / simulated time on the recorded threads`: what the
//! simulation does not explain stays in proportion.
//!
//! [`loops`]: crate::loops
//! [`simulated`]: crate::tasks::simulated

use std::collections::BTreeMap;
use std::fmt;

use pompeii_model::{Id, RegionId, Role};
use pompeii_replay::Outcome;
use pompeii_replay::definitions::Definitions;
use pompeii_replay::scenario::{Ratio, TeamSize};

use crate::loops::recorded::{Recorded, has_chunks};
use crate::loops::{HandingOut, OwnSchedule, own_schedules};
use crate::tasks::dependences::{are_recorded, has_depend};
use crate::tasks::simulate::Rule;
use crate::tasks::simulated::{Collapsed, Simulated, Simulations};

/// Collects what the models need while a trace is read, with [`Options::task_steps`].
///
/// [`Options::task_steps`]: pompeii_replay::Options::task_steps
#[derive(Debug)]
pub struct Models {
    /// The numbers of threads.
    pub threads: Vec<usize>,
    /// Takes compounds.
    pub simulations: Simulations,
    /// Takes the rows of tables; `None` if the trace has no chunks of loops.
    pub chunks: Option<Recorded>,
}

/// What the models say of a run.
#[derive(Debug)]
pub struct TeamSizes {
    /// For each wanted number of threads: with the newest task first, and with the oldest first.
    /// Both are the same in a run without tasks.
    pub sizes: Vec<[TeamSize; 2]>,
    /// Parallel regions with tasks.
    pub with_tasks: usize,
    /// The rule by which their tasks were executed.
    pub rule: Rule,
    /// Executions of these that were not simulated.
    pub left_out: u64,
    /// Tasks that were put together, because there are too many for a simulation of each.
    pub collapsed: Collapsed,
    /// Tasks depend on each other by `depend` clauses in ways that the models do not know.
    pub has_unknown_dependences: bool,
    /// Loops with a model.
    pub loops: usize,
}

/// Why nothing can be said about other numbers of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// The run has no parallel region.
    NoParallelRegion,
    /// Parallel regions of the trace have no records of their teams.
    NoTeams,
    /// Processes have different numbers of threads: this least and this largest one.
    Processes(usize, usize),
    /// No execution of this parallel region has all records of its tasks.
    Tasks(String),
}

impl fmt::Display for Unknown {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unknown::NoParallelRegion => write!(
                to,
                "the trace has no parallel region, so the run takes the same time with any number \
                 of threads"
            ),
            Unknown::NoTeams => write!(
                to,
                "the trace has parallel regions without records of their teams, so the work of \
                 each team is not known; record the trace with `pompeii run --trace`"
            ),
            Unknown::Processes(least, most) => write!(
                to,
                "the processes of the run have {least} to {most} threads, and one number of \
                 threads for all of them is not comparable; record a run with the same number of \
                 threads in each process"
            ),
            Unknown::Tasks(region) => write!(
                to,
                "{region}: no execution of this region has all records of its tasks, so it cannot \
                 be simulated; record a trace of the whole run, without --window"
            ),
        }
    }
}

impl std::error::Error for Unknown {}

impl Models {
    /// Nothing yet, of a run with these definitions, for these numbers of threads; with the rule by
    /// which threads execute tasks.
    pub fn new(definitions: &Definitions, threads: &[usize], rule: Rule) -> Models {
        Models {
            threads: threads.to_vec(),
            simulations: Simulations::new(threads, rule),
            chunks: has_chunks(definitions).then(|| Recorded::new(definitions)),
        }
    }

    /// What the models say of the run.
    ///
    /// # Errors
    /// The trace does not have what is needed, or the question has no answer.
    pub fn sizes(&self, outcome: &Outcome, handing_out: HandingOut) -> Result<TeamSizes, Unknown> {
        check(outcome)?;
        let definitions = &outcome.definitions;
        let tasks = self.simulations.outermost(outcome);
        let lost = tasks.iter().find(|(_, of)| of.executions == 0);
        if let Some((region, _)) = lost {
            return Err(Unknown::Tasks(outcome.definitions.regions[*region].label()));
        }
        let loops = |chunks| own_schedules(chunks, outcome, (handing_out, &self.threads));
        let loops = self.chunks.as_ref().map(loops).unwrap_or_default();
        let sizes = self.threads.iter().enumerate();
        let of_order = |(place, threads): (usize, usize), order| TeamSize {
            threads,
            loops: loops.iter().map(|of| loop_ratio(of, (place, threads))).collect(),
            tasks: tasks.iter().map(|of| tasks_ratio(of, (place, order))).collect(),
        };
        Ok(TeamSizes {
            sizes: sizes.map(|(at, n)| [0, 1].map(|order| of_order((at, *n), order))).collect(),
            with_tasks: tasks.len(),
            rule: self.simulations.rule,
            left_out: tasks.values().map(|of| of.left_out).sum(),
            collapsed: tasks.values().fold(Collapsed::default(), |all, of| all.join(of.collapsed)),
            has_unknown_dependences: self.simulations.has_unknown_dependences
                || has_depend(definitions) && !are_recorded(definitions),
            loops: loops.len(),
        })
    }
}

/// Threads x time of the loop takes the place of its work.
fn loop_ratio(of: &OwnSchedule, (place, threads): (usize, usize)) -> (RegionId, Ratio) {
    let threads = i64::try_from(threads).unwrap_or(i64::MAX);
    let played = of.times[place].saturating_mul(threads);
    (of.region, Ratio { recorded: of.work, played })
}

fn tasks_ratio(
    (region, of): (&RegionId, &Simulated),
    (place, order): (usize, usize),
) -> (RegionId, Ratio) {
    let played = of.on_threads[place].ticks[order];
    (*region, Ratio { recorded: of.as_recorded(order), played })
}

/// Whether the question has an answer.
fn check(outcome: &Outcome) -> Result<(), Unknown> {
    let definitions = &outcome.definitions;
    if outcome.forks_without_team > 0 {
        return Err(Unknown::NoTeams);
    }
    let is_parallel = |region| {
        let role = definitions.regions[region].role;
        matches!(role, Role::Parallel | Role::Teams)
    };
    let mut calls = outcome.entries.iter().map(|entry| outcome.calls.region(entry.call));
    if !calls.any(is_parallel) {
        return Err(Unknown::NoParallelRegion);
    }
    let mut threads: BTreeMap<usize, usize> = BTreeMap::new();
    for location in definitions.system.locations.iter() {
        *threads.entry(location.process.index()).or_default() += 1;
    }
    let (least, most) = (threads.values().min().copied(), threads.values().max().copied());
    match least.zip(most) {
        Some((least, most)) if least != most => Err(Unknown::Processes(least, most)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use pompeii_replay::scenario::{Scenario, Scenarios};
    use pompeii_replay::transport::local::Local;
    use pompeii_replay::{Options, Sinks, replay_on, text};

    use pompeii_replay::Compound;
    use pompeii_replay::table::Batch;

    use super::*;

    /// What the models say, and the durations that follow, with the newest task first.
    fn played(trace: &str, threads: &[usize]) -> Result<(TeamSizes, Vec<i64>), Unknown> {
        let mut trace = text::parse(trace).unwrap();
        for region in trace.definitions.regions.iter_mut() {
            if region.role == Role::Loop {
                region.clauses = "schedule(static,1)".to_owned();
            }
        }
        let Models { threads, mut simulations, mut chunks } =
            Models::new(&trace.definitions, threads, Rule::OpenMp);
        let options = Options { task_steps: true, path: true, ..Options::default() };
        let mut note = |compound: Compound| simulations.note(&compound);
        let mut take = |batch: Batch| chunks.iter_mut().for_each(|it| it.take(&batch));
        let sinks = Sinks { found: &mut note, tables: Some(&mut take), scenarios: None };
        let Ok(outcome) = replay_on(&mut Local, trace.trace(), options, sinks);
        let models = Models { threads, simulations, chunks };
        let sizes = models.sizes(&outcome, &|_, _| 0.0)?;
        let all = sizes.sizes.iter().map(|[newest, _]| newest.clone());
        let scenario = |size| Scenario { team_size: Some(size), ..Scenario::default() };
        let mut scenarios = Scenarios::new(all.map(scenario).collect());
        let sinks = Sinks { found: &mut |_| {}, tables: None, scenarios: Some(&mut scenarios) };
        let Ok(outcome) = replay_on(&mut Local, trace.trace(), options, sinks);
        Ok((sizes, scenarios.durations(&outcome.definitions).1))
    }

    /// 46 ticks on one thread, of which 4 are creation, and 25 on two threads.
    const TASKS: &str = "end 90
         team A = 0.0
         0 0.0 + work
         10 0.0 -; fork; team A; + parallel
         12 0.0 + task_create; create A 0 1; -
         14 0.0 + task_create; create A 0 2; -
         14 0.0 + ibarrier
         15 0.0 switch A 0 2; + task
         35 0.0 -; done A 0 2; switch A 0 1; + task
         55 0.0 -; done A 0 1; switch A 0 0
         56 0.0 -; -; endteam A; join
         90 0.0 + work; -";

    #[test]
    fn tasks_are_simulated() {
        let (sizes, durations) = played(TASKS, &[1, 2, 8]).unwrap();
        assert_eq!(durations, [90, 69, 69]);
        assert_eq!((sizes.with_tasks, sizes.left_out, sizes.loops), (1, 0, 0));
        assert!(!sizes.has_unknown_dependences);
    }

    /// Iterations of 4, 4, 4 and 8 ticks. On three threads the first one has two of them, with 12
    /// ticks. After the last arrival the run takes 28 ticks.
    #[test]
    fn loops_have_their_schedule() {
        let trace = "end 40
             team A = 0.0 0.1
             0 0.0 fork; team A; + parallel; + loop:5; + chunk:5
             0 0.1 team A; + parallel; + loop:5; + chunk:5
             4 0.0 -; + chunk:5
             4 0.1 -; + chunk:5
             8 0.0 -; -; + ibarrier
             12 0.1 -; -; + ibarrier
             13 0.0 -; -; endteam A; join
             13 0.1 -; -; endteam A
             40 0.0 + work; -";
        let (sizes, durations) = played(trace, &[1, 2, 3, 4]).unwrap();
        assert_eq!(durations, [48, 40, 40, 36]);
        assert_eq!((sizes.with_tasks, sizes.loops), (0, 1));
        let without = trace.replace("chunk:5", "function");
        assert_eq!(played(&without, &[1, 2, 4]).unwrap().1, [48, 38, 33]);
    }

    #[test]
    fn what_cannot_be_known_is_refused() {
        let refused = |trace: &str| played(trace, &[2]).unwrap_err();
        assert_eq!(refused("end 9\n 0 0.0 + work; -"), Unknown::NoParallelRegion);
        let lost = TASKS.replace("done A 0 2; ", "");
        assert!(matches!(refused(&lost), Unknown::Tasks(_)));
        let two = TASKS.replace("end 90", "end 90\n 0 1.0 + work\n 9 1.1 + work; -\n 9 1.0 -");
        assert_eq!(refused(&two), Unknown::Processes(1, 2));
        for error in [Unknown::NoTeams, Unknown::Processes(1, 2), Unknown::Tasks("a".to_owned())] {
            assert!(error.to_string().contains("; record "), "{error}");
        }
    }
}
