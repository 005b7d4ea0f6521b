//! `pompeii report`: the summary and the three dimensions as text, or all of it as JSON.

mod flat;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use pompeii_analysis::{
    Chunk, Dispatch, Finding, Machine, Measuring, Removed, findings_on, format,
};
use pompeii_finish::{Contended, Counted, Excluded, Guarded, Manifest, Turn, quoted};
use pompeii_model::{CallId, Cube};
use pompeii_report::score::pattern;
use pompeii_report::{HotLine, RunInfo, TreeOptions};

use super::reference::{self, Compared};
use super::{cpus, recover};
use crate::analyzed_trace;
use crate::date;
use crate::experiment::{self, Experiment};
use crate::output::{self, print};
use crate::packed;
use crate::progress::Progress;
use crate::recording::FILTER_COPY;
use crate::resources;
use crate::runs::{Runs, in_threads};
use crate::terminal::{Look, shown, shown_name};

/// Options of `report`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii report pompeii-20261120_1132_ab12cd34
    pompeii report before --top 3
    pompeii report before --json | jq '.findings[0]'
    pompeii report eight --serial one                  eight threads, compared with one
    pompeii report sampled --lines                     the hottest lines of the source
    pompeii report before --flat --sort exclusive      all regions, as pprof lists them
    pompeii report before --flat --by function --thread 0,0,1
    pompeii report before --flat --json | jq '.lines[0]'
    pompeii report scorep-run/profile.cubex")]
pub struct Arguments {
    /// The experiment, or a profile (profile.cubex)
    #[arg(value_name = "EXP", required_unless_present = "schema")]
    experiment: Option<PathBuf>,
    #[command(flatten)]
    damaged: experiment::Damaged,
    #[command(flatten)]
    serial: reference::Options,
    /// Print everything, or the lines of --flat, as JSON, for programs
    #[arg(long)]
    json: bool,
    /// Print the lines of the source with most samples (run --sample) instead
    #[arg(long, conflicts_with = "json")]
    lines: bool,
    #[command(flatten)]
    flat: flat::FlatArguments,
    /// Print the JSON schema of --json
    #[arg(long, exclusive = true)]
    schema: bool,
    /// Show at most N findings
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,
}

