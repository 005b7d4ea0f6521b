//! `pompeii analyze`: who waited for whom in a trace, as `trace.cubex` and `analysis.json`.

mod counters;
pub mod instances;
pub mod loops;
mod shares;
mod text;
mod together;
mod what_if;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::thread::available_parallelism;

use anyhow::{Context, Result, bail};
use pompeii_analysis::format::counted;
use pompeii_analysis::loops::LoopSchedules;
use pompeii_analysis::loops::recorded::{Recorded, has_chunks};
use pompeii_analysis::selection::Selection;
use pompeii_analysis::trace::Severities;
use pompeii_analysis::{derive, findings, properties};
use pompeii_finish::{Manifest, write_cube};
use pompeii_model::{CallId, Cube, Root, Unit, Wait};
use pompeii_otf2::folder::Folder;
use pompeii_otf2::read::Archive;
use pompeii_replay::engine::process::Gaps;
use pompeii_replay::scenario::Scenarios;
use pompeii_replay::table::Batch;
use pompeii_replay::transport::local::Local;
use pompeii_replay::{Compound, Options, Outcome, Sinks, Trace, replay_on, told_trace};
use pompeii_report::WhatIf;
use serde::Serialize;

use self::what_if::Played;
use super::{dump, tasks, whatif};
use crate::analyzed_trace::{CUBE_FILE, JSON_FILE};
use crate::failure;
use crate::foreign;
use crate::mpi::job::Job;
use crate::output::{print, say};
use crate::packed;
use crate::progress::Progress;
use crate::terminal::{make_printable, shown};

/// The trace of an experiment.
pub const ANCHOR_FILE: &str = "traces.otf2";

/// Most instances of a task construct that have entries of their own.
const INSTANCES_MAX: usize = 10_000;

/// Errors while reading that are told one by one.
const ERRORS_SHOWN: usize = 5;

/// Options of `analyze`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii analyze traced                           the trace of an experiment
    pompeii analyze scorep-run/traces.otf2 -o here   any OTF2 archive
    pompeii analyze --task-instances traced          each task in the call tree
    mpirun -n 4 pompeii analyze traced               by several processes, also on several hosts
    pompeii report traced/trace.cubex                the findings from the trace
    jq .properties traced/analysis.json")]
pub struct Arguments {
    /// An experiment with a trace, or the anchor file of an OTF2 archive (traces.otf2)
    #[arg(value_name = "EXP")]
    trace: PathBuf,
    /// Threads [default: one for each CPU]
    #[arg(short, value_name = "N")]
    jobs: Option<usize>,
    /// Folder for trace.cubex and analysis.json [default: the experiment; other archives need it]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Properties to search for, with all below them [default: all], for example
    /// omp_barrier,delay_omp,counters; `pompeii explain` lists them
    #[arg(long, value_name = "NAMES", value_parser = Selection::parse)]
    properties: Option<Selection>,
    /// Also compute loops with recorded iterations on these numbers of threads, for example 8,16
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = tasks::thread_count)]
    loop_threads: Vec<usize>,
    /// Show each task instance as an entry of its own in the call tree of trace.cubex, below the
    /// barrier or taskwait at which it was executed, for example task_0_1 for the first task that
    /// thread 0 created; at most 10,000 for a task construct
    #[arg(long)]
    task_instances: bool,
    /// Do not compute how long the run would take with changes (pompeii whatif)
    #[arg(long)]
    no_whatif: bool,
}

/// What is searched for.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    selection: &'a Selection,
    /// Numbers of threads of loops.
    loop_threads: &'a [usize],
    /// How many task instances of a construct have entries of their own, if they have some.
    task_instances: Option<usize>,
    /// Whether to compute how long the run would take with changes.
    what_if: bool,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    if let Some(job) = Job::of_this_process() {
        return together::execute(&job, arguments);
    }
    let (anchor, folder) = places(arguments)?;
    let selection = selection(arguments);
    let wanted = Wanted {
        selection: &selection,
        loop_threads: &arguments.loop_threads,
        task_instances: task_instances(arguments),
        what_if: !arguments.no_whatif,
    };
    let analysis = analyze(&anchor, &folder, threads(arguments.jobs), wanted)?;
    print(&analysis.text)?;
    Ok(analysis.code())
}

/// The anchor of the trace, and the folder for the results.
fn places(arguments: &Arguments) -> Result<(PathBuf, PathBuf)> {
    if packed::is_packed(&arguments.trace) && arguments.output.is_none() {
        bail!(
            "{}: nothing is added to a compressed experiment; name a folder for the results: -o \
             DIR",
            shown(&arguments.trace)
        );
    }
    let anchor = dump::anchor_path(&arguments.trace)?;
    let folder = output_folder(&anchor, arguments.output.as_deref())?;
    Ok((anchor, folder))
}

