//! The records of a trace in one sequence, with global ids: those of a merged file, or the
//! definitions of all processes and then the events of one process after the other. Within a
//! process the order is that of time, and nothing in the import needs an order between processes.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use pompeii_epilog::Reader;
use pompeii_epilog::record::Record;

use super::files::{DEFINITIONS, Files, MAPS, of_process};
use super::numbers::{self, Numbers, Shared};
use crate::source::Error;

/// The files of a trace, which can be read several times.
#[derive(Debug)]
pub enum Input {
    /// A file that has everything.
    Merged(PathBuf),
    /// The folder of an experiment, what its processes share, and the numbers of each of them.
    Single(PathBuf, Shared, BTreeMap<u32, Numbers>),
}

impl Input {
    /// Reads what is known about the ids of all files.
    ///
    /// # Errors
    /// A file cannot be read or is damaged, or nothing is known of the ids of a process.
    pub fn new(files: &Files) -> Result<Input, Error> {
        let folder = match files {
            Files::Merged(file) => return Ok(Input::Merged(file.clone())),
            Files::Single(folder) => folder,
        };
        let uncounted = AtomicU64::new(0);
        let shared = open(&folder.join(DEFINITIONS), &uncounted)
            .and_then(|reader| Ok(Shared::read(reader)?))
            .map_err(|error| in_file(DEFINITIONS, &error))?;
        let numbers = open(&folder.join(MAPS), &uncounted)
            .and_then(numbers::read)
            .map_err(|error| in_file(MAPS, &error))?;
        if let Some(rank) = shared.masters.keys().find(|rank| !numbers.contains_key(rank)) {
            return Err(Error::Input(format!(
                "{MAPS}: expected a section for process {rank}, which {DEFINITIONS} defines"
            )));
        }
        Ok(Input::Single(folder.clone(), shared, numbers))
    }

    /// All records from the first one on. Adds the number of bytes that have been read to `done`.
    pub fn records<'a>(&'a self, done: &'a AtomicU64) -> Records<'a> {
        let parts: Vec<Part<'a>> = match self {
            Input::Merged(file) => vec![Part::Merged(file)],
            Input::Single(folder, shared, numbers) => {
                let processes = shared.masters.keys().filter_map(|rank| {
                    let numbers = numbers.get(rank)?;
                    Some(Part::Process { folder, rank: *rank, numbers, shared })
                });
                [Part::Definitions(folder)].into_iter().chain(processes).collect()
            }
        };
        Records { parts: parts.into_iter(), current: None, done }
    }
}

/// A file of the sequence.
#[derive(Clone, Copy)]
enum Part<'a> {
    Merged(&'a Path),
    Definitions(&'a Path),
    Process { folder: &'a Path, rank: u32, numbers: &'a Numbers, shared: &'a Shared },
}

impl<'a> Part<'a> {
    /// The name in the folder of the experiment; a merged file needs none.
    fn name(&self) -> Option<String> {
        match self {
            Part::Merged(_) => None,
            Part::Definitions(_) => Some(DEFINITIONS.to_owned()),
            Part::Process { rank, .. } => Some(of_process(*rank)),
        }
    }

    fn open(&self, done: &'a AtomicU64) -> Result<Reader<'a>, Error> {
        match self {
            Part::Merged(file) => open(file, done),
            Part::Definitions(folder) => open(&folder.join(DEFINITIONS), done),
            Part::Process { folder, rank, shared, .. } => {
                let mut reader = open(&folder.join(of_process(*rank)), done)?;
                reader.set_metrics(shared.metrics);
                Ok(reader)
            }
        }
    }

    /// Makes a record one of the sequence; returns whether it belongs there.
    fn take(&self, record: &mut Record) -> Result<bool, String> {
        let is_attribute = matches!(record, Record::ByteAttribute(_) | Record::NumberAttribute(_));
        match self {
            Part::Merged(_) => Ok(true),
            Part::Definitions(_) => Ok(record.at().is_none() && !is_attribute),
            Part::Process { rank, numbers, shared, .. } if record.at().is_some() => {
                numbers.globalize(record, *rank, shared).map(|()| true)
            }
            Part::Process { .. } => Ok(is_attribute),
        }
    }
}

/// Reads the records of a trace.
pub struct Records<'a> {
    parts: std::vec::IntoIter<Part<'a>>,
    current: Option<Current<'a>>,
    done: &'a AtomicU64,
}

struct Current<'a> {
    part: Part<'a>,
    name: Option<String>,
    reader: Reader<'a>,
}

impl Current<'_> {
    fn at(&self) -> At<'_> {
        At { file: self.name.as_deref(), offset: self.reader.record_offset() }
    }
}

impl Records<'_> {
    /// The next record; `None` after the last one.
    ///
    /// # Errors
    /// A file cannot be read or is damaged, or an id of a process is unknown.
    pub fn next_record(&mut self) -> Result<Option<Record>, Error> {
        loop {
            let Some(current) = &mut self.current else {
                let Some(part) = self.parts.next() else { return Ok(None) };
                let name = part.name();
                let reader = part.open(self.done).map_err(|error| named(&name, error))?;
                self.current = Some(Current { part, name, reader });
                continue;
            };
            let next = current.reader.next_record();
            let next = next.map_err(|error| named(&current.name, error.into()))?;
            let Some(mut record) = next else {
                self.current = None;
                continue;
            };
            let belongs = current.part.take(&mut record);
            if belongs.map_err(|text| Error::Input(format!("{}: {text}", current.at())))? {
                return Ok(Some(record));
            }
        }
    }

    /// Where the last record stands.
    pub fn at(&self) -> At<'_> {
        self.current.as_ref().map_or(At { file: None, offset: 0 }, Current::at)
    }
}

/// Where a record stands: its byte, and its file if there are several.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    file: Option<&'a str>,
    offset: u64,
}

impl Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.file.map_or(Ok(()), |file| write!(f, "{file}: "))?;
        write!(f, "byte {}", self.offset)
    }
}

fn named(name: &Option<String>, error: Error) -> Error {
    match name {
        Some(name) => in_file(name, &error),
        None => error,
    }
}

fn in_file(name: &str, error: &Error) -> Error {
    Error::Input(format!("{name}: {error}"))
}

fn open<'a>(path: &Path, done: &'a AtomicU64) -> Result<Reader<'a>, Error> {
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
