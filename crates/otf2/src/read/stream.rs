//! The walk over the chunks of a file, which all kinds of files share.

use std::mem;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::source::ChunkSource;
use crate::chunk::{
    CHUNK_HEADER, END_OF_BUFFER, END_OF_CHUNK, END_OF_FILE, Endian, HEADER_BYTES, Header,
};
use crate::error::{Error, io_error};
use crate::wire::{ENDS_IN_CHUNK, Flaw, Framed, Input, read_framed};

/// A place in a file of chunks.
#[derive(Debug)]
pub(super) struct Stream<S> {
    pub source: S,
    pub file: PathBuf,
    pub endian: Endian,
    /// Next byte in the current chunk.
    pub at: usize,
    chunk_bytes: u64,
    /// Chunks that are still to be read; the current one is in front of them.
    chunks: Range<u64>,
    loaded: bool,
    ended: bool,
    /// The file ends within the current chunk.
    cut: bool,
    /// A flaw of the current chunk was told: what is missing at its end is no second one.
    flawed_chunk: bool,
}

/// What comes next in a file.
pub(super) enum Next {
    /// A record with this id, at the current place.
    Record(u8),
    /// Nothing.
    End,
}

impl<S: ChunkSource> Stream<S> {
    /// `file` is for messages.
    pub fn new(source: S, file: &Path, chunk_bytes: u64) -> Stream<S> {
        Stream {
            source,
            file: file.to_owned(),
            endian: Endian::Little,
            at: 0,
            chunk_bytes,
            chunks: 0..u64::MAX,
            loaded: false,
            ended: false,
            cut: false,
            flawed_chunk: false,
        }
    }

    /// Reads these chunks only.
    pub fn set_chunks(&mut self, chunks: Range<u64>) {
        self.ended = chunks.is_empty();
        self.chunks = chunks;
        self.loaded = false;
        self.at = usize::MAX;
    }

    /// Number of the current chunk and the next byte in it. Before a chunk is loaded, and where the
    /// rest of one is given up, this is the begin of the next chunk, byte 0. After the end of the
    /// file it is a chunk that no file has.
    pub fn place(&self) -> (u64, u64) {
        if self.ended {
            (u64::MAX, 0)
        } else if self.loaded && self.at != usize::MAX {
            (self.chunks.start.saturating_sub(1), self.at as u64)
        } else {
            (self.chunks.start, 0)
        }
    }

    /// Goes to a place that [`place`](Self::place) returned; reading ends where it did before.
    pub fn go_to(&mut self, chunk: u64, byte: u64) -> Result<(), Error> {
        self.flawed_chunk = false;
        self.cut = false;
        self.set_chunks(chunk..self.chunks.end.max(chunk));
        if byte == 0 || self.ended {
            return Ok(());
        }
        self.next_chunk()?;
        // A place in the header of a chunk, from a damaged file, is after it.
        if self.at != usize::MAX {
            self.at = self.at.max(usize::try_from(byte).unwrap_or(usize::MAX));
        }
        Ok(())
    }

    /// Nothing more is to be read.
    #[inline]
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Goes to the next record, over the ends of chunks.
    #[inline]
    pub fn next(&mut self) -> Result<Next, Error> {
        loop {
            match self.source.bytes().get(self.at) {
                _ if self.ended => return Ok(Next::End),
                Some(&END_OF_CHUNK) => self.end_chunk()?,
                None => self.next_chunk()?,
                Some(&END_OF_FILE) => self.end_file()?,
                Some(&id) => return Ok(Next::Record(id)),
            }
        }
    }

    /// Bytes of the chunk from the current place on.
    #[inline]
    pub fn rest(&self) -> &[u8] {
        self.source.bytes().get(self.at..).unwrap_or_default()
    }

    /// Measures the record with a length at the current place; `name` is for messages.
    #[inline]
    pub fn framed(&mut self, name: impl FnOnce(u8) -> &'static str) -> Result<Framed, Error> {
        read_framed(self.rest(), self.endian).map_err(|flaw| {
            let record = self.rest().first().map_or("", |&id| name(id));
            self.fatal(record, flaw)
        })
    }

    /// A flaw from which there is no way to the next record; it counts to the end of the chunk.
    /// Reading goes on with the next chunk.
    #[cold]
    pub fn fatal(&mut self, record: &'static str, flaw: Flaw) -> Error {
        let missing = match flaw.found {
            None => true,
            // Only a length that a whole chunk could have is a reason to miss bytes.
            Some(length) => flaw.expected == ENDS_IN_CHUNK && length < self.chunk_bytes,
        };
        if missing && self.cut {
            let error = self.truncated();
            self.end();
            return error;
        }
        let end = self.offset(self.source.bytes().len());
        self.at = usize::MAX;
        self.flawed_chunk = true;
        Error::malformed(&self.file, end, record, flaw)
    }

