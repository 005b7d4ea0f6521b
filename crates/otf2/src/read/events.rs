//! The events of one location, with global ids and times of the common clock.

use std::ops::Range;
use std::path::Path;

use super::source::{ChunkSource, FileChunks};
use super::stream::{Next, Stream};
use crate::chunk::{self, ATTRIBUTE_LIST, HEADER_BYTES, Header};
use crate::encode::{TIMESTAMP, TIMESTAMP_BYTES};
use crate::error::{Error, io_error};
use crate::event::Event;
use crate::mapping::{ClockCorrection, Mappings};
use crate::record::Family;
use crate::reference::LocationRef;
use crate::value::AttributeValue;
use crate::wire::{Input, Wire};

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

/// Reads the events of one location.
#[derive(Debug)]
pub struct EventReader<S = FileChunks> {
    stream: Stream<S>,
    location: LocationRef,
    mappings: Mappings,
    clock: Option<ClockCorrection>,
    time: u64,
}

impl<S: ChunkSource> EventReader<S> {
    /// Reads the chunks of `source`, with ids and times as they stand there. `file` is for
    /// messages.
    pub fn new(source: S, file: &Path, chunk_bytes: u64, location: LocationRef) -> EventReader<S> {
        let stream = Stream::new(source, file, chunk_bytes);
        EventReader { stream, location, mappings: Mappings::default(), clock: None, time: 0 }
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
        self.location
    }

    #[inline]
    fn read(&mut self) -> Result<Option<EventRecord>, Error> {
        let mut attributes = Vec::new();
        loop {
            match self.stream.next()? {
                Next::End => return Ok(None),
                Next::Record(TIMESTAMP) => {
                    let time = self.stream.timestamp()?;
                    self.time = self.corrected(time);
                }
                Next::Record(ATTRIBUTE_LIST) => attributes = self.attributes()?,
                Next::Record(id) => {
                    let mut event = self.event(id)?;
                    if !self.mappings.is_empty() {
                        event.map(&self.mappings);
                    }
                    if let Event::BufferFlush(flush) = &mut event {
                        flush.stop_time.0 = self.corrected(flush.stop_time.0);
                    }
                    let (location, time) = (self.location, self.time);
                    return Ok(Some(EventRecord { location, time, event, attributes }));
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
        self.read().transpose()
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
