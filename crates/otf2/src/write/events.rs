//! An event file from event records.

use std::io::Write;
use std::path::Path;

use super::chunked::ChunkedWriter;
use crate::chunk::{self, ATTRIBUTE_LIST, Endian};
use crate::encode::Packed;
use crate::error::Error;
use crate::event::Event;
use crate::record::Family;
use crate::value::{ATTRIBUTE_VALUE_BYTES, AttributeValue};
use crate::wire::{Sink, Wire, framed_bytes, write_framed};

/// Writes the events of one location.
#[derive(Debug)]
pub struct EventWriter<W: Write> {
    file: ChunkedWriter<W>,
    /// The record that is being written: its memory is used again and again.
    sink: Sink,
}

impl<W: Write> EventWriter<W> {
    /// Writes to `out`, which begins at the start of a file; `path` is for messages. All of a
    /// chunk is written at once, so `out` needs no buffer of its own.
    ///
    /// `chunk_bytes` is the event chunk size of the archive's anchor.
    pub fn new(out: W, path: &Path, chunk_bytes: usize) -> EventWriter<W> {
        EventWriter {
            file: ChunkedWriter::new(out, path, chunk_bytes, true),
            sink: Sink::new(Endian::Little),
        }
    }

    /// Writes numbers in this order of bytes; to be called before the first event.
    pub fn with_endian(mut self, endian: Endian) -> EventWriter<W> {
        self.file.endian = endian;
        self.sink = Sink::new(endian);
        self
    }

    /// Appends an event at `time`, in ticks; a time before the last one is recorded as that one.
    ///
    /// Errors: the system cannot write, or the record does not fit into a chunk.
    // Enter and Leave cost half as much where the compiler sees which of them it is, as part of
    // the caller.
    #[inline(always)]
    pub fn event(
        &mut self,
        time: u64,
        event: &Event,
        attributes: &[AttributeValue],
    ) -> Result<(), Error> {
        let simple = match event {
            Event::Enter(enter) if attributes.is_empty() => Some(Packed::enter(enter.region.0)),
            Event::Leave(leave) if attributes.is_empty() => Some(Packed::leave(leave.region.0)),
            _ => None,
        };
        if simple.is_some_and(|record| self.file.simple_record(time, record)) {
            return Ok(());
        }
        self.any_event(time, event, attributes)
    }

    #[inline(never)]
    fn any_event(
        &mut self,
        time: u64,
        event: &Event,
        attributes: &[AttributeValue],
    ) -> Result<(), Error> {
        self.sink.bytes.clear();
        let mut bound = event_bound(event);
        if !attributes.is_empty() {
            write_attributes(&mut self.sink, attributes);
            bound += framed_bytes(attributes_bound(attributes));
        }
        write_event(&mut self.sink, event);
        self.file.timed_record(event.name(), time, bound, &self.sink.bytes)
    }

    /// Events written so far.
    pub fn events(&self) -> u64 {
        self.file.records()
    }

    /// Completes the file.
    pub fn finish(self) -> Result<W, Error> {
        self.file.finish()
    }
}

/// Upper bound of a whole event record.
fn event_bound(event: &Event) -> usize {
    let fields = event.max_bytes();
    if chunk::is_single(event.key() as u8) { 1 + fields } else { framed_bytes(fields) }
}

/// Upper bound of the fields of an attribute list, as the reference library reckons.
pub(super) fn attributes_bound(attributes: &[AttributeValue]) -> usize {
    5 + ATTRIBUTE_VALUE_BYTES * attributes.len()
}

pub(crate) fn write_event(sink: &mut Sink, event: &Event) {
    let id = event.key() as u8;
    if chunk::is_single(id) {
        sink.u8(id);
        event.write_fields(sink);
    } else {
        write_framed(sink, id, Some(event.max_bytes()), |sink| event.write_fields(sink));
    }
}

pub(crate) fn write_attributes(sink: &mut Sink, attributes: &[AttributeValue]) {
    write_framed(sink, ATTRIBUTE_LIST, Some(attributes_bound(attributes)), |sink| {
        (attributes.len() as u32).write(sink);
        attributes.iter().for_each(|attribute| attribute.write(sink));
    });
}