fn selection(arguments: &Arguments) -> Selection {
    arguments.properties.clone().unwrap_or(Selection::all())
}

fn task_instances(arguments: &Arguments) -> Option<usize> {
    arguments.task_instances.then_some(INSTANCES_MAX)
}

/// Analyses the trace of each program of a run that has just been finished: of the one in `folder`
/// and of those that it started. The texts are what `analyze` prints. A failure is a message.
pub fn analyze_run(folder: &Path, manifest: &Manifest) -> Vec<String> {
    let started = manifest.processes.iter().map(|process| folder.join(&process.folder));
    let all = std::iter::once(folder.to_owned()).chain(started);
    let traced: Vec<PathBuf> = all.filter(|folder| folder.join(ANCHOR_FILE).exists()).collect();
    if traced.is_empty() {
        say("note: there is no trace to analyze");
    }
    let all = Selection::all();
    let wanted = Wanted { selection: &all, loop_threads: &[], task_instances: None, what_if: true };
    let analyze_in =
        |folder: &Path| analyze(&folder.join(ANCHOR_FILE), folder, threads(None), wanted);
    let text = |folder: &PathBuf| match analyze_in(folder) {
        Ok(analysis) => Some(analysis.text),
        Err(error) => {
            let (folder, why) = (shown(folder), failure::message(&error));
            say(format!("warning: the trace of {folder} was not analyzed: {why}"));
            None
        }
    };
    traced.iter().filter_map(text).collect()
}

/// A trace that was analysed.
struct Analysis {
    /// What is printed.
    text: String,
    /// All of the trace could be read.
    is_complete: bool,
}

impl Analysis {
    /// With what the program ends.
    fn code(&self) -> ExitCode {
        if self.is_complete { ExitCode::SUCCESS } else { ExitCode::from(1) }
    }
}

/// The archive of a trace, and what of its definitions could not be read.
pub(super) fn open(anchor: &Path) -> Result<(Archive, Vec<pompeii_otf2::Error>)> {
    Archive::salvage(anchor)
        .context("expected the anchor of an OTF2 archive (traces.otf2) or an experiment")
}

/// Analyses a trace, and writes the results to a folder.
fn analyze(
    anchor: &Path,
    folder: &Path,
    threads: usize,
    Wanted { selection, loop_threads, task_instances, what_if }: Wanted,
) -> Result<Analysis> {
    let (archive, errors) = open(anchor)?;
    errors.iter().for_each(|error| say(format!("warning: {error}")));
    let events = archive.locations().map(|location| location.number_of_events).sum();
    let progress = Progress::events(format!("analysing {}", shown(anchor)), events);
    let path = selection.has_causes();
    let options = Options { threads, path, task_instances, ..Options::default() };
    let mut severities = Severities::default();
    let trace = told_trace(&archive, &progress.done)?;
    let mut chunks = has_chunks(&trace.definitions).then(|| Recorded::new(&trace.definitions));
    let is_played = what_if && options.path;
    let mut scenarios = is_played.then(|| Played::of_profile(&trace.definitions, anchor)).flatten();
    let played = scenarios.as_mut().map(|of| &mut of.scenarios);
    let outcome = replayed(trace, options, (&mut severities, chunks.as_mut(), played));
    // Not the number in the definitions, because not all writers know it.
    let events = progress.done.load(Ordering::Relaxed).saturating_sub(outcome.gaps.errors);
    drop(progress);
    let found = |chunks| loops::of_trace(chunks, &outcome, (anchor, loop_threads));
    let loops = chunks.as_ref().map(found).unwrap_or_default();
    tell_chunks(chunks.as_ref());
    let what_if = match scenarios {
        Some(played) => Some(played.result(&outcome)),
        None if is_played => Some(whatif::standard((&archive, anchor), threads, &outcome)?),
        None => None,
    };
    let found = Found { severities: &severities, loops, what_if };
    let mut analysis = conclude(found, &outcome, (events, selection), folder)?;
    analysis.is_complete &= errors.is_empty();
    Ok(analysis)
}

/// What was found in a trace.
struct Found<'a> {
    severities: &'a Severities,
    /// Loops under other schedules.
    loops: Vec<LoopSchedules>,
    /// How long the run would take with changes, if that was computed.
    what_if: Option<WhatIf>,
}

/// Writes the results to a folder, and tells what is wrong with the trace.
fn conclude(
    mut found: Found<'_>,
    outcome: &Outcome,
    read: (u64, &Selection),
    folder: &Path,
) -> Result<Analysis> {
    let (mut measured, mut summary) = write(&found, outcome, read, folder)?;
    tell_gaps(outcome);
    measured.change_texts(&mut make_printable);
    found.loops.iter_mut().for_each(|of| of.change_texts(&mut make_printable));
    summary.what_if.iter_mut().for_each(|of| of.change_texts(&mut make_printable));
    let text = text::of(&derive(&measured), (&summary, &found.loops), folder);
    Ok(Analysis { text, is_complete: outcome.gaps.errors == 0 })
}

