//! `pompeii recover`: make an experiment of what a program left that nobody has finished, and say
//! what there was. Every command that opens an experiment does the same; this one says more, and
//! can be told that a program has ended which this host knows nothing of.

mod archive;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use pompeii_finish::{Dropped, End, Manifest, ProcessEntry, RunInfo};

use super::{job, print};
use crate::experiment;

/// Options of `recover`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii recover pompeii-20261120_1132_ab12cd34
    pompeii recover --force before      the job on the other host is over
    pompeii recover before --json | jq .end
    pompeii recover trace/traces.otf2   an OTF2 archive whose writer died, of whatever tool")]
pub struct Arguments {
    /// The experiment; or the anchor that an OTF2 archive should have
    #[arg(value_name = "EXP")]
    experiment: PathBuf,
    /// Its program has ended, even where it seems to be running or ran on another host
    #[arg(long)]
    force: bool,
    /// The manifest as JSON, for programs
    #[arg(long)]
    json: bool,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let folder = &arguments.experiment;
    if let Some(anchor) = archive::anchor_of(folder) {
        return archive::execute(&anchor, arguments.json);
    }
    if !folder.is_dir() {
        bail!(
            "{}: expected the directory of an experiment, or the anchor of an OTF2 archive (*.otf2)",
            folder.display()
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
        finish(folder, &info).with_context(|| format!("cannot finish {}", folder.display()))?
    } else {
        Manifest::load(folder).ok()
    };
    let Some(manifest) = manifest else {
        bail!(
            "{}: nothing to recover: no process was measured here, or none that got to its first \
             event; expected a folder `live` or `manifest.json`",
            folder.display()
        );
    };
    match arguments.json {
        true => print(&(serde_json::to_string_pretty(&manifest)? + "\n"))?,
        false => print(&describe(folder, &manifest, unfinished))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What was done, and what the experiment is of.
fn describe(folder: &Path, manifest: &Manifest, unfinished: bool) -> String {
    let (shown, by) = (folder.display(), &manifest.run.finished_by);
    let mut text = match (unfinished, by.as_str()) {
        (true, _) => format!("{shown}: finished now.\n"),
        (false, "") => format!("{shown}: was finished before; nothing to do.\n"),
        (false, by) => format!("{shown}: was finished by `pompeii {by}`; nothing to do.\n"),
    };
    let program = &manifest.program;
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
        let _ = writeln!(text, "  {line}");
    }
    for process in &manifest.processes {
        let _ = writeln!(text, "  {}", process_line(process));
    }
    text
}

/// Sentences about what is not in the experiment.
pub fn lost(manifest: &Manifest) -> Vec<String> {
    let lost = &manifest.lost;
    let reason = lost.reason.as_deref().unwrap_or("no reason known");
    let mut lines = Vec::new();
    if lost.events > 0 {
        lines.push(format!("{} events could not be recorded: {reason}.", lost.events));
    }
    lines.extend(lost.dropped.iter().map(|dropped| {
        let Dropped { location, events, from_s, until_s } = dropped;
        format!(
            "The trace lacks {events} of them, of {location}, from {from_s:.3} s to {until_s:.3} s."
        )
    }));
    if lost.threads > 0 {
        lines.push(format!("{} threads were not observed: {reason}.", lost.threads));
    }
    lines.extend(manifest.job.iter().flat_map(job::notes));
    if lost.died && manifest.job.is_none() {
        let end = &manifest.end;
        lines
            .push(format!("The program died ({end}): times end at the last event of each thread."));
    }
    if manifest.end == End::Exec {
        lines.push("The program has become another one (exec): what that did is not here.".into());
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