    /// Goes on behind the end mark of a chunk; only zeros may follow it.
    #[cold]
    fn end_chunk(&mut self) -> Result<(), Error> {
        let rest = self.rest();
        let Some(place) = rest.iter().position(|&byte| byte != END_OF_CHUNK) else {
            return self.next_chunk();
        };
        let input = Input::new(&rest[place..], self.endian);
        let found = Some(u64::from(rest[place]));
        let flaw = Flaw { found, ..input.flaw("zeros behind the mark of a chunk's end") };
        let end = self.offset(self.source.bytes().len());
        self.at = usize::MAX;
        self.flawed_chunk = true;
        Err(Error::malformed(&self.file, end, "", flaw))
    }

    /// Ends at the mark of the file's end; nothing may follow it but the mark of a buffer's end.
    /// Where a chunk follows nevertheless, the mark is damage, and reading goes on there.
    #[cold]
    fn end_file(&mut self) -> Result<(), Error> {
        let rest = self.rest();
        let behind = rest.get(1..).unwrap_or_default();
        let behind = behind.strip_prefix(&[END_OF_BUFFER]).unwrap_or(behind);
        let place = behind.iter().position(|&byte| byte != END_OF_CHUNK);
        let flaw = match place {
            Some(place) => {
                let rest = behind.get(place..).unwrap_or_default();
                Input::new(rest, self.endian).flaw("nothing behind the mark of the file's end")
            }
            None if self.cut || self.chunks.is_empty() => {
                self.end();
                return Ok(());
            }
            None => Input::new(&[], self.endian).flaw("the end of the file behind its mark"),
        };
        let end = self.offset(self.source.bytes().len());
        if place.is_none() {
            // A chunk that is filled to its last byte by the marks is rare, but right.
            let loaded = self.source.load(self.chunks.start, HEADER_BYTES);
            let goes_on = loaded.is_ok() && !self.source.bytes().is_empty();
            self.at = usize::MAX;
            self.ended = !goes_on;
            self.flawed_chunk = goes_on;
            return if goes_on { Err(Error::malformed(&self.file, end, "", flaw)) } else { Ok(()) };
        }
        self.at = usize::MAX;
        self.flawed_chunk = true;
        Err(Error::malformed(&self.file, end, "", flaw))
    }

    /// Nothing follows.
    fn end(&mut self) {
        self.ended = true;
        self.at = usize::MAX;
    }

    /// A flaw in the fields of a record that ends at `end` in the chunk.
    pub fn flawed(&self, record: &'static str, end: usize, flaw: Flaw) -> Error {
        Error::malformed(&self.file, self.offset(end), record, flaw)
    }

    fn truncated(&self) -> Error {
        Error::Truncated {
            file: self.file.clone(),
            offset: self.offset(self.at.min(self.source.bytes().len())),
            chunk: self.chunks.start.saturating_sub(1),
        }
    }

    /// Place in the file of a place in the current chunk.
    pub fn offset(&self, at: usize) -> u64 {
        let begin = self.chunks.start.saturating_sub(1).saturating_mul(self.chunk_bytes);
        begin.saturating_add(at as u64)
    }

    #[cold]
    fn next_chunk(&mut self) -> Result<(), Error> {
        if self.loaded && self.cut {
            let told = self.flawed_chunk;
            let error = self.truncated();
            self.end();
            return if told { Ok(()) } else { Err(error) };
        }
        if self.chunks.is_empty() {
            self.end();
            return Ok(());
        }
        let loaded = self.source.load(self.chunks.start, usize::MAX);
        let was_flawed = mem::take(&mut self.flawed_chunk);
        self.chunks.start += 1;
        let first = !mem::replace(&mut self.loaded, true);
        self.at = 0;
        loaded.map_err(io_error(&self.file)).inspect_err(|_| self.ended = true)?;
        let bytes = self.source.bytes();
        self.cut = (bytes.len() as u64) < self.chunk_bytes;
        if let Some(header) = Header::read(bytes) {
            self.endian = header.endian;
            self.at = HEADER_BYTES;
            return Ok(());
        }
        if bytes.is_empty() && was_flawed && !first {
            self.end();
            return Ok(());
        }
        // A file that was cut still begins as a chunk does.
        let begins = bytes.first().is_none_or(|&mark| mark == CHUNK_HEADER)
            && bytes.get(1).is_none_or(|&mark| Endian::from_mark(mark).is_some());
        if begins && bytes.len() < HEADER_BYTES {
            let error = self.truncated();
            self.end();
            return Err(error);
        }
        let flaw = Input::new(bytes, self.endian).flaw("a chunk: 03, and 42 or 23");
        let end = self.offset(bytes.len());
        self.at = usize::MAX;
        self.flawed_chunk = true;
        Err(Error::malformed(&self.file, end, "", flaw))
    }
}
