//! An event file from event records, for everything that is not the hot path of a measurement.

use std::io::Write;
use std::path::Path;

use super::chunked::ChunkedWriter;
use crate::chunk::{self, ATTRIBUTE_LIST, Endian};
use crate::error::Error;
use crate::event::Event;
use crate::record::Family;
use crate::value::{ATTRIBUTE_VALUE_BYTES, AttributeValue};
use crate::wire::{Sink, Wire, write_framed};

/// Writes the events of one location.
#[derive(Debug)]
pub struct EventWriter<W: Write> {
    file: ChunkedWriter<W>,
}

impl<W: Write> EventWriter<W> {
    /// Writes to `out`, which begins at the start of a file; `path` is for messages.
    ///
    /// `chunk_bytes` is the event chunk size of the archive's anchor.
    pub fn new(out: W, path: &Path, chunk_bytes: usize) -> EventWriter<W> {
        EventWriter { file: ChunkedWriter::new(out, path, chunk_bytes, true) }
    }

    /// Appends an event at `time`, in ticks; a time before the last one is recorded as that one.
    ///
    /// Errors: the system cannot write, or the record does not fit into a chunk.
    pub fn event(
        &mut self,
        time: u64,
        event: &Event,
        attributes: &[AttributeValue],
    ) -> Result<(), Error> {
        let mut sink = Sink::new(Endian::Little);
        if !attributes.is_empty() {
            write_attributes(&mut sink, attributes);
        }
        write_event(&mut sink, event);
        self.file.timed_record(event.name(), time, &sink.bytes)
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
    let estimate = 5 + ATTRIBUTE_VALUE_BYTES * attributes.len();
    write_framed(sink, ATTRIBUTE_LIST, Some(estimate), |sink| {
        (attributes.len() as u32).write(sink);
        attributes.iter().for_each(|attribute| attribute.write(sink));
    });
}