/// Reads the trace. Tables are made only for the chunks of loops.
fn replayed(
    trace: Trace,
    options: Options,
    (severities, chunks, scenarios): (
        &mut Severities,
        Option<&mut Recorded>,
        Option<&mut Scenarios>,
    ),
) -> Outcome {
    let mut note = |found: Compound| severities.note(&found);
    let mut take = chunks.map(|chunks| move |batch: Batch| chunks.take(&batch));
    let tables = take.as_mut().map(|take| take as &mut (dyn FnMut(Batch) + Send));
    let sinks = Sinks { found: &mut note, tables, scenarios };
    let Ok(outcome) = replay_on(&mut Local, trace, options, sinks);
    outcome
}

/// Says so if only a part of the chunks of loops is used.
fn tell_chunks(chunks: Option<&Recorded>) {
    if chunks.is_some_and(Recorded::is_full) {
        say("note: the trace has many chunks of loops, so only the first executions are computed");
    }
}

/// Writes the results to a folder.
fn write(
    found: &Found<'_>,
    outcome: &Outcome,
    (events, selection): (u64, &Selection),
    folder: &Path,
) -> Result<(Cube, Summary)> {
    let measured = selection.of(found.severities.cube(outcome));
    write_cube(&measured, folder, CUBE_FILE)?;
    let mut summary = Summary::new(&derive(&measured), outcome, (events, selection));
    summary.loops = loops::json(&found.loops, measured.clock);
    summary.what_if.clone_from(&found.what_if);
    let text = serde_json::to_string_pretty(&summary)? + "\n";
    Folder::open(folder)?.write(JSON_FILE, text.as_bytes())?;
    Ok((measured, summary))
}

/// Nothing is written next to files of other tools, if the user does not say so. An experiment of
/// Score-P takes the results, because reports look for them there.
fn output_folder(anchor: &Path, wanted: Option<&Path>) -> Result<PathBuf> {
    if let Some(folder) = wanted {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", shown(folder)))?;
        return Ok(folder.to_owned());
    }
    let folder = match anchor.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    if !foreign::is_experiment(folder) {
        bail!(
            "{}: the archive is not in an experiment of Pompeii or Score-P; name a folder for the results: \
             -o DIR",
            shown(anchor)
        );
    }
    Ok(folder.to_owned())
}

/// The threads of an analysis: one for each CPU, if the user names no number.
pub(super) fn threads(wanted: Option<usize>) -> usize {
    wanted.unwrap_or_else(|| available_parallelism().map_or(1, usize::from)).max(1)
}

/// What is wrong with the trace: for nothing of it a value was guessed.
pub(super) fn tell_gaps(outcome: &Outcome) {
    let Gaps { backward, unbalanced, open_regions, unknown_forks, unknown_tasks, .. } =
        outcome.gaps;
    let Gaps { counters, beyond, unknown_barriers, dropped, errors, .. } = outcome.gaps;
    for error in outcome.errors.iter().take(ERRORS_SHOWN) {
        say(format!("warning: {error}"));
    }
    let further = errors - outcome.errors.len().min(ERRORS_SHOWN) as u64;
    let all = [
        (backward, "an event is earlier than the one before it"),
        (beyond, "an event is later than the end of the measurement"),
        (unbalanced, "a region is left that is not the innermost open one"),
        (open_regions, "a region is open at the end"),
        (unknown_forks, "a thread begins its part of a parallel region without a fork"),
        (unknown_tasks, "a task goes on that did not begin"),
        (counters, "the value of a counter is smaller than the one before it"),
        (
            unknown_barriers,
            "a barrier follows a time without recording in its parallel region, so it is \
                            not known which one it is",
        ),
        (
            dropped,
            "records of a thread were dropped, so its later barriers, forks and messages are not \
                   matched",
        ),
        (further, "a further record could not be read"),
        (outcome.incomplete, "a barrier, a parallel region or an operation of MPI is not complete"),
    ];
    if outcome.forks_without_team > 0 {
        say(
            "note: the trace does not tell which threads belong to a parallel region, so waiting at \
             barriers of OpenMP is not known",
        );
    }
    for (number, what) in all.into_iter().filter(|(number, _)| *number > 0) {
        say(format!("warning: {what}: {}", counted(number.cast_signed(), "time")));
    }
}

