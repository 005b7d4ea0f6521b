//! The records of a program's end, after the events that the program has recorded itself. Those
//! events are copied as they are; the caller knows when and how the program has ended.

use std::io::{self, Read, Seek, SeekFrom, Write};

use super::ArchiveWriter;
use crate::chunk::{self, HEADER_BYTES, Header};
use crate::encode::{self, EVENT_ROOM_BYTES, Room};
use crate::error::{Error, io_error};
use crate::reference::LocationRef;

/// Record id of the end of a program.
const PROGRAM_END: u8 = 84;

/// How the events of a program's first location end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramEnding {
    /// When, in ticks; the time of the last event if that is later.
    pub time: u64,
    /// What the program has returned; the smallest number if that is not known.
    pub exit_status: i64,
    /// Ids of the regions that are still open, the innermost first.
    pub open: Vec<u32>,
}

impl ArchiveWriter {
    /// Appends the end of the program to the events of a location, which are complete, after
    /// leaving what is open. Returns the number of records that were added: none if the file ends
    /// with such a record, or has no events.
    pub fn end_program(&self, location: LocationRef, end: &ProgramEnding) -> Result<u64, Error> {
        let name = ArchiveWriter::event_name(location);
        let chunk_bytes = self.options.event_chunk_bytes;
        let mut file = self.files.edit(&name)?;
        let mut read = || -> io::Result<(u64, Vec<u8>)> {
            let length = file.seek(SeekFrom::End(0))?;
            let begin = length.saturating_sub(1) / chunk_bytes as u64 * chunk_bytes as u64;
            let mut last = Vec::new();
            file.seek(SeekFrom::Start(begin))?;
            Read::by_ref(&mut file).take(chunk_bytes as u64).read_to_end(&mut last)?;
            Ok((begin, last))
        };
        let (begin, last) = read().map_err(io_error(&self.files.shown(&name)))?;
        let Some(bytes) = with_end(last, chunk_bytes, end) else { return Ok(0) };
        let mut write = || -> io::Result<()> {
            file.seek(SeekFrom::Start(begin))?;
            file.write_all(&bytes)?;
            file.set_len(begin + bytes.len() as u64)
        };
        write().map_err(io_error(&self.files.shown(&name)))?;
        Ok(end.open.len() as u64 + 1)
    }
}

/// The last chunk of a file with the end of the program, perhaps in further chunks.
fn with_end(last: Vec<u8>, chunk_bytes: usize, end: &ProgramEnding) -> Option<Vec<u8>> {
    let scan = chunk::scan(&last)?;
    if scan.events == 0 || scan.last_event == Some(PROGRAM_END) {
        return None;
    }
    let mut tail = Tail {
        events: Header::read(&last)?.first + scan.events - 1,
        bytes: last,
        chunk_bytes,
        begin: 0,
        // Each chunk with events has a time.
        last_time: scan.last_time.unwrap_or(0),
    };
    tail.bytes.truncate(scan.used_bytes);
    let time = end.time.max(tail.last_time);
    for &region in &end.open {
        tail.event(|room, last| encode::leave(room, last, time, region))?;
    }
    tail.event(|room, last| encode::program_end(room, last, time, end.exit_status))?;
    tail.end()
}

/// The end of an event file while it grows: the used part of its last chunks.
struct Tail {
    bytes: Vec<u8>,
    chunk_bytes: usize,
    /// Place of the current chunk.
    begin: usize,
    /// Number of the last event.
    events: u64,
    last_time: u64,
}

impl Tail {
    fn event(&mut self, encode: impl FnOnce(&mut Room, &mut u64) -> usize) -> Option<()> {
        if self.bytes.len() - self.begin + EVENT_ROOM_BYTES > self.chunk_bytes {
            self.next_chunk()?;
        }
        let at = self.bytes.len();
        self.bytes.resize(at + EVENT_ROOM_BYTES, 0);
        let room: &mut Room = self.bytes.get_mut(at..)?.first_chunk_mut()?;
        let used = encode(room, &mut self.last_time);
        self.bytes.truncate(at + used);
        self.events += 1;
        Some(())
    }

    fn next_chunk(&mut self) -> Option<()> {
        let (used, end) = (self.bytes.len() - self.begin, self.begin + self.chunk_bytes);
        self.bytes.resize(end, 0);
        chunk::complete(self.bytes.get_mut(self.begin..)?, used, self.events)?;
        self.begin = end;
        self.bytes.resize(end + HEADER_BYTES + EVENT_ROOM_BYTES, 0);
        let free = self.bytes.get_mut(end..)?;
        let used = chunk::begin(free, self.events + 1, &mut self.last_time)?;
        self.bytes.truncate(end + used);
        Some(())
    }

    fn end(mut self) -> Option<Vec<u8>> {
        let used = self.bytes.len() - self.begin;
        self.bytes.resize(self.bytes.len() + 2, 0);
        chunk::end_file(self.bytes.get_mut(self.begin..)?, used, self.events)?;
        Some(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::chunk::EventChunk;
    use crate::event::{Event, Leave, ProgramEnd};
    use crate::read::{Bytes, EventReader, EventRecord};
    use crate::reference::RegionRef;

    const CHUNK_BYTES: usize = 256;

    /// A file of one chunk with this number of events.
    fn file(events: u64) -> Vec<u8> {
        let mut bytes = vec![0; CHUNK_BYTES];
        let mut chunk = EventChunk::begin(&mut bytes, 1, 0).unwrap();
        for time in 1..=events {
            assert!(chunk.event(|room, last| encode::enter(room, last, time, 7)));
        }
        let end = chunk.end_file();
        bytes.truncate(end);
        bytes
    }

    fn read(file: &[u8]) -> Vec<EventRecord> {
        let source = Bytes::new(file, CHUNK_BYTES as u64);
        let reader = EventReader::new(source, Path::new("0"), CHUNK_BYTES as u64, LocationRef(0));
        reader.map(|record| record.unwrap()).collect()
    }

    #[test]
    fn the_end_follows_whatever_room_there_is() {
        let mut chunks = Vec::new();
        for (events, open) in (1..=15).flat_map(|events| [(events, 0), (events, 1), (events, 60)]) {
            for time in [0, 99] {
                let open: Vec<u32> = (0..open).collect();
                let end = ProgramEnding { time, exit_status: 3, open };
                let ended = with_end(file(events), CHUNK_BYTES, &end).unwrap();
                let records = read(&ended);
                let added = &records[events as usize..];
                let left: Vec<Event> = end.open.iter().map(|&id| leave(id)).collect();
                let last = Event::ProgramEnd(ProgramEnd { exit_status: 3 });
                assert!(added.iter().map(|record| &record.event).eq(left.iter().chain([&last])));
                assert!(added.iter().all(|record| record.time == time.max(events)));
                let last_chunk = ended.chunks(CHUNK_BYTES).last().unwrap();
                assert_eq!(Header::read(last_chunk).unwrap().last, records.len() as u64);
                assert_eq!(with_end(last_chunk.to_vec(), CHUNK_BYTES, &end), None);
                chunks.push(ended.chunks(CHUNK_BYTES).count());
            }
        }
        // All ways were taken.
        assert!([1, 2, 3].iter().all(|count| chunks.contains(count)), "{chunks:?}");
    }

    fn leave(region: u32) -> Event {
        Event::Leave(Leave { region: RegionRef(region) })
    }

    #[test]
    fn nothing_is_added_to_a_file_without_events() {
        let end = ProgramEnding::default();
        assert_eq!(with_end(chunk::EMPTY_EVENT_FILE.to_vec(), CHUNK_BYTES, &end), None);
    }
}
