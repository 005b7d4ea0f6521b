//! A file of chunks, filled record by record.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::chunk::{self, END_OF_CHUNK, Endian, HEADER_BYTES, Header};
use crate::encode::{TIMESTAMP, TIMESTAMP_BYTES};
use crate::error::{Error, io_error};

/// Keeps the current chunk in memory, since its header is known only when it is full.
#[derive(Debug)]
pub(super) struct ChunkedWriter<W> {
    out: W,
    path: PathBuf,
    chunk_bytes: usize,
    chunk: Vec<u8>,
    /// Records count in the headers; only event and snapshot files have that.
    counted: bool,
    first: u64,
    last: u64,
    last_time: u64,
}

impl<W: Write> ChunkedWriter<W> {
    /// `path` is for messages.
    pub fn new(out: W, path: &Path, chunk_bytes: usize, counted: bool) -> ChunkedWriter<W> {
        let mut writer = ChunkedWriter {
            out,
            path: path.to_owned(),
            chunk_bytes,
            chunk: Vec::new(),
            counted,
            first: 1,
            last: 0,
            last_time: 0,
        };
        writer.begin();
        writer
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes that a record may have in the current chunk; two remain for the end marks.
    fn free(&self) -> usize {
        self.chunk_bytes.saturating_sub(self.chunk.len() + 2)
    }

    /// The error for a record that even an empty chunk cannot hold, `head` bytes being taken.
    fn check_size(&self, record: &'static str, bytes: usize, head: usize) -> Result<(), Error> {
        let chunk_bytes = self.chunk_bytes;
        if HEADER_BYTES + head + bytes + 2 > chunk_bytes {
            return Err(Error::TooLarge { file: self.path.clone(), record, bytes, chunk_bytes });
        }
        Ok(())
    }

    /// Appends a record, in a new chunk if it has to be.
    pub fn record(&mut self, name: &'static str, bytes: &[u8]) -> Result<(), Error> {
        self.check_size(name, bytes.len(), 0)?;
        if self.free() < bytes.len() {
            self.next_chunk()?;
        }
        self.append(bytes);
        Ok(())
    }

    /// Appends and counts a record at a time, with its timestamp if that has grown and at the
    /// start of a chunk; a time before the last one is recorded as that one.
    pub fn timed_record(
        &mut self,
        name: &'static str,
        time: u64,
        bytes: &[u8],
    ) -> Result<(), Error> {
        self.check_size(name, bytes.len(), TIMESTAMP_BYTES)?;
        let new_chunk = self.free() < TIMESTAMP_BYTES + bytes.len();
        if new_chunk {
            self.next_chunk()?;
        }
        if new_chunk || time > self.last_time {
            self.last_time = self.last_time.max(time);
            self.append(&[TIMESTAMP]);
            let time = self.last_time.to_le_bytes();
            self.append(&time);
        }
        self.append(bytes);
        self.last += 1;
        Ok(())
    }

    /// Appends bytes that fit, without counting a record.
    fn append(&mut self, bytes: &[u8]) {
        self.chunk.extend(bytes);
    }

    pub fn records(&self) -> u64 {
        self.last
    }

    /// Writes the chunk out and starts the next one.
    fn next_chunk(&mut self) -> Result<(), Error> {
        self.chunk.resize(self.chunk_bytes, END_OF_CHUNK);
        self.flush()?;
        self.first = self.last + 1;
        if !self.counted {
            self.first = 1;
        }
        self.begin();
        Ok(())
    }

    /// Writes the end marks and everything that is not written yet.
    pub fn finish(mut self) -> Result<W, Error> {
        self.chunk.extend([chunk::END_OF_FILE, chunk::END_OF_BUFFER]);
        self.flush()?;
        self.out.flush().map_err(io_error(&self.path))?;
        Ok(self.out)
    }

    fn begin(&mut self) {
        self.chunk.clear();
        self.chunk.extend([0; HEADER_BYTES]);
    }

    fn flush(&mut self) -> Result<(), Error> {
        let header = Header { endian: Endian::Little, first: self.first, last: self.last };
        if let Some(bytes) = self.chunk.first_chunk_mut() {
            *bytes = header.to_bytes();
        }
        self.out.write_all(&self.chunk).map_err(io_error(&self.path))
    }
}
