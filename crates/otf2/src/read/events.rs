//! The events of one location, with global ids and times of the common clock.

use std::mem::{self, ManuallyDrop};
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;

use super::simple::{Batch, Simple, walk};
use super::source::{ChunkSource, FileChunks};
use super::stream::{Next, Stream};
use crate::chunk::{self, ATTRIBUTE_LIST, Endian};
use crate::clock::ClockCorrection;
use crate::encode::TIMESTAMP;
use crate::error::Error;
use crate::event::{Event, MpiCollectiveBegin};
use crate::mapping::Mappings;
use crate::record::Family;
use crate::reference::{LocationRef, RegionRef};
use crate::value::AttributeValue;
use crate::wire::{Input, Wire};

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

/// An event that a reader lends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventView<'a> {
    /// Where it happened.
    pub location: LocationRef,
    /// When, in ticks of the common clock.
    pub time: u64,
    /// What happened.
    pub event: &'a Event,
    /// Additional information; mostly none.
    pub attributes: &'a [AttributeValue],
}

/// Reads the events of one location, without an allocation per event where it lends them: as an
/// iterator; with [`read_next`](EventReader::read_next),
/// which lends each event instead of handing it out; or fastest with
/// [`visit`](EventReader::visit).
#[derive(Debug)]
pub struct EventReader<S = FileChunks> {
    pub(super) stream: Stream<S>,
    location: LocationRef,
    mappings: Arc<Mappings>,
    clock: Option<Arc<ClockCorrection>>,
    /// The last timestamp in the file.
    pub(super) file_time: u64,
    pub(super) batch: Batch,
    /// The event read last; also the next one to be delivered if `waits`.
    current: EventRecord,
    pub(super) waits: bool,
    /// The last metric event, unless it is the current one: the next one gets its memory.
    spare: Event,
}

impl<S: ChunkSource> EventReader<S> {
    /// Reads the chunks of `source`, with ids and times as they stand there. `file` is for
    /// messages.
    pub fn new(source: S, file: &Path, chunk_bytes: u64, location: LocationRef) -> EventReader<S> {
        EventReader {
            stream: Stream::new(source, file, chunk_bytes),
            location,
            mappings: Arc::default(),
            clock: None,
            file_time: 0,
            batch: Batch::new(),
            current: EventRecord { location, time: 0, event: NO_EVENT, attributes: Vec::new() },
            waits: false,
            spare: NO_EVENT,
        }
    }

