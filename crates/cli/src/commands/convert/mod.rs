//! `pompeii convert`: a trace or a profile in the format of another tool.

mod cut;
pub mod output;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use pompeii_analysis::format::counted;
use pompeii_export::epilog::import::{Files, Source};
use pompeii_export::tau::{self, View};
use pompeii_export::{
    Open, Read, chrome, csv, epilog, firefox, folded, graph, paraver, parquet, perfetto, speedscope,
};
use pompeii_model::Cube;
use pompeii_otf2::read::Archive;
use pompeii_replay::definitions::Definitions;
use pompeii_replay::{archive, told_trace};

use super::{analyze, dump};
use crate::experiment::{self, Damaged};
use crate::output::{named_file, say};
use crate::progress::Progress;
use crate::terminal::{cannot, shown};
use output::{to_archive, to_file, to_folder};

/// Options of `convert`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii convert traced --to perfetto -o traced.pftrace          for ui.perfetto.dev
    pompeii convert scorep-run/traces.otf2 --to perfetto -o a.pftrace
    pompeii convert traced --to perfetto -o - | gzip > traced.pftrace.gz
    pompeii convert traced --to parquet -o tables                   for data frames and databases
    duckdb -c \"select kind, sum(ticks) from 'tables/waits.parquet' group by kind\"
    pompeii convert traced --to csv -o tables                       the same tables as text
    pompeii convert traced --to speedscope -o traced.speedscope.json
    pompeii convert traced --to otf2 --window 10:12.5 -o part       only 2.5 seconds of the trace
    pompeii convert traced --to epilog -o traced.elg                 for KOJAK and Scalasca 1
    pompeii convert measured --to folded -o - | flamegraph.pl > measured.svg
    pompeii convert measured --to tau -o tau; cd tau; pprof         a profile for TAU's tools")]
pub struct Arguments {
    /// An experiment with a trace, or the anchor file of an OTF2 archive (traces.otf2). For
    /// tau, folded, graphml and dot any experiment, or a profile (profile.cubex). For otf2 also
    /// a trace in the format EPILOG (trace.elg)
    #[arg(value_name = "EXP")]
    trace: PathBuf,
    /// The format
    #[arg(long, value_name = "FORMAT")]
    to: Format,
    /// The result, which must not exist yet: a file, for tables a folder; - is standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// What a timer of OpenMP is, for tau: a construct of the source, or all of its kind
    #[arg(
        long,
        value_name = "WHAT",
        value_parser = ["region", "construct"],
        default_value = "region"
    )]
    by: String,
    #[command(flatten)]
    cut: cut::Options,
    /// Threads, for tables only [default: one for each CPU]
    #[arg(short, value_name = "N")]
    jobs: Option<usize>,
}

