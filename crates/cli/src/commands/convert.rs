//! `pompeii convert`: a trace in the format of another tool.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use anyhow::{Context, Result, bail};
use pompeii_analysis::format::counted;
use pompeii_export::{Read, csv, parquet, perfetto};
use pompeii_otf2::read::Archive;
use pompeii_replay::{archive, told_trace};

use super::{analyze, dump};
use crate::output::{named_file, say};
use crate::progress::Progress;
use crate::terminal::{cannot, shown};

/// Options of `convert`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii convert traced --to perfetto -o traced.pftrace          for ui.perfetto.dev
    pompeii convert scorep-run/traces.otf2 --to perfetto -o a.pftrace
    pompeii convert traced --to perfetto -o - | gzip > traced.pftrace.gz
    pompeii convert traced --to parquet -o tables                   for data frames and databases
    duckdb -c \"select kind, sum(ticks) from 'tables/waits.parquet' group by kind\"
    pompeii convert traced --to csv -o tables                       the same tables as text")]
pub struct Arguments {
    /// An experiment with a trace, or the anchor file of an OTF2 archive (traces.otf2)
    #[arg(value_name = "EXP")]
    trace: PathBuf,
    /// The format
    #[arg(long, value_name = "FORMAT")]
    to: Format,
    /// The result, which must not exist yet: a file, for tables a folder; - is standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Threads, for tables only [default: one for each CPU]
    #[arg(short, value_name = "N")]
    jobs: Option<usize>,
}

/// The formats. To add one: a variant, and its lines in the functions below.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A file for the timeline at ui.perfetto.dev and for SQL in its trace_processor
    Perfetto,
    /// A folder with tables of all visits, barriers, messages, waits and so on, for data frames and
    /// databases
    Parquet,
    /// The same tables as comma-separated values, for spreadsheets and scripts
    Csv,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let anchor = dump::anchor_path(&arguments.trace)?;
    let (archive, errors) = Archive::salvage(&anchor)
        .context("expected the anchor of an OTF2 archive (traces.otf2) or an experiment")?;
    errors.iter().for_each(|error| say(format!("warning: {error}")));
    let what = format!("converting {}", shown(&anchor));
    let progress = Progress::events(what, arguments.to.work(&archive));
    let read = convert(arguments, &archive, &progress.done)?;
    drop(progress);
    tell(&read);
    if let Some(path) = named_file(Some(&arguments.output)) {
        say(format!("{} is written: {}", shown(path), arguments.to.what_next()));
    }
    let is_complete = errors.is_empty() && read.errors == 0;
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Writes the result; `done` counts the events that have been read.
fn convert(arguments: &Arguments, archive: &Archive, done: &Arc<AtomicU64>) -> Result<Read> {
    let (output, threads) = (&arguments.output, analyze::threads(arguments.jobs));
    let open = &mut || told_trace(archive, done);
    let read = match arguments.to {
        Format::Perfetto => {
            let mut out = stream(output)?;
            perfetto::write(open, &mut out).and_then(|read| {
                out.flush()?;
                Ok(read)
            })
        }
        Format::Parquet => {
            let folder = make_folder(output)?;
            parquet::write(open, threads, |name| File::create_new(folder.join(name)))
        }
        Format::Csv => {
            let folder = make_folder(output)?;
            csv::write(open, threads, |name| File::create_new(folder.join(name)))
        }
    };
    read.with_context(|| cannot("convert to", output))
}

impl Format {
    /// Events that are read in all passes together.
    fn work(self, archive: &Archive) -> u64 {
        let events: u64 = archive.locations().map(|location| location.number_of_events).sum();
        let passes = match self {
            Format::Perfetto => perfetto::passes(&archive::definitions(archive)),
            Format::Parquet | Format::Csv => 1,
        };
        events.saturating_mul(passes)
    }

    /// What the user does with the result.
    fn what_next(self) -> &'static str {
        match self {
            Format::Perfetto => "open it at https://ui.perfetto.dev (it stays on this computer)",
            Format::Parquet | Format::Csv => "a file for each table",
        }
    }
}

/// Nothing that exists is overwritten: it may be a part of the trace, or all that the user has of
/// another one.
fn check_new(path: &Path, expected: &str) -> Result<()> {
    if fs::metadata(path).is_ok_and(|it| it.is_file() || it.is_dir()) {
        bail!("{} exists already; expected the name of a new {expected}", shown(path));
    }
    Ok(())
}

/// A new file, a device, a pipe, or standard output.
fn stream(output: &PathBuf) -> Result<Box<dyn Write + Send>> {
    let Some(path) = named_file(Some(output)) else {
        if io::stdout().is_terminal() {
            bail!("the result is not text for a terminal; name a file: -o FILE");
        }
        return Ok(Box::new(io::stdout()));
    };
    check_new(path, "file")?;
    let mut options = OpenOptions::new();
    options.write(true);
    // A file that has come since the look is not overwritten either.
    if !path.exists() {
        options.create_new(true);
    }
    let file = options.open(path).with_context(|| cannot("write", path))?;
    Ok(Box::new(file))
}

/// A new folder.
fn make_folder(output: &PathBuf) -> Result<&Path> {
    let Some(path) = named_file(Some(output)) else {
        bail!("the result is several files; name a folder: -o FOLDER");
    };
    check_new(path, "folder")?;
    fs::create_dir(path).with_context(|| cannot("create", path))?;
    Ok(path)
}

/// Says what could not be read.
fn tell(read: &Read) {
    read.texts.iter().for_each(|text| say(format!("warning: {text}")));
    let further = read.errors - read.texts.len() as u64;
    if further > 0 {
        let times = counted(further.cast_signed(), "time");
        say(format!("warning: a further record could not be read: {times}"));
    }
}