    /// Delivers global ids and times of the common clock.
    pub fn with_local(
        mut self,
        mappings: Arc<Mappings>,
        clock: Arc<ClockCorrection>,
    ) -> EventReader<S> {
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

    /// Leaves events before `time` out, in ticks of the common clock. An error on the way is
    /// returned; what comes after it has not been looked at.
    pub fn skip_before(&mut self, time: u64) -> Result<(), Error> {
        while let Some(next) = self.prepare() {
            if next? >= time {
                break;
            }
            self.make_current();
        }
        Ok(())
    }

    /// Calls `visit` with each event and each error until it breaks off; the next call goes on
    /// behind. Less than half of the time of [`read_next`](EventReader::read_next).
    #[inline]
    pub fn visit<B>(
        &mut self,
        mut visit: impl FnMut(Result<EventView<'_>, Error>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        loop {
            while self.batch.first().is_some() || self.waits {
                self.visit_next(&mut visit)?;
            }
            self.visit_simple(&mut visit)?;
            match self.decode_ahead() {
                None => return ControlFlow::Continue(()),
                Some(Err(error)) => visit(Err(error))?,
                Some(Ok(_)) => {}
            }
        }
    }

    /// Visits the Enter and Leave events at the current place, without a batch. Those of the other
    /// order of bytes, which are rare, take the way over one.
    #[inline(always)]
    fn visit_simple<B>(
        &mut self,
        visit: &mut impl FnMut(Result<EventView<'_>, Error>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.stream.endian != Endian::Little || self.stream.has_ended() {
            return ControlFlow::Continue(());
        }
        let mut flow = ControlFlow::Continue(());
        let (location, bytes) = (self.location, self.stream.source.bytes());
        let at = walk::<false>(bytes, self.stream.at, &mut self.file_time, |simple| {
            let simple = global(simple, &self.mappings, self.clock.as_deref());
            let (time, event) = (simple.time, simple.event());
            flow = visit(Ok(EventView { location, time, event: &event, attributes: &[] }));
            flow.is_continue()
        });
        self.stream.at = at;
        flow
    }

    /// Reads the next event. It is the reader's until the next call, so that nothing is moved.
    #[inline]
    pub fn read_next(&mut self) -> Option<Result<&EventRecord, Error>> {
        match self.prepare()? {
            Ok(_) => {
                self.make_current();
                Some(Ok(&self.current))
            }
            Err(error) => Some(Err(error)),
        }
    }

    /// The time of the next event, which is decoded now if it has not been.
    #[inline(always)]
    pub(super) fn prepare(&mut self) -> Option<Result<u64, Error>> {
        match self.time_behind(0) {
            Some(time) => Some(Ok(time)),
            None => self.decode_ahead(),
        }
    }

    /// The time of the event that comes this number of events after the next one, where it is
    /// decoded; it is where all of them are Enter or Leave.
    #[inline(always)]
    pub(super) fn time_behind(&self, distance: usize) -> Option<u64> {
        self.batch.time_behind(distance)
    }

    /// Decodes more events: a batch of Enter and Leave, or one of another kind.
    #[inline(never)]
    fn decode_ahead(&mut self) -> Option<Result<u64, Error>> {
        if !self.waits {
            self.fill_batch();
            if let Some(simple) = self.batch.first() {
                return Some(Ok(simple.time));
            }
            if let Err(error) = self.anything()? {
                return Some(Err(error));
            }
        }
        Some(Ok(self.current.time))
    }

    fn fill_batch(&mut self) {
        if self.stream.has_ended() {
            return;
        }
        let (bytes, at, endian) = (self.stream.source.bytes(), self.stream.at, self.stream.endian);
        let time = &mut self.file_time;
        self.stream.at = match (self.mappings.maps_regions(), self.clock.as_deref()) {
            (false, None) => self.batch.fill(bytes, at, endian, time, |simple| simple),
            (_, clock) => self
                .batch
                .fill(bytes, at, endian, time, |simple| global(simple, &self.mappings, clock)),
        };
    }

    /// Visits the event that [`prepare`](Self::prepare) has decoded.
    #[inline(always)]
    pub(super) fn visit_next<B>(
        &mut self,
        visit: &mut impl FnMut(Result<EventView<'_>, Error>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if let Some(simple) = self.batch.first() {
            self.batch.advance();
            let (location, time, event) = (self.location, simple.time, simple.event());
            return visit(Ok(EventView { location, time, event: &event, attributes: &[] }));
        }
        self.waits = false;
        visit(Ok(self.current.view()))
    }

    /// Makes the event that [`prepare`](Self::prepare) has decoded the current one.
    #[inline]
    pub(super) fn make_current(&mut self) {
        if let Some(simple) = self.batch.first() {
            self.batch.advance();
            self.current.time = simple.time;
            self.set_current(ManuallyDrop::into_inner(simple.event()));
            self.current.attributes.clear();
        }
        self.waits = false;
    }

    #[inline]
    fn set_current(&mut self, event: Event) {
        let before = mem::replace(&mut self.current.event, event);
        if let Event::Metric(_) = before {
            self.spare = before;
        }
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
            location: self.location,
            time: self.current.time,
            event: mem::replace(&mut self.current.event, NO_EVENT),
            attributes: mem::take(&mut self.current.attributes),
        }
    }

    /// Decodes whatever comes next, as the current event that waits for its delivery.
    fn anything(&mut self) -> Option<Result<(), Error>> {
        self.current.attributes.clear();
        self.next_record().transpose()
    }