/// The formats. To add one: a variant, and its line in `execute`.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A file for the timeline at ui.perfetto.dev and for SQL in its trace_processor
    Perfetto,
    /// A folder with tables of all visits, barriers, messages, waits and so on, for data frames and
    /// databases
    Parquet,
    /// The same tables as comma-separated values, for spreadsheets and scripts
    Csv,
    /// A file with the call stacks of all threads over time, for speedscope.app
    Speedscope,
    /// A file with the trace events of Chrome, for other timelines
    Chrome,
    /// A file with the call stacks and tasks of all threads, for profiler.firefox.com
    Firefox,
    /// A folder with the trace and its labels, for Paraver
    Paraver,
    /// A folder with a part of the trace as an OTF2 archive, for Vampir, Scalasca and `analyze`
    Otf2,
    /// A file with the trace for KOJAK and Scalasca 1
    Epilog,
    /// A file with a line for each call path, for flame graphs
    Folded,
    /// The call graph as GraphML, for networkx, Gephi and yEd
    Graphml,
    /// The call graph as DOT, for Graphviz
    Dot,
    /// A folder with the profile of each thread, for pprof and ParaProf
    Tau,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let (output, view) = (&arguments.output, arguments.view());
    arguments.cut.check(arguments.to == Format::Otf2)?;
    match arguments.to {
        Format::Perfetto => from_trace(arguments, perfetto::passes, |open, _| {
            to_file(output, |out| perfetto::write(open, out))
        }),
        Format::Parquet => from_trace(arguments, one_pass, |open, threads| {
            to_folder(output, |create| parquet::write(open, threads, create))
        }),
        Format::Csv => from_trace(arguments, one_pass, |open, threads| {
            to_folder(output, |create| csv::write(open, threads, create))
        }),
        Format::Speedscope => from_trace(arguments, one_pass, |open, _| {
            to_file(output, |out| speedscope::write(open, out))
        }),
        Format::Chrome => from_trace(arguments, chrome::passes, |open, _| {
            to_file(output, |out| chrome::write(open, out))
        }),
        Format::Firefox => from_trace(arguments, one_pass, |open, _| {
            to_file(output, |out| firefox::write(open, out))
        }),
        Format::Paraver => from_trace(arguments, paraver::passes, |open, _| {
            to_folder(output, |create| paraver::write(open, create))
        }),
        Format::Otf2 => match Files::find(&arguments.trace)
            .with_context(|| cannot("read the EPILOG trace", &arguments.trace))?
        {
            Some(files) => from_epilog(arguments, &files),
            None => to_otf2(arguments),
        },
        Format::Epilog => to_epilog(arguments),
        Format::Folded => {
            from_profile(arguments, |cube| to_file(output, |out| folded::write(cube, out)))
        }
        Format::Graphml => {
            from_profile(arguments, |cube| to_file(output, |out| graph::write_graphml(cube, out)))
        }
        Format::Dot => {
            from_profile(arguments, |cube| to_file(output, |out| graph::write_dot(cube, out)))
        }
        Format::Tau => from_profile(arguments, |cube| {
            to_folder(output, |create| tau::write(cube, view, create))
        }),
    }
}

fn one_pass(_: &Definitions) -> u64 {
    1
}

