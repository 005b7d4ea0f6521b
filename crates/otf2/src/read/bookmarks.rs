//! Where reading of an event file may begin: at each of its chunks.

use std::fs;
use std::path::Path;

use super::archive::{Archive, Local};
use super::events::EventReader;
use super::source::ChunkSource;
use crate::chunk::{HEADER_BYTES, Header};
use crate::encode::{TIMESTAMP, TIMESTAMP_BYTES};
use crate::error::{Error, io_error};
use crate::reference::LocationRef;

/// A chunk of an event file: where reading may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bookmark {
    /// Number of the chunk, from 0.
    pub chunk: u64,
    /// Number of its first event, from 1.
    pub first_event: u64,
    /// Number of its last event.
    pub last_event: u64,
    /// Time of its first event, in ticks of the location's own clock. `None`: it has that of the
    /// last event before.
    pub time: Option<u64>,
}

/// The chunks of an event file; only their first bytes are read. `file` is for messages.
pub fn bookmarks<S: ChunkSource>(source: &mut S, file: &Path) -> Result<Vec<Bookmark>, Error> {
    let mut bookmarks = Vec::new();
    for chunk in 0.. {
        let Some(bookmark) = bookmark(source, file, chunk)? else { break };
        bookmarks.push(bookmark);
    }
    Ok(bookmarks)
}

/// A chunk; `None` behind the last one, or where there is no header.
fn bookmark<S: ChunkSource>(
    source: &mut S,
    file: &Path,
    chunk: u64,
) -> Result<Option<Bookmark>, Error> {
    source.load(chunk, HEADER_BYTES + TIMESTAMP_BYTES).map_err(io_error(file))?;
    let Some(header) = Header::read(source.bytes()) else { return Ok(None) };
    let time = source.bytes().get(HEADER_BYTES..).and_then(|rest| {
        let (&id, time) = rest.split_first()?;
        (id == TIMESTAMP).then_some(header.endian.u64(*time.first_chunk()?))
    });
    let Header { first: first_event, last: last_event, .. } = header;
    Ok(Some(Bookmark { chunk, first_event, last_event, time }))
}

impl Archive {
    /// The events of a location from a time on, in ticks of the common clock. The chunks before are
    /// not read: their headers are searched, by halves.
    pub fn events_since(&self, location: LocationRef, time: u64) -> Result<EventReader, Error> {
        let Local { mappings, clock, .. } = self.local(location)?;
        let first = self.chunk_before(location, |ticks| clock.correct(ticks) < time)?;
        let events = self.raw_events(location)?.with_local(mappings, clock);
        let mut events = events.within(first..u64::MAX);
        events.skip_before(time)?;
        Ok(events)
    }

    /// The last chunk whose first event is early enough; the first chunk if none is.
    fn chunk_before(
        &self,
        location: LocationRef,
        is_early: impl Fn(u64) -> bool,
    ) -> Result<u64, Error> {
        let path = self.event_path(location);
        let chunk_bytes = self.anchor().event_chunk_bytes;
        let mut source = self.event_chunks(&path);
        let file_bytes = fs::metadata(&path).map_err(io_error(&path))?.len();
        let (mut early, mut late) = (0, file_bytes.div_ceil(chunk_bytes));
        while early + 1 < late {
            let middle = early + (late - early) / 2;
            // Without a time of its own, a chunk has that of the last event before: look there.
            let mut known = middle;
            let time = loop {
                match bookmark(&mut source, &path, known)?.and_then(|bookmark| bookmark.time) {
                    None if known > early + 1 => known -= 1,
                    time => break time,
                }
            };
            match time {
                Some(time) if is_early(time) => early = known,
                Some(_) => late = known,
                None => late = known,
            }
        }
        Ok(early)
    }
}
