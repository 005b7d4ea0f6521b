//! EPILOG as an archive of OTF2. A file is read twice: `survey.rs` finds its definitions, the span
//! of its times and its teams, then `events.rs` writes the events. Damage is found in the first
//! pass, before anything is written.
//!
//! Memory follows the definitions and the number of forks, not the number of events.

mod definitions;
mod events;
mod forks;
mod survey;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use pompeii_epilog::Reader;
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::write::{ArchiveWriter, Options};

use super::left_out::LeftOut;
use crate::source::Error;
use events::Events;
use survey::Survey;

/// The merged trace in the folder of an experiment of Scalasca 1.
const MERGED: &str = "epik.elg";
/// The folder with the traces of its processes.
const SINGLE: &str = "ELG";
/// A folder with this file is an experiment in another format.
const ANCHOR: &str = "traces.otf2";

/// A file that has been read once.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    survey: Survey,
}

/// The file of EPILOG that a path names, or that is in this folder; `None` if there is none.
///
/// # Errors
/// The traces of processes that are not merged: a number of a region or a location means something
/// else in each of these files.
pub fn find(path: &Path) -> Result<Option<PathBuf>, Error> {
    let is_folder = path.is_dir();
    let file = if is_folder { path.join(MERGED) } else { path.to_owned() };
    let is_epilog = begins_as_epilog(&file);
    let is_single = match (is_folder, is_epilog) {
        (true, false) => !path.join(ANCHOR).exists() && (path.join(SINGLE).is_dir() || is_in(path)),
        (false, true) => path.parent().is_some_and(is_in),
        _ => false,
    };
    if is_single {
        return Err(Error::Input(format!(
            "each process has a trace of its own, with its own numbers of regions and locations; \
             expected the merged trace {MERGED}: call `elg_merge` of Scalasca 1 with the folder of \
             the experiment, which makes it, and convert that folder"
        )));
    }
    Ok(is_epilog.then_some(file))
}

/// Whether a file begins as one of EPILOG, which may be compressed.
fn begins_as_epilog(file: &Path) -> bool {
    let mut begin = [0; 2];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut begin));
    read.is_ok() && [*b"EP", [0x1f, 0x8b]].contains(&begin)
}

/// Whether a folder is the one with the traces of processes.
fn is_in(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == SINGLE)
}

impl Source {
    /// Reads a file for the first time. Adds the number of bytes that have been read to `done`,
    /// here and in [`Source::write`].
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn open(path: &Path, done: &AtomicU64) -> Result<Source, Error> {
        let survey = Survey::new(reader(path, done)?)?;
        Ok(Source { path: path.to_owned(), survey })
    }

    /// Writes `traces.otf2` and its files to a folder. Returns what OTF2 has no place for.
    ///
    /// # Errors
    /// The file has changed, or the archive cannot be written.
    pub fn write(&self, folder: &Path, done: &AtomicU64) -> Result<LeftOut, Error> {
        let mut writer = ArchiveWriter::create(folder, "traces", Options::default())?;
        let mut left_out = LeftOut::default();
        let plan = definitions::Plan::new(&self.survey)?;
        let mut events = Events::new(&self.survey, &plan, &writer)?;
        let mut reader = reader(&self.path, done)?;
        while let Some(record) = reader.next_record()? {
            events.record(&record, reader.record_offset(), &mut left_out)?;
        }
        let counts = events.finish()?;
        plan.define(&self.survey, &counts, &mut writer, &mut left_out)?;
        writer.finish(Anchor { creator: "Pompeii".to_owned(), ..Anchor::default() })?;
        Ok(left_out)
    }
}

fn reader<'a>(path: &Path, done: &'a AtomicU64) -> Result<Reader<'a>, Error> {
    Ok(Reader::new(Counted { file: File::open(path)?, done })?)
}

/// A file whose bytes are counted as they are read.
struct Counted<'a> {
    file: File,
    done: &'a AtomicU64,
}

impl io::Read for Counted<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(bytes)?;
        self.done.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
