//! The work of `cargo xtask bench view`: a trace of any size, its index, and random windows.
//!
//! ```text
//! workload write FOLDER EVENTS PROCESSES THREADS
//! workload build ANCHOR INDEX THREADS
//! workload windows ANCHOR INDEX NUMBER
//! ```

#![allow(clippy::print_stdout, reason = "a program that is measured")]

mod trace;
mod windows;

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Mutex;

use pompeii_index::{Context, IndexWriter, LocationBuilder, file};
use pompeii_otf2::read::Archive;
use pompeii_replay::definitions::Definitions;

type Outcome = Result<(), Box<dyn Error>>;

const USAGE: &str = "usage: workload write FOLDER EVENTS PROCESSES THREADS | \
                     build ANCHOR INDEX THREADS | windows ANCHOR INDEX NUMBER";

fn main() -> Outcome {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["write", folder, events, processes, threads] => {
            trace::write(Path::new(folder), events.parse()?, processes.parse()?, threads.parse()?)
        }
        ["build", anchor, index, threads] => {
            build(Path::new(anchor), Path::new(index), threads.parse()?)
        }
        ["windows", anchor, index, number] => {
            windows::ask(Path::new(anchor), Path::new(index), number.parse()?)
        }
        _ => Err(USAGE.into()),
    }
}

/// A trace that is open.
struct Traced {
    archive: Archive,
    definitions: Definitions,
    ids: Vec<u64>,
}

impl Traced {
    fn open(anchor: &Path) -> Result<Traced, pompeii_otf2::Error> {
        let archive = Archive::open(anchor)?.with_mapped_events();
        let definitions = pompeii_replay::archive::definitions(&archive);
        let ids = definitions.location_ids.iter().copied().collect();
        Ok(Traced { archive, definitions, ids })
    }
}

/// Prints the number of events, the bytes of event files and index, and the largest memory in kB.
fn build(anchor: &Path, index: &Path, threads: NonZeroUsize) -> Outcome {
    let traced = Traced::open(anchor)?;
    let survey = file::survey(&traced.archive, &traced.ids)?;
    let context = Context::new(&traced.definitions, survey.shape);
    file::write(index, |out| {
        let writer = IndexWriter::new(out, survey.fingerprint, &context)?;
        locations(&traced, &context, writer, threads)
    })?;
    let size = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
    let of_location = |id: &u64| size(&traced.archive.event_path((*id).into()));
    let trace: u64 = traced.ids.iter().map(of_location).sum();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|text| text.split_whitespace().next()).unwrap_or("0");
    println!("{} {trace} {} {peak}", survey.events, size(index));
    Ok(())
}

/// Indexes all locations, several at the same time.
fn locations(
    traced: &Traced,
    context: &Context<'_>,
    writer: IndexWriter<'_, BufWriter<File>>,
    threads: NonZeroUsize,
) -> io::Result<BufWriter<File>> {
    let writer = Mutex::new(writer);
    let parts = traced.archive.parts(u64::MAX).map_err(io::Error::other)?;
    let indexed = traced.archive.read_parts(threads, &parts, |part, mut events| {
        let mut builder = LocationBuilder::new(context);
        builder.read(&mut events);
        let index = builder.finish();
        let number = traced.ids.iter().position(|id| *id == part.location.0).unwrap_or_default();
        let mut writer = writer.lock().map_err(|_| Failed::Poisoned)?;
        writer.add(number, index).map_err(Failed::Write)
    });
    indexed.map_err(io::Error::other)?;
    writer.into_inner().map_err(|_| io::Error::other("a thread has panicked"))?.finish()
}

#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error(transparent)]
    Events(#[from] pompeii_otf2::Error),
    #[error(transparent)]
    Write(io::Error),
    #[error("a thread has panicked")]
    Poisoned,
}