/// `analysis.json`.
#[derive(Serialize)]
struct Summary {
    /// Number of this form.
    version: u32,
    program: String,
    events: u64,
    locations: usize,
    wall_s: f64,
    /// Inclusive totals in seconds, of properties with time.
    properties: Vec<Total>,
    /// What was waited for, the longest waiting first.
    waits: Vec<Waiting>,
    /// What the waiting goes back to, the longest first.
    causes: Vec<RootCause>,
    incomplete: u64,
    /// Single instances of properties, by property and call path.
    instances: Vec<instances::Instances>,
    /// Totals of the counters of the trace.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    counters: Vec<counters::Counter>,
    /// What counters of the processor say of each region, the longest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    processor: Vec<counters::Region>,
    /// What loops would take under other schedules, the one with the largest gain first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    loops: Vec<loops::Loop>,
    /// How long the run would take with changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    what_if: Option<WhatIf>,
}

#[derive(Serialize)]
struct Total {
    name: &'static str,
    seconds: f64,
}

/// Waiting of all locations at one call path for one other call path.
#[derive(Serialize)]
struct Waiting {
    at: String,
    /// `None`: the cause is not in the trace, or it is no call path.
    by: Option<String>,
    visits: i64,
    seconds: f64,
}

/// Waiting of all locations at one call path that goes back to one call path on one location.
#[derive(Serialize)]
struct RootCause {
    at: String,
    by: String,
    /// File and first line of the construct or function in which `by` ends; empty and 0 if they are
    /// not known.
    file: String,
    line: u32,
    location: String,
    seconds: f64,
    /// The part of it that others have passed on, because they waited themselves.
    indirect_s: f64,
}

impl Summary {
    fn new(cube: &Cube, outcome: &Outcome, (events, selection): (u64, &Selection)) -> Summary {
        let wanted = properties::metrics().filter(|property| selection.has(property.name));
        let totals = wanted.filter(|property| property.unit == Unit::Ticks);
        let totals = totals.filter_map(|property| {
            let ticks = cube.total(cube.metric(property.name)?);
            let total = Total { name: property.name, seconds: cube.clock.seconds(ticks) };
            (ticks != 0).then_some(total)
        });
        Summary {
            version: 1,
            program: cube.program.clone(),
            events,
            locations: cube.system.locations.len(),
            wall_s: cube.clock.seconds(cube.wall_ticks),
            properties: totals.collect(),
            waits: waits(cube, outcome),
            causes: causes(cube, outcome),
            incomplete: outcome.incomplete,
            instances: instances::instances(cube, outcome),
            counters: counters::counters(cube),
            processor: counters::regions(cube),
            loops: Vec::new(),
            what_if: None,
        }
    }
}

/// Waiting by pairs of call paths, summed over locations, the longest first.
fn by_call(cube: &Cube) -> Vec<(CallId, Option<CallId>, Wait)> {
    let mut sums: BTreeMap<(CallId, Option<CallId>), Wait> = Default::default();
    for wait in &cube.waits {
        let key = (wait.call, wait.by.map(|(call, _)| call));
        let sum = sums.entry(key).or_insert(Wait {
            visits: 0,
            wait_ticks: 0,
            starvation_ticks: 0,
            ..*wait
        });
        sum.visits += wait.visits;
        sum.wait_ticks += wait.wait_ticks;
        sum.starvation_ticks += wait.starvation_ticks;
    }
    let mut all: Vec<_> = sums.into_iter().map(|((at, by), wait)| (at, by, wait)).collect();
    all.sort_by_key(|(at, by, wait)| (-wait.ticks(), *at, *by));
    all
}

fn waits(cube: &Cube, outcome: &Outcome) -> Vec<Waiting> {
    let waiting = |(at, by, wait): (CallId, Option<CallId>, Wait)| Waiting {
        at: outcome.path(at),
        by: by.map(|by| outcome.path(by)),
        visits: wait.visits,
        seconds: cube.clock.seconds(wait.ticks()),
    };
    by_call(cube).into_iter().map(waiting).collect()
}

fn causes(cube: &Cube, outcome: &Outcome) -> Vec<RootCause> {
    let mut roots: Vec<&Root> = cube.roots.iter().collect();
    roots.sort_by_key(|root| (-root.ticks(), root.call, root.by));
    let cause = |root: &Root| {
        let region = &cube.regions[cube.calls.region(findings::construct(cube, root.by.0))];
        RootCause {
            at: outcome.path(root.call),
            by: outcome.path(root.by.0),
            file: region.file.clone(),
            line: region.begin_line,
            location: cube.system.thread_name(root.by.1),
            seconds: cube.clock.seconds(root.ticks()),
            indirect_s: cube.clock.seconds(root.indirect_ticks),
        }
    };
    roots.into_iter().map(cause).collect()
}

#[cfg(test)]
mod file_tests;
