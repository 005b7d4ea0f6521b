//! `pompeii report`: the summary and the three dimensions as text, or all of it as JSON.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use pompeii_analysis::format;
use pompeii_finish::{Counted, Guarded, Manifest};
use pompeii_model::{CallId, Cube};
use pompeii_report::{Options, RunInfo, TreeOptions};

use super::{cpus, print, recover};
use crate::experiment::{self, Experiment};
use crate::recording::FILTER_COPY;

/// Options of `report`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii report pompeii-20261120_1132_ab12cd34
    pompeii report before --top 3
    pompeii report before --json | jq '.findings[0]'
    pompeii report scorep-run/profile.cubex")]
pub struct Arguments {
    /// The experiment, or a profile.cubex
    #[arg(value_name = "EXP")]
    experiment: PathBuf,
    /// Everything as JSON, for programs
    #[arg(long)]
    json: bool,
    /// Show at most so many findings
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let experiment = experiment::open(&arguments.experiment)?;
    let text = if arguments.json {
        pompeii_report::json(&experiment.cube)
    } else {
        let trees = pompeii_report::trees(&experiment.cube, &TreeOptions::default());
        let layout = TreeOptions::default().layout;
        let cube = &experiment.cube;
        let parts = [
            summary(&experiment, arguments.top, &std::io::stdout()),
            pompeii_report::processes(cube, &layout),
            pompeii_report::waits(cube, &layout),
            pompeii_report::tasks(cube, &layout),
            pompeii_report::visits(cube, &layout),
            trees,
        ];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The first answer, with colour and bars where `out` is a terminal that wants them.
pub fn summary(experiment: &Experiment, top: usize, out: &impl IsTerminal) -> String {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let terminal = out.is_terminal();
    let options = Options { color: terminal && !plain, bars: terminal, top, ..Options::default() };
    pompeii_report::summary(&experiment.cube, &run_info(experiment), &options)
}

/// What the report says about the run beside its numbers.
pub fn run_info(experiment: &Experiment) -> RunInfo {
    let manifest = experiment.manifest.as_ref();
    let trace = experiment.folder.join("traces");
    RunInfo {
        experiment: shown_name(&experiment.folder),
        observed_by: manifest.map(|manifest| manifest.observed_by.clone()).unwrap_or_default(),
        trace_bytes: manifest.filter(|manifest| manifest.trace).map(|_| folder_bytes(&trace)),
        notes: off_share(&experiment.cube)
            .into_iter()
            .chain(manifest.into_iter().flat_map(|manifest| notes(manifest, &experiment.folder)))
            .collect(),
    }
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
        false => "at the borders of parallel regions, user regions, functions and tasks",
    };
    let (metrics, cost) = (of.metrics.join(", "), of.reading_ns);
    notes.push(format!("Counted {place}, {cost} ns each time: {metrics}."));
    if of.running_permille < 1000 {
        let percent = of.running_permille / 10;
        notes.push(format!(
            "The machine has too few counters for all of these: they took turns, and were counted \
             in {percent} % of the time at least. Values are scaled; ask for fewer at once."
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
            "Recording was off for {} of {} ({}): what happened then is in MEASUREMENT OFF.",
            format::seconds(off),
            format::seconds(all),
            format::percent(off / all)
        )
    })
}

/// As the user may type it: relative where it is below the current folder.
fn shown_name(folder: &Path) -> String {
    let current = std::env::current_dir().unwrap_or_default();
    folder.strip_prefix(&current).unwrap_or(folder).display().to_string()
}

fn folder_bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|file| file.len()).sum()
}

/// What was lost, and what else was measured.
fn notes(manifest: &Manifest, folder: &Path) -> Vec<String> {
    let mut notes = recover::lost(manifest);
    let filter = folder.join(FILTER_COPY);
    if filter.exists() {
        notes.push(format!("Functions and user regions by the filter {}.", shown_name(&filter)));
    }
    notes.extend(manifest.counted.iter().flat_map(counted));
    notes.extend(cpus::note(manifest));
    notes.extend(manifest.guarded.iter().map(guarded));
    if manifest.summed_visits > 0 {
        let visits = format::counted(manifest.summed_visits as i64, "visit");
        notes.push(format!("In all {visits} are in sums of the trace; the profile has each."));
    }
    notes.extend(manifest.processes.iter().map(recover::process_line));
    notes
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
        "Short visits of {}{place} are sums in the trace, on {} {threads} since {:.3} s{until}; \
         --no-guard records each.",
        guarded.region, guarded.threads, guarded.since_s
    )
}
