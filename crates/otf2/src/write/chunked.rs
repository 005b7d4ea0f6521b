//! A file of chunks, filled record by record.
//!
//! A new chunk begins where the reference library begins one: a record's upper bound decides, not
//! its bytes. So archives are the same byte for byte.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::chunk::{self, END_OF_CHUNK, Endian, HEADER_BYTES, Header};
use crate::encode::{self, Packed, TIMESTAMP, TIMESTAMP_BYTES};
use crate::error::{Error, io_error};

/// Upper bound of an Enter or Leave: id, size byte and four bytes of a region.
const SIMPLE_BYTES: usize = 6;
/// Memory for the first records of a file.
const SMALLEST_BYTES: usize = 4096;
/// The two marks at the end of a file.
const END_BYTES: usize = 2;

/// Keeps the current chunk in memory, since its header is known only when it is full.
#[derive(Debug)]
pub(super) struct ChunkedWriter<W> {
    out: W,
    path: PathBuf,
    pub endian: Endian,
    chunk_bytes: usize,
    /// The current chunk, of which `used` bytes are filled. It grows up to its size: most files of
    /// definitions of an archive are nearly empty.
    chunk: Vec<u8>,
    used: usize,
    /// Records count in the headers; only event and snapshot files have that.
    counted: bool,
    first: u64,
    last: u64,
    last_time: u64,
    /// Time of the last timestamp record; the one before it where a chunk begins.
    stamped_time: u64,
}

impl<W: Write> ChunkedWriter<W> {
    /// `path` is for messages.
    pub fn new(out: W, path: &Path, chunk_bytes: usize, counted: bool) -> ChunkedWriter<W> {
        ChunkedWriter {
            out,
            path: path.to_owned(),
            endian: Endian::Little,
            chunk_bytes,
            chunk: vec![END_OF_CHUNK; HEADER_BYTES],
            used: HEADER_BYTES,
            counted,
            first: 1,
            last: 0,
            last_time: 0,
            stamped_time: 0,
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn records(&self) -> u64 {
        self.last
    }

    /// Appends a record of at most `bound` bytes, in a new chunk if it has to be.
    pub fn record(&mut self, name: &'static str, bound: usize, bytes: &[u8]) -> Result<(), Error> {
        self.check_size(name, bytes.len(), 0)?;
        if bound.max(bytes.len()) >= self.free() {
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
        bound: usize,
        bytes: &[u8],
    ) -> Result<(), Error> {
        self.check_size(name, bytes.len(), TIMESTAMP_BYTES)?;
        let begins = TIMESTAMP_BYTES + bound.max(bytes.len()) >= self.free();
        if begins {
            self.next_chunk()?;
        }
        self.last_time = self.last_time.max(time);
        // Time 0 is what a reader begins with; the library writes it down nevertheless.
        if begins || self.last_time > self.stamped_time || self.last_time == 0 {
            self.stamped_time = self.last_time;
            let [a, b, c, d, e, f, g, h] = self.endian.bytes_of_u64(self.last_time);
            self.append(&[TIMESTAMP, a, b, c, d, e, f, g, h]);
        }
        self.append(bytes);
        self.last += 1;
        Ok(())
    }

    /// As [`timed_record`](Self::timed_record) for an Enter or Leave, straight into the chunk.
    /// `false` and no effect: this place in the file needs more care.
    #[inline(always)]
    pub fn simple_record(&mut self, time: u64, record: Packed) -> bool {
        let room = self.chunk.get_mut(self.used..).and_then(|free| free.first_chunk_mut());
        let time = time.max(self.last_time);
        // A room is larger than the record and whatever must be free behind it.
        let (Some(room), Endian::Little, 1..) = (room, self.endian, time) else { return false };
        const { assert!(encode::EVENT_ROOM_BYTES > TIMESTAMP_BYTES + SIMPLE_BYTES + END_BYTES) };
        self.used += encode::packed(room, &mut self.stamped_time, time, record);
        self.last_time = time;
        self.last += 1;
        true
    }

    /// Bytes of the chunk that are not used.
    fn free(&self) -> usize {
        self.chunk_bytes.saturating_sub(self.used)
    }

    /// The error for a record that even an empty chunk cannot hold, `head` bytes being taken.
    fn check_size(&self, record: &'static str, bytes: usize, head: usize) -> Result<(), Error> {
        let chunk_bytes = self.chunk_bytes;
        if HEADER_BYTES + head + bytes + END_BYTES > chunk_bytes {
            return Err(Error::TooLarge { file: self.path.clone(), record, bytes, chunk_bytes });
        }
        Ok(())
    }

    /// Appends bytes that fit, without counting a record.
    #[inline]
    fn append(&mut self, bytes: &[u8]) {
        let end = self.used + bytes.len();
        if self.chunk.len() < end {
            let larger = end.max(2 * self.chunk.len()).max(SMALLEST_BYTES);
            self.chunk.resize(larger.min(self.chunk_bytes).max(end), END_OF_CHUNK);
        }
        if let Some(room) = self.chunk.get_mut(self.used..end) {
            room.copy_from_slice(bytes);
            self.used = end;
        }
    }

    /// Writes the chunk out and starts the next one.
    fn next_chunk(&mut self) -> Result<(), Error> {
        self.chunk.get_mut(self.used..).unwrap_or_default().fill(END_OF_CHUNK);
        self.chunk.resize(self.chunk_bytes.max(self.used), END_OF_CHUNK);
        self.flush(self.chunk.len())?;
        if self.counted {
            self.first = self.last + 1;
        }
        self.used = HEADER_BYTES;
        self.stamped_time = self.stamped_time.saturating_sub(1);
        Ok(())
    }

    /// Writes the end marks and everything that is not written yet.
    pub fn finish(mut self) -> Result<W, Error> {
        if self.free() < END_BYTES {
            self.next_chunk()?;
        }
        self.append(&[chunk::END_OF_FILE, chunk::END_OF_BUFFER]);
        self.flush(self.used)?;
        self.out.flush().map_err(io_error(&self.path))?;
        Ok(self.out)
    }

    fn flush(&mut self, bytes: usize) -> Result<(), Error> {
        let header = Header { endian: self.endian, first: self.first, last: self.last };
        if let Some(bytes) = self.chunk.first_chunk_mut() {
            *bytes = header.to_bytes();
        }
        let bytes = self.chunk.get(..bytes).unwrap_or_default();
        self.out.write_all(bytes).map_err(io_error(&self.path))
    }
}
