//! The events of one location, with global ids and times of the common clock.

use std::mem;
use std::ops::Range;
use std::path::Path;

use super::source::{ChunkSource, FileChunks};
use super::stream::{Next, Stream};
use crate::chunk::{self, ATTRIBUTE_LIST, Endian, HEADER_BYTES, Header};
use crate::encode::{TIMESTAMP, TIMESTAMP_BYTES};
use crate::error::{Error, io_error};
use crate::event::{Enter, Event, Leave, MpiCollectiveBegin};
use crate::mapping::{ClockCorrection, Mappings};
use crate::record::Family;
use crate::reference::{LocationRef, RegionRef};
use crate::value::AttributeValue;
use crate::wire::{Input, Wire};

const ENTER: u8 = 12;
const LEAVE: u8 = 13;

/// Stands where no event was read yet, or where it was moved out.
const NO_EVENT: Event = Event::MpiCollectiveBegin(MpiCollectiveBegin {});

/// An event with all that belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRecord {
    /// Where it happened.
    pub location: LocationRef,
    /// When, in ticks of the common clock.
    pub time: u64,
    /// What happened.
    pub event: Event,
    /// Additional information; mostly none.
    pub attributes: Vec<AttributeValue>,
}

/// Reads the events of one location: as an iterator, or faster with
/// [`read_next`](EventReader::read_next), which lends each event instead of handing it out.
#[derive(Debug)]
pub struct EventReader<S = FileChunks> {
    stream: Stream<S>,
    mappings: Mappings,
    clock: Option<ClockCorrection>,
    /// The event read last; its time is that of the last timestamp.
    current: EventRecord,
}

impl<S: ChunkSource> EventReader<S> {
    /// Reads the chunks of `source`, with ids and times as they stand there. `file` is for
    /// messages.
    pub fn new(source: S, file: &Path, chunk_bytes: u64, location: LocationRef) -> EventReader<S> {
        let event = NO_EVENT;
        EventReader {
            stream: Stream::new(source, file, chunk_bytes),
            mappings: Mappings::default(),
            clock: None,
            current: EventRecord { location, time: 0, event, attributes: Vec::new() },
        }
    }

    /// Delivers global ids and times of the common clock.
    pub fn with_local(mut self, mappings: Mappings, clock: ClockCorrection) -> EventReader<S> {
        self.mappings = mappings;
        self.clock = (!clock.is_identity()).then_some(clock);
        self
    }

    /// Reads these chunks only, for several threads or for a part of the time.
    pub fn within(mut self, chunks: Range<u64>) -> EventReader<S> {
        self.stream.set_chunks(chunks);
        self
    }

    /// The location whose events these are.
    pub fn location(&self) -> LocationRef {
        self.current.location
    }

    /// Reads the next event. It is the reader's until the next call, so that nothing is moved:
    /// less than half of the iterator's time.
    #[inline]
    pub fn read_next(&mut self) -> Option<Result<&EventRecord, Error>> {
        match self.advance()? {
            Ok(()) => Some(Ok(&self.current)),
            Err(error) => Some(Err(error)),
        }
    }

    /// Makes the next event the current one.
    #[inline]
    pub(super) fn advance(&mut self) -> Option<Result<(), Error>> {
        if self.enter_or_leave().is_some() { Some(Ok(())) } else { self.anything() }
    }

    /// The event read last.
    #[inline]
    pub(super) fn current(&self) -> &EventRecord {
        &self.current
    }

    /// Moves the event read last out.
    #[inline]
    pub(super) fn take_current(&mut self) -> EventRecord {
        EventRecord {
            location: self.current.location,
            time: self.current.time,
            event: mem::replace(&mut self.current.event, NO_EVENT),
            attributes: mem::take(&mut self.current.attributes),
        }
    }