/// Converts a trace; `passes` says how often its events are read.
fn from_trace(
    arguments: &Arguments,
    passes: impl FnOnce(&Definitions) -> u64,
    write: impl FnOnce(Open<'_>, usize) -> Result<Read>,
) -> Result<ExitCode> {
    let (anchor, archive, is_whole) = arguments.archive()?;
    let work = events(&archive).saturating_mul(passes(&archive::definitions(&archive)));
    let progress = Progress::events(format!("converting {}", shown(&anchor)), work);
    let threads = analyze::threads(arguments.jobs);
    let read = write(&mut || told_trace(&archive, &progress.done), threads)?;
    drop(progress);
    tell(&read);
    arguments.tell_result();
    Ok(ended(is_whole && read.errors == 0))
}

/// Writes a part of a trace as an archive.
fn to_otf2(arguments: &Arguments) -> Result<ExitCode> {
    let (anchor, archive, is_whole) = arguments.archive()?;
    let definitions = archive::definitions(&archive);
    let choice = arguments.cut.choice(&archive, &definitions)?;
    let progress = Progress::events(format!("cutting {}", shown(&anchor)), events(&archive));
    let read = to_archive(&arguments.output, |folder| {
        pompeii_export::cut::write(&archive, (&definitions, &choice), folder, &progress.done)
    })?;
    drop(progress);
    tell(&read);
    arguments.tell_result();
    Ok(ended(is_whole && read.errors == 0))
}

/// Writes a trace for KOJAK and Scalasca 1.
fn to_epilog(arguments: &Arguments) -> Result<ExitCode> {
    let (anchor, archive, is_whole) = arguments.archive()?;
    let work = events(&archive).saturating_mul(epilog::PASSES);
    let progress = Progress::events(format!("converting {}", shown(&anchor)), work);
    let written = to_file(&arguments.output, |out| epilog::write(&archive, out, &progress.done))?;
    drop(progress);
    tell(&written.read);
    if !written.left_out.is_empty() {
        say(format!("note: EPILOG has no place for {}", written.left_out));
    }
    arguments.tell_result();
    Ok(ended(is_whole && written.read.errors == 0))
}

/// Writes a trace of KOJAK or Scalasca 1 as an archive.
fn from_epilog(arguments: &Arguments, files: &Files) -> Result<ExitCode> {
    arguments.cut.check(false).context("a trace in the format EPILOG is converted as a whole")?;
    let (trace, passes) = (&arguments.trace, 2);
    let progress =
        Progress::new(format!("converting {}", shown(trace)), Some(passes * files.bytes()));
    let source = Source::open(files, &progress.done)
        .with_context(|| cannot("read the EPILOG trace", trace))?;
    let left_out = to_archive(&arguments.output, |folder| source.write(folder, &progress.done))?;
    drop(progress);
    if !left_out.is_empty() {
        say(format!("note: OTF2 has no place for {left_out}"));
    }
    arguments.tell_result();
    Ok(ExitCode::SUCCESS)
}

/// Number of events of a trace, as its definitions say.
fn events(archive: &Archive) -> u64 {
    archive.locations().map(|location| location.number_of_events).sum()
}

fn ended(is_complete: bool) -> ExitCode {
    if is_complete { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// Converts the profile of an experiment, which needs no trace.
fn from_profile(
    arguments: &Arguments,
    write: impl FnOnce(&Cube) -> Result<()>,
) -> Result<ExitCode> {
    write(&experiment::measured(&arguments.trace, Damaged::default())?)?;
    arguments.tell_result();
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn view(&self) -> View {
        if self.by == "construct" { View::Construct } else { View::Region }
    }

    /// The trace with the path of its anchor, and whether all definitions could be read.
    fn archive(&self) -> Result<(PathBuf, Archive, bool)> {
        let anchor = dump::anchor_path(&self.trace)?;
        let (archive, errors) = Archive::salvage(&anchor)
            .context("expected the anchor of an OTF2 archive (traces.otf2) or an experiment")?;
        errors.iter().for_each(|error| say(format!("warning: {error}")));
        Ok((anchor, archive, errors.is_empty()))
    }

    /// Names the result, and what the user does with it.
    fn tell_result(&self) {
        if let Some(path) = named_file(Some(&self.output)) {
            say(format!("{} is written: {}", shown(path), self.to.what_next()));
        }
    }
}

impl Format {
    fn what_next(self) -> &'static str {
        match self {
            Format::Perfetto => "open it at https://ui.perfetto.dev (it stays on this computer)",
            Format::Parquet | Format::Csv => "a file for each table",
            Format::Speedscope => "open it at https://speedscope.app (it stays on this computer)",
            Format::Chrome => "open it at chrome://tracing or in another timeline",
            Format::Firefox => {
                "open it at https://profiler.firefox.com (it stays on this computer)"
            }
            Format::Otf2 => "its anchor is traces.otf2 there",
            Format::Paraver => "open trace.prv there with Paraver",
            Format::Epilog => "its records are those of EPILOG 1.9",
            Format::Folded => "call flamegraph.pl with it, or open it at https://speedscope.app",
            Format::Graphml => "a node for each region, an edge for each pair of caller and callee",
            Format::Dot => "dot -Tsvg makes a picture of it",
            Format::Tau => "call pprof or paraprof in this folder",
        }
    }
}

/// Says what could not be read.
pub fn tell(read: &Read) {
    read.texts.iter().for_each(|text| say(format!("warning: {text}")));
    let further = read.errors - read.texts.len() as u64;
    if further > 0 {
        let times = counted(further.cast_signed(), "time");
        say(format!("warning: a further record could not be read: {times}"));
    }
}
