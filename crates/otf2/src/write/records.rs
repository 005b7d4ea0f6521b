//! Markers, thumbnails and snapshots: files beside the events.

use std::io::Write;
use std::path::Path;

use super::chunked::ChunkedWriter;
use super::events::{attributes_bound, write_attributes};
use crate::chunk::Endian;
use crate::error::Error;
use crate::marker::MarkerRecord;
use crate::record::Family;
use crate::snapshot::Snapshot;
use crate::thumbnail::{self, Thumbnail};
use crate::value::AttributeValue;
use crate::wire::{Sink, framed_bytes, write_framed};

/// Writes markers: each kind before the first marker of that kind.
#[derive(Debug)]
pub struct MarkerWriter<W: Write>(ChunkedWriter<W>);

impl<W: Write> MarkerWriter<W> {
    /// `chunk_bytes` is the definition chunk size of the archive; `path` is for messages.
    pub fn new(out: W, path: &Path, chunk_bytes: usize) -> MarkerWriter<W> {
        MarkerWriter(ChunkedWriter::new(out, path, chunk_bytes, false))
    }

    /// Appends a record.
    pub fn record(&mut self, record: &MarkerRecord) -> Result<(), Error> {
        let (bound, bytes) = framed(record, record.max_bytes(), self.0.endian);
        self.0.record(record.name(), bound, &bytes)
    }
}

/// Writes a thumbnail: the header, then its samples.
#[derive(Debug)]
pub struct ThumbnailWriter<W: Write>(ChunkedWriter<W>);

impl<W: Write> ThumbnailWriter<W> {
    /// `path` is for messages.
    pub fn new(out: W, path: &Path) -> ThumbnailWriter<W> {
        let chunk_bytes = thumbnail::CHUNK_BYTES as usize;
        ThumbnailWriter(ChunkedWriter::new(out, path, chunk_bytes, false))
    }

    /// Appends a record.
    pub fn record(&mut self, record: &Thumbnail) -> Result<(), Error> {
        let (bound, bytes) = framed(record, record.max_bytes(), self.0.endian);
        self.0.record(record.name(), bound, &bytes)
    }
}

/// Writes the snapshots of one location, each from its start to its end record.
#[derive(Debug)]
pub struct SnapshotWriter<W: Write>(ChunkedWriter<W>);

impl<W: Write> SnapshotWriter<W> {
    /// `chunk_bytes` is the event chunk size of the archive; `path` is for messages.
    pub fn new(out: W, path: &Path, chunk_bytes: usize) -> SnapshotWriter<W> {
        SnapshotWriter(ChunkedWriter::new(out, path, chunk_bytes, true))
    }

    /// Appends a record of the snapshot at `time`, in ticks; a time before the last one is
    /// recorded as that one. The attributes are those of the event that is told again.
    pub fn record(
        &mut self,
        time: u64,
        record: &Snapshot,
        attributes: &[AttributeValue],
    ) -> Result<(), Error> {
        let (mut bound, mut bytes) = framed(record, record.max_bytes(), self.0.endian);
        if !attributes.is_empty() {
            let mut sink = Sink::new(self.0.endian);
            write_attributes(&mut sink, attributes);
            sink.bytes.append(&mut bytes);
            bytes = sink.bytes;
            bound += framed_bytes(attributes_bound(attributes));
        }
        self.0.timed_record(record.name(), time, bound, &bytes)
    }
}

macro_rules! all_writers {
    ($($name:ident)*) => { $(
        impl<W: Write> $name<W> {
            /// Writes numbers in this order of bytes; to be called before the first record.
            pub fn with_endian(mut self, endian: Endian) -> $name<W> {
                self.0.endian = endian;
                self
            }

            /// Completes the file.
            pub fn finish(self) -> Result<W, Error> {
                self.0.finish()
            }
        }
    )* };
}

all_writers! { MarkerWriter ThumbnailWriter SnapshotWriter }

/// Upper bound and bytes of a record; `fields` is the upper bound of its fields.
fn framed(record: &impl Family, fields: usize, endian: Endian) -> (usize, Vec<u8>) {
    let mut sink = Sink::new(endian);
    write_framed(&mut sink, record.key() as u8, Some(fields), |sink| record.write_fields(sink));
    (framed_bytes(fields), sink.bytes)
}
