//! `pompeii recover`: make an experiment of what a program left that nobody has finished, and say
//! what there was. Every command that opens an experiment does the same; this one says more, and
//! can be told that a program has ended which this host knows nothing of.

mod archive;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use pompeii_finish::{Dropped, End, Manifest, ProcessEntry, RunInfo, WithoutPlace};

use super::job;
use crate::experiment;
use crate::output::{print, print_json};
use crate::progress::Progress;
use crate::terminal::shown;

/// Options of `recover`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii recover pompeii-20261120_1132_ab12cd34
    pompeii recover --force before      the program ran on another host and has ended
    pompeii recover before --json | jq .end
    pompeii recover trace/traces.otf2   an incomplete OTF2 archive of any tool")]
pub struct Arguments {
    /// The experiment, or the anchor file of an OTF2 archive (it need not exist)
    #[arg(value_name = "EXP")]
    experiment: PathBuf,
    /// Assume that the program has ended, although it seems to be running or ran on another host
    #[arg(long)]
    force: bool,
    /// Print the manifest as JSON, for programs
    #[arg(long)]
    json: bool,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let folder = &arguments.experiment;
    if let Some(anchor) = archive::anchor_of(folder) {
        return archive::execute(&anchor, arguments.json);
    }
    if !folder.exists() {
        bail!("{}: no such folder; expected the directory of an experiment", shown(folder));
    }
    if !folder.is_dir() {
        bail!(
            "{}: expected the directory of an experiment, or the anchor of an OTF2 archive (*.otf2)",
            shown(folder)
        );
    }
    experiment::check_access(folder)?;
    let unfinished = pompeii_finish::is_unfinished(folder);
    let info = RunInfo { finished_by: "recover".to_owned(), ..RunInfo::default() };
    let finish = match arguments.force {
        true => pompeii_finish::finish_ended,
        false => pompeii_finish::finish,
    };
    let manifest = if unfinished {
        let _progress = Progress::of(format!("finishing {}", shown(folder)));
        finish(folder, &info).with_context(|| format!("cannot finish {}", shown(folder)))?
    } else {
        Manifest::load(folder).ok()
    };
    let Some(manifest) = manifest else {
        bail!(
            "{}: nothing to recover: no process was measured here, or none that got to its first \
             event; expected a folder `live` or `manifest.json`",
            shown(folder)
        );
    };
    match arguments.json {
        true => print_json(&(serde_json::to_string_pretty(&manifest)? + "\n"))?,
        false => print(&describe(folder, &manifest, unfinished))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What was done, and what the experiment is of.
fn describe(folder: &Path, manifest: &Manifest, unfinished: bool) -> String {
    let (name, by) = (shown(folder), shown(&manifest.run.finished_by));
    let mut text = match (unfinished, &*by) {
        (true, _) => format!("{name}: finished now.\n"),
        (false, "") => format!("{name}: was finished before; nothing to do.\n"),
        (false, by) => format!("{name}: was finished by `pompeii {by}`; nothing to do.\n"),
    };
    let program = shown(&manifest.program);
    let _ = match &manifest.job {
        Some(job) => writeln!(text, "  {program}, {} processes of an MPI job", job.ranks.len()),
        None => writeln!(text, "  {program}, process {}, ended by {}", manifest.pid, manifest.end),
    };
    let _ = writeln!(
        text,
        "  kept: {:.6} s of {} thread{}, {} regions, {} call paths{}",
        manifest.wall_ns as f64 / 1e9,
        manifest.locations,
        if manifest.locations == 1 { "" } else { "s" },
        manifest.regions,
        manifest.call_paths,
        if manifest.trace { ", and the trace" } else { "" }
    );
    for line in lost(manifest) {
        let _ = writeln!(text, "  {}", shown(&line));
    }
    for process in &manifest.processes {
        let _ = writeln!(text, "  {}", shown(&process_line(process)));
    }
    text
}

/// Sentences about what is not in the experiment.
pub fn lost(manifest: &Manifest) -> Vec<String> {
    let lost = &manifest.lost;
    let reason = lost.reason.as_deref().unwrap_or("no reason known");
    let mut lines = Vec::new();
    if lost.events > 0 {
        let count = if lost.more_events { "At least " } else { "" };
        let rest = if lost.is_trace_empty { "; the trace is empty" } else { "" };
        lines.push(format!("{count}{} events could not be recorded: {reason}{rest}.", lost.events));
    }
    let parts = lost.dropped.iter().filter(|_| !lost.is_trace_empty);
    lines.extend(parts.map(|dropped| {
        let Dropped { location, events, from_s, until_s } = dropped;
        format!(
            "The trace lacks {events} of them, of {location}, from {from_s:.3} s to {until_s:.3} s."
        )
    }));
    if lost.threads > 0 {
        lines.push(format!("{} threads were not measured: {reason}.", lost.threads));
    }
    lines.extend(lost.without_place.iter().map(|WithoutPlace { what, count, places }| {
        format!(
            "Events of {count} {what} were not recorded: the measurement library has room for at \
             most {places} at the same time."
        )
    }));
    if lost.readings > 0 {
        let readings = lost.readings;
        lines.push(format!("{readings} readings of counters or visits were lost: {reason}."));
    }
    lines.extend(manifest.job.iter().flat_map(job::notes));
    if lost.died && manifest.job.is_none() {
        let end = &manifest.end;
        lines.push(format!(
            "The program died ({end}). It was measured until the last event of each thread."
        ));
    }
    if manifest.end == End::Exec {
        lines.push(
            "The program was replaced by another one (exec); this experiment ends there.".into(),
        );
    }
    lines
}

/// Another process of the run.
pub fn process_line(process: &ProcessEntry) -> String {
    let ProcessEntry { folder, program, end, forked_from, problem } = process;
    if let Some(problem) = problem {
        return format!("Not measured: {program}: {problem}.");
    }
    let forked = forked_from.map_or_else(String::new, |parent| format!(", forked by {parent}"));
    let ended = match end {
        End::Exit { code: Some(0) | None } => String::new(),
        end => format!(", ended by {end}"),
    };
    format!("Also measured: {program}, in {folder}{forked}{ended}.")
}
