//! Markers, thumbnails and snapshots: files beside the events.

use std::io::Write;
use std::path::Path;

use super::chunked::ChunkedWriter;
use crate::chunk::Endian;
use crate::error::Error;
use crate::marker::MarkerRecord;
use crate::record::Family;
use crate::snapshot::Snapshot;
use crate::thumbnail::{self, Thumbnail};
use crate::wire::{Sink, write_framed};

fn framed(record: &impl Family) -> Vec<u8> {
    let mut sink = Sink::new(Endian::Little);
    write_framed(&mut sink, record.key() as u8, None, |sink| record.write_fields(sink));
    sink.bytes
}

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
        self.0.record(record.name(), &framed(record))
    }

    /// Completes the file.
    pub fn finish(self) -> Result<W, Error> {
        self.0.finish()
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
        self.0.record(record.name(), &framed(record))
    }

    /// Completes the file.
    pub fn finish(self) -> Result<W, Error> {
        self.0.finish()
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
    /// recorded as that one.
    pub fn record(&mut self, time: u64, record: &Snapshot) -> Result<(), Error> {
        self.0.timed_record(record.name(), time, &framed(record))
    }

    /// Completes the file.
    pub fn finish(self) -> Result<W, Error> {
        self.0.finish()
    }
}
