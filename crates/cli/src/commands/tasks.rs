//! `pompeii tasks`: what the tasks of a trace did, which problems they have, and with how many
//! threads they would keep all of them busy. Nothing is written, so archives of other tools need no
//! folder for results; only `--split` writes a copy of the trace.

mod split;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use pompeii_analysis::tasks::TaskAnalysis;
use pompeii_analysis::tasks::found::Found;
use pompeii_analysis::tasks::rows::Rows;
use pompeii_analysis::tasks::simulate::Rule;
use pompeii_analysis::tasks::simulated::{self, Simulations};
use pompeii_finish::{MANIFEST_FILE, Manifest};
use pompeii_otf2::read::Archive;
use pompeii_replay::definitions::Definitions;
use pompeii_replay::table::Batch;
use pompeii_replay::transport::local::Local;
use pompeii_replay::{Compound, Options, Sinks, replay_on, told_trace};
use pompeii_report::{task_analysis, task_analysis_json};

use super::{analyze, dump};
use crate::output::{print, print_json, say};
use crate::progress::Progress;
use crate::terminal::{Look, make_printable, shown};

/// Options of `tasks`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii tasks traced                             the trace of an experiment
    pompeii tasks scorep-run/traces.otf2             any OTF2 archive
    pompeii tasks traced --threads 2,8,16            the same tasks on other numbers of threads
    pompeii tasks traced --split split               a copy for timelines that know no tasks
    pompeii tasks traced --json | jq '.regions[].bounds'")]
pub struct Arguments {
    /// An experiment with a trace, or the anchor file of an OTF2 archive (traces.otf2)
    #[arg(value_name = "EXP")]
    trace: PathBuf,
    /// Threads of the analysis [default: one for each CPU]
    #[arg(short, value_name = "N")]
    jobs: Option<usize>,
    /// Simulate the tasks on these numbers of threads, for example 2,8,16
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = thread_count)]
    threads: Vec<usize>,
    /// Write a copy of the trace to this new folder, in which the regions of suspended tasks are
    /// left and entered again
    #[arg(long, value_name = "OUT", conflicts_with_all = ["jobs", "threads", "json"])]
    split: Option<PathBuf>,
    /// Print everything as JSON, for programs
    #[arg(long)]
    json: bool,
}

/// A number of threads for a simulation.
pub(super) fn thread_count(text: &str) -> Result<usize, String> {
    let threads = text.parse::<usize>().ok().filter(|threads| (1..=1_000_000).contains(threads));
    threads.ok_or_else(|| "expected numbers of threads from 1 to 1000000".to_owned())
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let anchor = dump::anchor_path(&arguments.trace)?;
    if let Some(output) = &arguments.split {
        return split::write(&anchor, output);
    }
    let threads = analyze::threads(arguments.jobs);
    let (mut tasks, is_complete) = analyze_tasks(&anchor, threads, &arguments.threads)?;
    match arguments.json {
        true => print_json(&task_analysis_json(&tasks))?,
        false => {
            tasks.change_texts(&mut make_printable);
            let layout = Look::of(&std::io::stdout()).report(0);
            print(&task_analysis(&tasks, &layout))?;
        }
    }
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The rule by which the threads of a run executed tasks. Experiments name the OpenMP library.
pub(super) fn rule(anchor: &Path, definitions: &Definitions) -> Rule {
    let folder = anchor.parent().filter(|folder| folder.join(MANIFEST_FILE).exists());
    let manifest = folder.and_then(|folder| Manifest::load(folder).ok());
    let library = manifest.and_then(|manifest| manifest.run.openmp_library);
    simulated::rule(definitions, library.as_deref())
}

/// Analyses a trace, and simulates its tasks on these numbers of threads. Returns whether all of it
/// could be read, too.
fn analyze_tasks(
    anchor: &Path,
    threads: usize,
    on_threads: &[usize],
) -> Result<(TaskAnalysis, bool)> {
    let (archive, errors) = Archive::salvage(anchor)
        .context("expected the anchor of an OTF2 archive (traces.otf2) or an experiment")?;
    errors.iter().for_each(|error| say(format!("warning: {error}")));
    let events = archive.locations().map(|location| location.number_of_events).sum();
    let progress = Progress::events(format!("analysing {}", shown(anchor)), events);
    let trace = told_trace(&archive, &progress.done)?;
    let mut found = Found::new(trace.definitions.begin, trace.definitions.end);
    let mut rows = Rows::new(&trace.definitions);
    let rule = rule(anchor, &trace.definitions);
    let mut simulations = (!on_threads.is_empty()).then(|| Simulations::new(on_threads, rule));
    let mut note = |compound: Compound| {
        found.note(&compound);
        simulations.iter_mut().for_each(|simulations| simulations.note(&compound));
    };
    let mut take = |batch: Batch| rows.take(&batch);
    let sinks = Sinks { found: &mut note, tables: Some(&mut take), scenarios: None };
    let task_steps = !on_threads.is_empty();
    let options = Options { threads, path: true, task_steps, ..Options::default() };
    let Ok(outcome) = replay_on(&mut Local, trace, options, sinks);
    drop(progress);
    analyze::tell_gaps(&outcome);
    let tasks = TaskAnalysis::new((&found, &rows), simulations.as_ref(), &outcome);
    Ok((tasks, errors.is_empty() && outcome.gaps.errors == 0))
}
