//! `pompeii whatif --threads`: the run with other numbers of threads. The trace is read twice: once
//! for the models of its loops and tasks, and once to play the run with teams of these sizes.

use std::path::Path;

use anyhow::{Result, bail};
use pompeii_analysis::format::{counted, percent, seconds};
use pompeii_analysis::tasks::simulate::Rule;
use pompeii_analysis::team_sizes::{Models, TeamSizes as Known};
use pompeii_model::Frequency;
use pompeii_otf2::read::Archive;
use pompeii_replay::scenario::{Scenario, Scenarios};
use pompeii_replay::table::Batch;
use pompeii_replay::{Compound, Options, Outcome, Sinks};
use pompeii_report::{TeamSizeRun, TeamSizes};

use super::super::analyze::loops;
use super::super::tasks;
use super::changes::Costs;
use super::read;

/// Work that is divided without a model and takes at least this share of the recorded time makes
/// the result a bound: less of it changes the result by no more than this share.
const BOUND_SHARE: f64 = 0.01;

/// The run with these numbers of threads. Returns what was found in the trace, too.
pub fn play(
    archive: &Archive,
    anchor: &Path,
    (analysis_threads, wanted): (usize, &[usize]),
) -> Result<(TeamSizes, Outcome)> {
    let (models, outcome) = models(archive, anchor, (analysis_threads, wanted))?;
    let known = models.sizes(&outcome, &loops::handing_out(anchor, &outcome))?;
    drop(models);
    let scenario = |size| Scenario { team_size: Some(size), ..Scenario::default() };
    let sizes = known.sizes.iter().flatten().cloned();
    let mut scenarios = Scenarios::new(sizes.map(scenario).collect());
    let options = Options { threads: analysis_threads, path: true, ..Options::default() };
    let sinks = Sinks { found: &mut |_| {}, tables: None, scenarios: Some(&mut scenarios) };
    let outcome = read(archive, anchor, options, sinks)?;
    if let Some(region) = scenarios.nested_region() {
        bail!(
            "--threads: several threads execute {} inside of another parallel region; how many \
             threads each level would have is not known, so record a run with \
             OMP_MAX_ACTIVE_LEVELS=1",
            outcome.definitions.regions[region].label()
        );
    }
    Ok((result(&scenarios, (&known, wanted), &outcome), outcome))
}

/// Reads the trace for the models.
fn models(
    archive: &Archive,
    anchor: &Path,
    (analysis_threads, wanted): (usize, &[usize]),
) -> Result<(Models, Outcome)> {
    let options = Options { threads: analysis_threads, task_steps: true, ..Options::default() };
    let definitions = pompeii_replay::archive::definitions(archive);
    let rule = tasks::rule(anchor, &definitions);
    let Models { threads, mut simulations, mut chunks } = Models::new(&definitions, wanted, rule);
    let mut note = |compound: Compound| simulations.note(&compound);
    let mut take = chunks.as_mut().map(|chunks| move |batch: Batch| chunks.take(&batch));
    let tables = take.as_mut().map(|take| take as &mut (dyn FnMut(Batch) + Send));
    let sinks = Sinks { found: &mut note, tables, scenarios: None };
    let outcome = read(archive, anchor, options, sinks)?;
    Ok((Models { threads, simulations, chunks }, outcome))
}

fn result(
    scenarios: &Scenarios,
    (known, wanted): (&Known, &[usize]),
    outcome: &Outcome,
) -> TeamSizes {
    let frequency = outcome.definitions.ticks_per_second as f64;
    let clock = Frequency::new(frequency).unwrap_or(Frequency::NANOSECONDS);
    let (recorded, ticks) = scenarios.durations(&outcome.definitions);
    let wall_s = clock.seconds(recorded);
    let evenly_s = clock.seconds(scenarios.evenly_divided());
    let is_even = evenly_s >= BOUND_SHARE * wall_s;
    let run = |(threads, ticks): (&usize, &[i64])| TeamSizeRun {
        threads: *threads,
        wall_s: clock.seconds(ticks.iter().copied().max().unwrap_or(recorded)),
        least_wall_s: clock.seconds(ticks.iter().copied().min().unwrap_or(recorded)),
        is_upper_bound: is_even || known.has_unknown_dependences,
    };
    let mut assumptions = of_loops(known, (evenly_s, wall_s), is_even);
    assumptions.extend(of_tasks(known));
    assumptions.extend(of_run(outcome));
    let runs = wanted.iter().zip(ticks.chunks_exact(2)).map(run).collect();
    TeamSizes { wall_s, runs, assumptions }
}

/// What is assumed of the code of parallel regions.
fn of_loops(known: &Known, (evenly_s, wall_s): (f64, f64), is_even: bool) -> Vec<String> {
    let mut all = Vec::new();
    if known.loops > 0 {
        let loops = counted(known.loops as i64, "loop");
        all.push(format!(
            "{loops}: computed from the recorded iterations, with the same schedule."
        ));
    }
    if is_even {
        let share = percent(evenly_s / wall_s);
        all.push(format!(
            "Upper bound: {} of CPU time in parallel regions ({share} of the recorded wall time) is \
             divided evenly among the threads, because the time of each iteration is not in the \
             trace (pompeii compile --loop-chunks, pompeii run --iterations).",
            seconds(evenly_s)
        ));
    }
    all
}

/// What is assumed of tasks.
fn of_tasks(known: &Known) -> Vec<String> {
    let mut all = Vec::new();
    if known.with_tasks > 0 {
        let regions = counted(known.with_tasks as i64, "parallel region");
        all.push(format!(
            "{regions} with tasks: simulated, {}. Loops in these regions are not divided among more \
             threads.",
            match known.rule {
                Rule::Untied => "with the newest and with the oldest task first",
                Rule::OpenMp =>
                    "with the newest and with the oldest task first; while a tied task waits, its \
                     thread begins only descendants of that task",
                Rule::Libgomp =>
                    "in the order of libgomp (at a taskwait only children of the waiting task), with \
                     threads that wake up as slowly as in the run and with threads that do so at once",
            }
        ));
    }
    if known.left_out > 0 {
        let executions = counted(known.left_out.cast_signed(), "execution");
        all.push(format!(
            "{executions} of these regions could not be simulated, and change as the others do."
        ));
    }
    if known.collapsed.tasks > 0 {
        let tasks = counted(known.collapsed.tasks.cast_signed(), "task");
        all.push(format!(
            "{tasks} are too many to simulate each: small ones were put together, and one thread \
             executes these one after the other (pompeii tasks --threads has the bounds)."
        ));
    }
    if known.has_unknown_dependences {
        all.push(
            "Upper bound: tasks have depend clauses with items that are not in the trace, or with \
             mutexinoutset, so they may have to wait for more tasks."
                .to_owned(),
        );
    }
    all
}

/// What is assumed of the run.
fn of_run(outcome: &Outcome) -> Vec<String> {
    let mut all = vec![
        "Each team has this number of threads, also where num_threads says something else, and each \
         thread has a CPU. Code outside of parallel regions, single, master, sections and critical \
         constructs take their recorded time; so does all code if more threads share caches and \
         memory."
            .to_owned(),
    ];
    let costs = Costs::of(outcome);
    if outcome.definitions.system.processes.len() > 1 {
        all.push(
            "Each process has this number of threads. Calls of MPI take their recorded time when \
             there is nothing to wait for any more."
                .to_owned(),
        );
    }
    if costs.has_locks() {
        all.push("Threads get locks in the recorded order.".to_owned());
    }
    all
}
