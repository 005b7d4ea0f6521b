//! `pompeii convert`: a trace in the format of another tool.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use anyhow::{Context, Result, bail};
use pompeii_analysis::format::counted;
use pompeii_export::{Read, perfetto};
use pompeii_otf2::read::Archive;
use pompeii_replay::{archive, told_trace};

use super::dump;
use crate::output::{named_file, say};
use crate::progress::Progress;
use crate::terminal::{cannot, shown};

/// Options of `convert`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii convert traced --to perfetto -o traced.pftrace          for ui.perfetto.dev
    pompeii convert scorep-run/traces.otf2 --to perfetto -o a.pftrace
    pompeii convert traced --to perfetto -o - | gzip > traced.pftrace.gz")]
pub struct Arguments {
    /// An experiment with a trace, or the anchor file of an OTF2 archive (traces.otf2)
    #[arg(value_name = "EXP")]
    trace: PathBuf,
    /// The format
    #[arg(long, value_name = "FORMAT")]
    to: Format,
    /// The result, which must not exist yet; - is standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
}

/// The formats. To add one: a variant, and its lines in the methods below.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For the timeline at ui.perfetto.dev and for SQL in its trace_processor
    Perfetto,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let anchor = dump::anchor_path(&arguments.trace)?;
    let (archive, errors) = Archive::salvage(&anchor)
        .context("expected the anchor of an OTF2 archive (traces.otf2) or an experiment")?;
    errors.iter().for_each(|error| say(format!("warning: {error}")));
    let format = arguments.to;
    let progress =
        Progress::events(format!("converting {}", shown(&anchor)), format.work(&archive));
    let source = Source { archive: &archive, done: &progress.done };
    let read = match named_file(Some(&arguments.output)) {
        Some(path) => format.write(&source, &mut create(path)?),
        None if io::stdout().is_terminal() => {
            bail!("the format is not text for a terminal; name a file: -o FILE")
        }
        None => format.write(&source, &mut io::stdout()),
    };
    let read = read.with_context(|| cannot("convert to", &arguments.output))?;
    drop(progress);
    tell(&read);
    if let Some(path) = named_file(Some(&arguments.output)) {
        say(format!("{} is written: {}", shown(path), format.what_next()));
    }
    let is_complete = errors.is_empty() && read.errors == 0;
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The trace, and where the progress of reading it is counted.
struct Source<'a> {
    archive: &'a Archive,
    done: &'a Arc<AtomicU64>,
}

impl Format {
    /// Writes the trace to a file.
    fn write(
        self,
        source: &Source<'_>,
        out: &mut (impl Write + Send),
    ) -> Result<Read, pompeii_export::Error> {
        let open = &mut || told_trace(source.archive, source.done);
        let read = match self {
            Format::Perfetto => perfetto::write(open, out),
        }?;
        out.flush()?;
        Ok(read)
    }

    /// Events that are read in all passes together.
    fn work(self, archive: &Archive) -> u64 {
        let events: u64 = archive.locations().map(|location| location.number_of_events).sum();
        let passes = match self {
            Format::Perfetto => perfetto::passes(&archive::definitions(archive)),
        };
        events.saturating_mul(passes)
    }

    /// What the user does with the result.
    fn what_next(self) -> &'static str {
        match self {
            Format::Perfetto => "open it at https://ui.perfetto.dev (it stays on this computer)",
        }
    }
}

/// Makes the file. One that exists is not overwritten: it may be a part of the trace, or all that the
/// user has of another one. A device or a pipe is written to.
fn create(path: &Path) -> Result<File> {
    let is_kept = fs::metadata(path).is_ok_and(|it| it.is_file() || it.is_dir());
    if is_kept {
        bail!("{} exists already; expected the name of a new file: -o FILE", shown(path));
    }
    let mut options = OpenOptions::new();
    options.write(true);
    // A file that has come since the look is not overwritten either.
    if !path.exists() {
        options.create_new(true);
    }
    options.open(path).with_context(|| cannot("write", path))
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