/// Regions of the table of what the run would take if they were faster.
const WHAT_IF_ROWS: usize = 5;

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    // Without an experiment the command line is right only if it asks for the schema.
    let Some(name) = &arguments.experiment else {
        print(&pompeii_report::json_schema())?;
        return Ok(ExitCode::SUCCESS);
    };
    if arguments.flat.flat {
        flat::execute(name, arguments.damaged, &arguments.flat, arguments.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let experiment = experiment::open(name, arguments.damaged)?;
    if arguments.lines {
        let options = Look::of(&std::io::stdout()).report(arguments.top);
        print(&hot_lines(&experiment, &options)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let compared = arguments.serial.compare(&experiment)?;
    if arguments.json {
        let info = run_info(&experiment, compared);
        let trees = experiment.trees();
        output::print_json(&pompeii_report::json_trees((&experiment.cube, trees.as_ref()), &info))?;
        return Ok(ExitCode::SUCCESS);
    }
    let progress = Progress::of(format!("analysing {}", shown(name)));
    let experiment = experiment.printable();
    let layout = Look::of(&std::io::stdout()).report(arguments.top);
    let trees = TreeOptions { layout: layout.clone(), ..TreeOptions::default() };
    let cube = &experiment.cube;
    let info = whole_info(&experiment, compared);
    let parts = [
        pompeii_report::summary(cube, &info, &layout),
        pompeii_report::processes(cube, &layout),
        pompeii_report::serial(cube, &info, &layout),
        pompeii_report::waits(cube, &layout),
        what_if(&experiment, &layout),
        pompeii_report::tasks(cube, &layout),
        pompeii_report::visits(cube, &layout),
        pompeii_report::trees(cube, &trees),
    ];
    drop(progress);
    print(&parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// The table of the lines with most samples.
fn hot_lines(experiment: &Experiment, options: &pompeii_report::Options) -> Result<String> {
    let (cube, name) = (&experiment.cube, shown_name(&experiment.named));
    let Some(samples) = cube.metric("samples") else {
        bail!("{name} has no samples; `pompeii run --sample 100 -- COMMAND` takes them");
    };
    let manifest = experiment.manifest.as_ref();
    let line = |line: &pompeii_finish::HotLine| HotLine {
        file: shown(&line.file).into_owned(),
        line: line.line,
        function: shown(&line.function).into_owned(),
        samples: line.samples,
    };
    let lines: Vec<HotLine> =
        manifest.map_or(&[][..], |of| of.hot_lines.as_slice()).iter().map(line).collect();
    if lines.is_empty() {
        bail!(
            "{name}: no sample has a line; compile the program with -g, and measure a longer run"
        );
    }
    Ok(pompeii_report::hot_lines(&lines, cube.total(samples).unsigned_abs(), options))
}

/// Prints the first answer to standard error, where the program has standard output. Unless the
/// experiment is kept, no command is named that reads it.
pub fn print_summary(experiment: Experiment, top: usize, is_kept: bool) {
    let compared = reference::Compared::with_its_own(&experiment);
    let experiment = experiment.printable();
    let layout = Look::of(&std::io::stderr()).report(top);
    // Whoever has just typed the command knows when and where it ran.
    let mut info = RunInfo { started: String::new(), ..run_info(&experiment, compared) };
    if !is_kept {
        info.experiment = String::new();
    }
    let text = pompeii_report::summary(&experiment.cube, &info, &layout);
    output::print_error(&text);
}

const IS_RUNNING: &str =
    "The program is still running. This report shows its data up to the last events so far.";

/// What the report says about the run in addition to its numbers; `compared` is what a run on one
/// thread says about it.
pub fn run_info(experiment: &Experiment, compared: Compared) -> RunInfo {
    let manifest = experiment.manifest.as_ref();
    let trace = experiment.folder.join("traces");
    RunInfo {
        experiment: shown_name(&experiment.named),
        observed_by: manifest.map(|it| shown(&it.observed_by).into_owned()).unwrap_or_default(),
        trace_bytes: manifest
            .filter(|manifest| manifest.trace)
            .map(|_| folder_bytes(&trace) + packed::left_out_bytes(&experiment.folder)),
        machine: Machine { reference: compared.reference, ..machine(experiment) },
        command: manifest.map(typed_command).unwrap_or_default(),
        started: manifest.map_or_else(String::new, started),
        host: manifest.map(|it| shown(&it.host).into_owned()).unwrap_or_default(),
        measuring: manifest.and_then(|manifest| measuring(manifest, &experiment.cube)),
        notes: experiment
            .is_running
            .then(|| IS_RUNNING.to_owned())
            .into_iter()
            .chain(compared.note)
            .chain(experiment.trace_note.clone())
            .chain(off_share(&experiment.cube))
            .chain(manifest.into_iter().flat_map(|manifest| notes(manifest, experiment)))
            .map(|note| shown(&note).into_owned())
            .collect(),
        what_if: experiment.what_if.clone(),
        resources: manifest.and_then(resources::reported),
        serial: compared.costs,
    }
}

/// The findings that were removed from the recorded run.
fn removed(experiment: &Experiment) -> Vec<Removed> {
    let of = experiment.what_if.iter();
    of.flat_map(|of| of.changes.iter().filter_map(|it| analyzed_trace::removed(of, it))).collect()
}

/// What the run would take with changes; the findings have the gains of those that remove them.
fn what_if(experiment: &Experiment, options: &pompeii_report::Options) -> String {
    let Some(mut what_if) = experiment.what_if.clone() else { return String::new() };
    what_if.changes.retain(|change| change.removed.is_none());
    what_if.table((WHAT_IF_ROWS, "--json"), options) + &what_if.changes_text()
}

/// The same, and what is of less interest just after the run. JSON and page have it elsewhere.
fn whole_info(experiment: &Experiment, compared: Compared) -> RunInfo {
    let mut info = run_info(experiment, compared);
    info.notes.extend(info.resources.map(|used| used.sentence()));
    info
}

/// The findings of a run on its machine.
pub fn findings_of(experiment: &Experiment) -> Vec<Finding> {
    let info = run_info(experiment, Compared::with_its_own(experiment));
    findings_on(&experiment.cube, &info.machine, info.measuring.as_ref())
}

/// The findings of each of several runs.
pub fn findings_of_all(runs: &Runs) -> Vec<Vec<Finding>> {
    in_threads(runs.all.iter().collect(), findings_of)
}

/// The command for a shell, as a terminal may show it.
fn typed_command(manifest: &Manifest) -> String {
    let words = manifest.run.command.iter().map(|word| quoted(Path::new(word)));
    shown(&words.collect::<Vec<_>>().join(" ")).into_owned()
}

/// When the run began; empty if the system's clock was not set.
fn started(manifest: &Manifest) -> String {
    match manifest.start_realtime_ns / 1_000_000_000 {
        0 => String::new(),
        seconds => date::text(seconds),
    }
}

/// How the run was measured.
fn measuring(manifest: &Manifest, cube: &Cube) -> Option<Measuring> {
    let counted = manifest.counted.as_ref().filter(|counted| !counted.metrics.is_empty());
    // Between two uses threads do other things, so the line has always moved.
    let moved = |of: Option<Contended>| of.and_then(|of| of.add.last().map(|turn| turn.more_ns));
    let pair = manifest.run.calibration.as_ref().and_then(|of| of.at(2));
    Some(Measuring {
        clock_ns: manifest.clock_reading_ns?,
        cycle_ns: manifest.cycle_ns,
        atomic_ns: manifest.atomic_ns,
        is_traced: manifest.trace,
        has_statistics: !cube.visit_times.is_empty(),
        counters_ns: counted.map_or(0.0, |counted| counted.reading_ns as f64),
        counts_everywhere: counted.is_some_and(|counted| counted.at_every_event),
        excluded_visits: manifest.excluded_visits,
        line_ns: moved(pair).unwrap_or(0.0),
        arrival_ns: moved(contended(manifest, threads_each(cube))).unwrap_or(0.0),
        crowded_cpus: cpus::crowded(manifest, cube),
    })
}

/// What the machine did to the run, with names as a terminal may show them.
fn machine(experiment: &Experiment) -> Machine {
    let Some(manifest) = &experiment.manifest else { return Machine::default() };
    let mut causes = cpus::causes(manifest, &experiment.cube);
    causes.iter_mut().for_each(|cause| cause.sentence = shown(&cause.sentence).into_owned());
    let (not_on_cpu_ns, late_ns) = (cpus::not_on_cpu_ns(manifest), cpus::late_ns(manifest));
    Machine {
        causes,
        not_on_cpu_ns,
        starting_ns: cpus::starting_ns(manifest),
        waiting_ns: cpus::waiting_ns(manifest),
        late_ns,
        cpus: manifest.run.machine.as_ref().map(|machine| machine.cpus),
        reference: None,
        dispatch: dispatch(manifest, threads_each(&experiment.cube)),
        removed: removed(experiment),
    }
}

/// The cost of handing out a chunk to one of `threads` threads of this run: the call, and what
/// was measured after it.
pub(super) fn dispatch(manifest: &Manifest, threads: usize) -> Option<Dispatch> {
    const CALL_CYCLES: f64 = 40.0;
    let measuring = Measuring { cycle_ns: manifest.cycle_ns, ..Measuring::default() };
    let call_ns = measuring.ns(CALL_CYCLES).round() as u64;
    let contended = contended(manifest, threads)?;
    let chunk = |turn: &Turn| Chunk {
        all_ns: call_ns + turn.all_ns.max(0.0) as u64,
        more_ns: turn.more_ns.max(0.0) as u64,
    };
    let chunks = |turns: &[Turn]| turns.iter().map(chunk).collect();
    Some(Dispatch {
        call_ns,
        apart: chunks(&contended.add),
        adjacent: chunks(&contended.add_and_store),
    })
}

/// How many threads a process of this run has.
fn threads_each(cube: &Cube) -> usize {
    cube.system.locations.len() / cube.system.processes.len().max(1)
}

/// The cost of memory that `threads` threads have in common.
fn contended(manifest: &Manifest, threads: usize) -> Option<Contended> {
    let contended = manifest.run.calibration.as_ref()?.at(threads)?;
    Some(contended).filter(|of| !of.add.is_empty() && !of.add_and_store.is_empty())
}

/// What is to be said about metrics: those that are missing, and how the others were read.
fn counted(of: &Counted) -> Vec<String> {
    let missing = of.missing.iter().map(|what| format!("Not counted: {what}."));
    let mut notes: Vec<String> = missing.collect();
    if of.metrics.is_empty() {
        return notes;
    }
    let place = match of.at_every_event {
        true => "at every event",
        false => "at the beginning and end of parallel regions, user regions, functions and tasks",
    };
    let (metrics, cost) = (of.metrics.join(", "), of.reading_ns);
    notes.push(format!("Counters were read {place}, at {cost} ns each time: {metrics}."));
    if of.running_permille < 1000 {
        let percent = of.running_permille / 10;
        notes.push(format!(
            "The processor has too few counters for all of these, so they took turns. Each was \
             counted in at least {percent} % of the time, and its value is scaled. For exact \
             values, request fewer at once."
        ));
    }
    notes
}

/// How much of the run was not recorded because a window or the program said so.
fn off_share(cube: &Cube) -> Option<String> {
    let (time, visits) = (cube.metric("time")?, cube.metric("visits")?);
    let is_off = |call: &CallId| cube.regions[cube.calls.region(*call)].is_measurement_off();
    let mut ticks = 0;
    for call in cube.calls.ids().filter(is_off) {
        let of = cube.system.locations.ids().filter(|&at| cube.get(visits, call, at) > 0);
        ticks += of.map(|at| cube.get(time, call, at)).sum::<i64>();
    }
    let (off, all) = (cube.clock.seconds(ticks), cube.clock.seconds(cube.allocation_ticks()));
    (ticks > 0).then(|| {
        format!(
            "Recording was off for {} of {} ({}). This time is shown as MEASUREMENT OFF.",
            format::seconds(off),
            format::seconds(all),
            format::percent(off / all)
        )
    })
}

fn folder_bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|file| file.len()).sum()
}

/// What was lost, and what else was measured.
fn notes(manifest: &Manifest, experiment: &Experiment) -> Vec<String> {
    let mut notes = recover::lost(manifest);
    if !manifest.merged.is_empty() {
        let names = manifest.merged.join(", ");
        notes.push(format!("This experiment was merged of {names}."));
    }
    let filter = experiment.named.join(FILTER_COPY);
    if experiment.folder.join(FILTER_COPY).exists() {
        notes.push(format!(
            "Functions and user regions were selected by the filter {}.",
            shown_name(&filter)
        ));
    }
    notes.extend(manifest.counted.iter().flat_map(counted));
    notes.extend(cpus::unknown(manifest));
    notes.extend(excluded(&manifest.excluded));
    notes.extend(incomplete_samples(manifest));
    notes.extend(manifest.guarded.iter().map(guarded));
    if manifest.summed_visits > 0 {
        let visits = format::counted(manifest.summed_visits as i64, "visit");
        notes.push(format!(
            "In total, the trace has {visits} only as sums. The profile includes all visits."
        ));
    }
    notes.extend(manifest.processes.iter().map(recover::process_line));
    notes
}

/// If the callers of more samples than this share are not known, call paths mislead.
fn incomplete_samples(manifest: &Manifest) -> Option<String> {
    const MANY: f64 = 0.02;
    let [all, incomplete] = manifest.samples;
    (incomplete > 0 && incomplete as f64 >= MANY * all as f64).then(|| {
        format!(
            "Of {}, {} have incomplete call paths: functions of code without unwind tables, or on \
             stacks of the program's own, may be shown without what has called them.",
            format::counted(all as i64, "sample"),
            format::count(incomplete as i64),
        )
    })
}

/// Which functions were excluded during the run, and how to exclude them from the start.
fn excluded(all: &[Excluded]) -> Option<String> {
    const NAMED: usize = 5;
    let first = all.first()?;
    let since = all.iter().map(|of| of.since_s).fold(f64::INFINITY, f64::min);
    let named = all.iter().take(NAMED).map(|of| match of.place.as_str() {
        "" => of.region.clone(),
        place => format!("{} ({place})", of.region),
    });
    let more = match all.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (what, they) = match all.len() {
        1 => ("this function took longer than the function itself".to_owned(), "it"),
        many => (format!("these {many} functions took longer than the functions"), "them"),
    };
    Some(format!(
        "Since {since:.3} s, Pompeii has stopped measuring {}{more}, because measuring {what}. \
         Afterwards their time is in their callers, and their visits are not counted; the profile \
         has those before ({} of {}). Exclude {they} from the start with the filter line \
         \"SCOREP_REGION_NAMES_BEGIN EXCLUDE {} SCOREP_REGION_NAMES_END\", or measure each visit \
         with --no-guard.",
        named.collect::<Vec<_>>().join(", "),
        format::counted(first.visits as i64, "visit"),
        first.region,
        all.iter().map(|of| pattern(&of.region)).collect::<Vec<_>>().join(" "),
    ))
}

/// What the guard has done to the trace.
fn guarded(guarded: &Guarded) -> String {
    let place = if guarded.place.is_empty() || guarded.region.contains('@') {
        String::new()
    } else {
        format!(" ({})", guarded.place)
    };
    let threads = if guarded.threads == 1 { "thread" } else { "threads" };
    let until = guarded.until_s.map_or(String::new(), |until| format!(" until {until:.3} s"));
    format!(
        "The trace has short visits of {}{place} only as sums, on {} {threads} since {:.3} s{until}; \
         --no-guard records every visit.",
        guarded.region, guarded.threads, guarded.since_s
    )
}