    /// An Enter or Leave with or without its timestamp: most of all events, by one look at 16
    /// bytes.
    /// `None` without any effect: something else is there, or the end of the chunk is near.
    #[inline]
    fn enter_or_leave(&mut self) -> Option<()> {
        let head: &[u8; 16] = self.stream.rest().first_chunk()?;
        let &[mark, ref stamp @ .., _, _, _, _, _, _, _] = head;
        let (time, record, used) = if mark == TIMESTAMP {
            (Some(u64::from_le_bytes(*stamp)), head.last_chunk::<7>()?, TIMESTAMP_BYTES)
        } else {
            (None, head.first_chunk::<7>()?, 0)
        };
        let &[id, size, a, b, c, d, _] = record;
        if self.stream.endian != Endian::Little || size > 4 {
            return None;
        }
        let mask = (1_u64 << (8 * size)) - 1;
        let mut region = RegionRef(u32::from_le_bytes([a, b, c, d]) & mask as u32);
        if !self.mappings.is_empty() {
            region.map(&self.mappings);
        }
        // Each arm stores on its own: an event that is first made and then moved costs more than
        // all the rest of this function, since wide loads wait for narrow stores.
        match id {
            ENTER => self.current.event = Event::Enter(Enter { region }),
            LEAVE => self.current.event = Event::Leave(Leave { region }),
            _ => return None,
        }
        if let Some(time) = time {
            self.current.time = self.corrected(time);
        }
        self.stream.at += used + 2 + usize::from(size);
        self.current.attributes.clear();
        Some(())
    }

    /// Whatever comes next.
    fn anything(&mut self) -> Option<Result<(), Error>> {
        self.current.attributes.clear();
        self.next_record().transpose()
    }

    fn next_record(&mut self) -> Result<Option<()>, Error> {
        loop {
            match self.stream.next()? {
                Next::End => return Ok(None),
                Next::Record(TIMESTAMP) => {
                    let time = self.stream.timestamp()?;
                    self.current.time = self.corrected(time);
                }
                Next::Record(ATTRIBUTE_LIST) => self.current.attributes = self.attributes()?,
                Next::Record(id) => {
                    let mut event = self.event(id)?;
                    if !self.mappings.is_empty() {
                        event.map(&self.mappings);
                    }
                    if let Event::BufferFlush(flush) = &mut event {
                        flush.stop_time.0 = self.corrected(flush.stop_time.0);
                    }
                    self.current.event = event;
                    return Ok(Some(()));
                }
            }
        }
    }

    #[inline]
    fn corrected(&self, time: u64) -> u64 {
        self.clock.as_ref().map_or(time, |clock| clock.correct(time))
    }

    /// The event at the current place.
    #[inline]
    fn event(&mut self, id: u8) -> Result<Event, Error> {
        let (at, endian) = (self.stream.at, self.stream.endian);
        if chunk::is_single(id) {
            let rest = self.stream.rest();
            let mut input = Input::new(rest.get(1..).unwrap_or_default(), endian);
            let event = Event::read(u16::from(id), &mut input);
            let used = rest.len() - input.rest.len();
            return match event {
                Ok(event) => {
                    self.stream.at += used;
                    Ok(event)
                }
                Err(flaw) => Err(self.stream.fatal(Event::name_of(u16::from(id)), flaw)),
            };
        }
        let framed = self.stream.framed(|id| Event::name_of(u16::from(id)))?;
        let fields = self.stream.rest().get(framed.head..framed.bytes).unwrap_or_default();
        let end = at + framed.bytes;
        let event = Event::read(u16::from(id), &mut Input::new(fields, endian));
        self.stream.at = end;
        event.map_err(|flaw| self.stream.flawed(Event::name_of(u16::from(id)), end, flaw))
    }

    /// The attribute list at the current place.
    #[cold]
    fn attributes(&mut self) -> Result<Vec<AttributeValue>, Error> {
        let (at, endian) = (self.stream.at, self.stream.endian);
        let framed = self.stream.framed(|_| "AttributeList")?;
        let fields = self.stream.rest().get(framed.head..framed.bytes).unwrap_or_default();
        let end = at + framed.bytes;
        let list = Vec::<AttributeValue>::read(&mut Input::new(fields, endian));
        self.stream.at = end;
        let mut list = list.map_err(|flaw| self.stream.flawed("AttributeList", end, flaw))?;
        list.map(&self.mappings);
        Ok(list)
    }
}

impl<S: ChunkSource> Iterator for EventReader<S> {
    type Item = Result<EventRecord, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        Some(self.advance()?.map(|()| self.take_current()))
    }
}

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
        source.load(chunk, HEADER_BYTES + TIMESTAMP_BYTES).map_err(io_error(file))?;
        let Some(header) = Header::read(source.bytes()) else { break };
        let time = source.bytes().get(HEADER_BYTES..).and_then(|rest| {
            let (&id, time) = rest.split_first()?;
            (id == TIMESTAMP).then_some(header.endian.u64(*time.first_chunk()?))
        });
        let Header { first: first_event, last: last_event, .. } = header;
        bookmarks.push(Bookmark { chunk, first_event, last_event, time });
    }
    Ok(bookmarks)
}
