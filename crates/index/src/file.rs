//! The index as a file in a folder: written next to its place and renamed, so that a reader sees a
//! whole one or none. The fingerprint tells whether it still belongs to the trace.

mod spans;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use pompeii_otf2::read::{Archive, MappedFile, bookmarks};
use pompeii_otf2::read::{ChunkSource, FileChunks};
use pompeii_otf2::reference::LocationRef;

use crate::format::{Fingerprint, Flaw, Index, VERSION};
use crate::shape::Shape;

pub use spans::SpanChunks;

/// Why there is no index of a trace in a file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("{}: {source}", file.display())]
    Io {
        /// Which.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is no index of this trace.
    #[error("{}: {flaw}", file.display())]
    Flaw {
        /// Which.
        file: PathBuf,
        /// What is wrong.
        flaw: Flaw,
    },
}

/// Opens the index in a file, mapped into memory. After any error the index should be built anew.
///
/// # Errors
/// The file cannot be read, or is no index of the trace with this fingerprint.
pub fn open(file: &Path, fingerprint: Fingerprint) -> Result<Index<MappedFile>, Error> {
    let io_error = |source| Error::Io { file: file.to_owned(), source };
    // An empty file cannot be mapped.
    let is_empty = fs::metadata(file).map_err(io_error)?.len() == 0;
    let flaw = |flaw| Error::Flaw { file: file.to_owned(), flaw };
    if is_empty {
        return Err(flaw(Flaw::Damaged { offset: 0, expected: "the head" }));
    }
    let bytes = MappedFile::open(file).map_err(io_error)?;
    Index::open_for(bytes, fingerprint).map_err(flaw)
}

/// Writes a file by `write`, which gets where to write. The file has its name only when it is
/// whole; a part of it is removed.
///
/// # Errors
/// Those of `write` and of the file system, for example a full disk.
pub fn write(
    file: &Path,
    write: impl FnOnce(BufWriter<File>) -> io::Result<BufWriter<File>>,
) -> io::Result<()> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    // Two programs that build the same index do not share a file.
    name.push(format!(".{}.part", std::process::id()));
    let part = file.with_file_name(name);
    // What an earlier process with the same number left. Another user may have put a link there,
    // which would lead to another file: the new file must not be there.
    let _ = fs::remove_file(&part);
    let written = File::options()
        .write(true)
        .create_new(true)
        .open(&part)
        .and_then(|out| write(BufWriter::with_capacity(1 << 20, out)))
        .and_then(|mut out| out.flush())
        .and_then(|()| fs::rename(&part, file));
    if written.is_err() {
        // What is left of it is of no use; that there may be nothing is no second error.
        let _ = fs::remove_file(&part);
    }
    written
}

/// What is known of a trace before its events are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Survey {
    /// Changes with the trace.
    pub fingerprint: Fingerprint,
    /// How an index divides its time.
    pub shape: Shape,
    /// Number of events of all locations, as the headers of chunks have it.
    pub events: u64,
}

/// Looks at the definitions and the headers of the event files of these locations.
///
/// The fingerprint has the version of the format, the definitions of the locations, and of each
/// event file the size, the time of its last change and its last chunk header.
///
/// # Errors
/// An event file or local definitions that cannot be read.
pub fn survey(archive: &Archive, locations: &[u64]) -> Result<Survey, pompeii_otf2::Error> {
    let (mut origin, mut end) = clock(archive).unwrap_or((u64::MAX, 0));
    let (mut hash, mut events) = (Hash::new(), 0);
    hash.add(VERSION);
    hash.add(origin);
    hash.add(archive.definitions().len() as u64);
    for &location in locations {
        let location = LocationRef(location);
        let path = archive.event_path(location);
        let chunk_bytes = archive.anchor().event_chunk_bytes;
        let mut source = FileChunks::new(&path, chunk_bytes);
        let (size, changed) = facts(&path);
        [location.0, size, changed].into_iter().for_each(|number| hash.add(number));
        let chunks = bookmarks(&mut source, &path)?;
        let local = archive.local(location)?;
        for time in chunks.iter().filter_map(|chunk| chunk.time) {
            origin = origin.min(local.clock.correct(time));
            end = end.max(local.clock.correct(time));
        }
        if let Some(last) = chunks.last() {
            let loaded = source.load(last.chunk, pompeii_otf2::chunk::HEADER_BYTES);
            let header = if loaded.is_ok() { source.bytes() } else { &[] };
            header.iter().for_each(|byte| hash.add(u64::from(*byte)));
            events += last.last_event;
        }
    }
    let each = events / (locations.len() as u64).max(1);
    let shape = Shape::new(origin.min(end), end, each);
    Ok(Survey { fingerprint: hash.0, shape, events })
}

/// Begin and end of the measurement.
fn clock(archive: &Archive) -> Option<(u64, u64)> {
    archive.definitions().iter().find_map(|definition| match definition {
        pompeii_otf2::definition::Definition::ClockProperties(clock) => {
            let begin = clock.global_offset;
            Some((begin, begin.saturating_add(clock.trace_length)))
        }
        _ => None,
    })
}

/// Size of a file and the time of its last change; zeros if it cannot be seen.
fn facts(path: &Path) -> (u64, u64) {
    let Ok(metadata) = fs::metadata(path) else { return (0, 0) };
    let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    (metadata.len(), changed.map_or(0, |changed| changed.as_nanos() as u64))
}

/// Two sums over numbers that change with each of them.
struct Hash(Fingerprint);

impl Hash {
    fn new() -> Hash {
        Hash([0xcbf2_9ce4_8422_2325, 0x9e37_79b9_7f4a_7c15])
    }

    fn add(&mut self, number: u64) {
        let [first, second] = &mut self.0;
        *first = (*first ^ number).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(31);
        *second = (*second ^ number).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(27);
    }
}