    fn next_record(&mut self) -> Result<Option<()>, Error> {
        loop {
            match self.stream.next()? {
                Next::End => return Ok(None),
                Next::Record(TIMESTAMP) => self.file_time = self.stream.timestamp()?,
                Next::Record(ATTRIBUTE_LIST) => {
                    self.stream.attributes(&mut self.current.attributes)?;
                    self.current.attributes.map(&self.mappings);
                }
                Next::Record(id) => {
                    let mut event = self.event(id)?;
                    if !self.mappings.is_empty() {
                        event.map(&self.mappings);
                    }
                    let clock = self.clock.as_deref();
                    if let Event::BufferFlush(flush) = &mut event {
                        flush.stop_time.0 = corrected(clock, flush.stop_time.0);
                    }
                    self.current.time = corrected(clock, self.file_time);
                    self.set_current(event);
                    self.waits = true;
                    return Ok(Some(()));
                }
            }
        }
    }

    /// An event to read the next one into, with memory for its list if there has been one.
    #[inline]
    fn blank(&mut self, key: u16) -> Event {
        for used in [&mut self.current.event, &mut self.spare] {
            if used.key() == key {
                return mem::replace(used, NO_EVENT);
            }
        }
        Event::blank(key)
    }

    /// The event at the current place.
    #[inline]
    fn event(&mut self, id: u8) -> Result<Event, Error> {
        let mut event = self.blank(u16::from(id));
        let (at, endian) = (self.stream.at, self.stream.endian);
        if chunk::is_single(id) {
            let rest = self.stream.rest();
            let mut input = Input::new(rest.get(1..).unwrap_or_default(), endian);
            let result = event.read_fields(&mut input);
            let used = rest.len() - input.rest.len();
            return match result {
                Ok(()) => {
                    self.stream.at += used;
                    Ok(event)
                }
                Err(flaw) => Err(self.stream.fatal(event.name(), flaw)),
            };
        }
        let framed = self.stream.framed(|id| Event::name_of(u16::from(id)))?;
        let fields = self.stream.rest().get(framed.head..framed.bytes).unwrap_or_default();
        let end = at + framed.bytes;
        let result = event.read_fields(&mut Input::new(fields, endian));
        self.stream.at = end;
        match result {
            Ok(()) => Ok(event),
            Err(flaw) => Err(self.stream.flawed(event.name(), end, flaw)),
        }
    }
}

impl EventRecord {
    /// The same without ownership.
    pub fn view(&self) -> EventView<'_> {
        let EventRecord { location, time, event, attributes } = self;
        EventView { location: *location, time: *time, event, attributes }
    }
}

/// From ids and times of a location to common ones.
#[inline(always)]
fn global(simple: Simple, mappings: &Mappings, clock: Option<&ClockCorrection>) -> Simple {
    simple.with(corrected(clock, simple.time), RegionRef(mappings.region(simple.region().0)))
}

#[inline(always)]
fn corrected(clock: Option<&ClockCorrection>, time: u64) -> u64 {
    clock.map_or(time, |clock| clock.correct(time))
}

impl<S: ChunkSource> Stream<S> {
    /// Reads the attribute list at the current place into `list`.
    pub fn attributes(&mut self, list: &mut Vec<AttributeValue>) -> Result<(), Error> {
        let (at, endian) = (self.at, self.endian);
        let framed = self.framed(|_| "AttributeList")?;
        let fields = self.rest().get(framed.head..framed.bytes).unwrap_or_default();
        let end = at + framed.bytes;
        let result = list.read_over(&mut Input::new(fields, endian));
        self.at = end;
        result.map_err(|flaw| {
            // What belongs together is whole, or missing.
            list.clear();
            self.flawed("AttributeList", end, flaw)
        })
    }
}

impl<S: ChunkSource> Iterator for EventReader<S> {
    type Item = Result<EventRecord, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self.prepare()? {
            Ok(_) => {
                self.make_current();
                Some(Ok(self.take_current()))
            }
            Err(error) => Some(Err(error)),
        }
    }
}
