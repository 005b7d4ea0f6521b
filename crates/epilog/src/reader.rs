//! Reads a file record by record.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;

use crate::error::{Error, Malformed};
use crate::long::{self, Long};
use crate::record::{Record, name_of};
use crate::wire::{Endian, Input};
use crate::{MAGIC, VERSION};

const BUFFER_BYTES: usize = 1 << 16;

/// First bytes of a file that is compressed by gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Bytes of length and kind before the body of a record.
const HEAD_BYTES: u64 = 2;

/// A file that is being read.
pub struct Reader<'a> {
    source: Box<dyn BufRead + 'a>,
    endian: Endian,
    minor: u8,
    /// Place in the file after decompression, in bytes.
    offset: u64,
    /// Place of the last record.
    record_offset: u64,
    metrics: usize,
    /// Body of the record that is read; its memory is used again.
    body: Vec<u8>,
}

impl<'a> Reader<'a> {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// The file is none of this format, or of another version.
    pub fn new(source: impl Read + 'a) -> Result<Reader<'a>, Error> {
        let mut plain = BufReader::with_capacity(BUFFER_BYTES, source);
        let source: Box<dyn BufRead + 'a> = if plain.fill_buf()?.starts_with(&GZIP) {
            let unpacked = MultiGzDecoder::new(plain);
            Box::new(BufReader::with_capacity(BUFFER_BYTES, unpacked))
        } else {
            Box::new(plain)
        };
        let mut reader = Reader {
            source,
            endian: Endian::Little,
            minor: 0,
            offset: 0,
            record_offset: 0,
            metrics: 0,
            body: Vec::new(),
        };
        reader.header()?;
        Ok(reader)
    }

    /// Order of the bytes of numbers.
    pub fn endian(&self) -> Endian {
        self.endian
    }

    /// The minor version of the format; the major one is 1.
    pub fn minor(&self) -> u8 {
        self.minor
    }

    /// Says how many metrics other files define for the events of this one.
    pub fn set_metrics(&mut self, metrics: usize) {
        self.metrics = metrics;
    }

    /// Place of the last record in the file after decompression, in bytes.
    pub fn record_offset(&self) -> u64 {
        self.record_offset
    }

    fn header(&mut self) -> Result<(), Error> {
        let mut magic = [0; MAGIC.len()];
        if !self.fill(&mut magic)? || magic != MAGIC {
            return Err(malformed(0, "the text `EPILOG` and a zero, as each EPILOG file begins"));
        }
        let mut rest = [0; 3];
        if !self.fill(&mut rest)? {
            return Err(malformed(self.offset, "the version and the byte order"));
        }
        let [major, minor, mark] = rest;
        if major != VERSION[0] {
            let version = format!("{major}.{minor}");
            return Err(found(malformed(7, "version 1 of the format"), version));
        }
        let Some(endian) = Endian::of_mark(mark) else {
            let expected = "1 or 2, for the order of bytes in numbers";
            return Err(found(malformed(9, expected), mark.to_string()));
        };
        (self.minor, self.endian) = (minor, endian);
        Ok(())
    }

    /// The next record; `None` at the end of the file. A record with its continuation is one.
    ///
    /// # Errors
    /// The bytes are no record, or the file ends within one. Nothing can be read after that.
    pub fn next_record(&mut self) -> Result<Option<Record>, Error> {
        let Some([length, number]) = self.head()? else { return Ok(None) };
        self.record_offset = self.offset - HEAD_BYTES;
        self.body.clear();
        self.body(length, number)?;
        if long::is_continuation(number) {
            let expected = "the record that this one continues";
            return Err(in_record(malformed(self.record_offset, expected), number));
        }
        if let Some(long) = long::of(number, self.minor) {
            self.continuation(long, number)?;
        }
        let record = self.parse(number)?;
        self.metrics += usize::from(matches!(record, Record::Metric(_)));
        Ok(Some(record))
    }

    /// The record in `body`.
    fn parse(&self, number: u8) -> Result<Record, Error> {
        let mut input = Input {
            rest: &self.body,
            endian: self.endian,
            minor: self.minor,
            metrics: self.metrics,
            has_location: true,
            elements: 0,
        };
        Record::read(number, &mut input).map_err(|flaw| {
            let offset = self.offset.saturating_sub(flaw.rest as u64);
            let (record, expected) = (name_of(number), flaw.expected);
            let found = String::new();
            Error::Malformed(Malformed { offset, record, field: flaw.field, expected, found })
        })
    }

    /// Length and kind of the next record.
    fn head(&mut self) -> Result<Option<[u8; 2]>, Error> {
        if self.source.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let mut head = [0; 2];
        match self.fill(&mut head)? {
            true => Ok(Some(head)),
            false => Err(malformed(self.offset, "the kind of a record; the file ends here")),
        }
    }

    /// Appends the body of a record.
    fn body(&mut self, length: u8, number: u8) -> Result<(), Error> {
        let from = self.body.len();
        let mut body = std::mem::take(&mut self.body);
        body.resize(from + usize::from(length), 0);
        let is_whole = self.fill(&mut body[from..])?;
        self.body = body;
        if is_whole {
            return Ok(());
        }
        let error = malformed(self.offset, "the rest of the record; the file ends here");
        Err(in_record(error, number))
    }

    /// Appends the bodies of the records that continue one.
    fn continuation(&mut self, long: Long, number: u8) -> Result<(), Error> {
        let mut records = 0;
        while long.goes_on(&self.body, records, self.endian) {
            let head = self.head()?.filter(|[_, next]| *next == long.number);
            let Some([length, _]) = head else {
                let expected = "a further record that continues this one";
                return Err(in_record(malformed(self.offset, expected), number));
            };
            self.body(length, long.number)?;
            records += 1;
        }
        Ok(())
    }

    /// Fills `bytes`, and returns whether the file has enough of them.
    fn fill(&mut self, bytes: &mut [u8]) -> Result<bool, Error> {
        let mut filled = 0;
        while filled < bytes.len() {
            match self.source.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.offset += filled as u64;
        Ok(filled == bytes.len())
    }
}

fn malformed(offset: u64, expected: &'static str) -> Error {
    let found = String::new();
    Error::Malformed(Malformed { offset, record: "", field: "", expected, found })
}

fn in_record(error: Error, number: u8) -> Error {
    match error {
        Error::Malformed(it) => Error::Malformed(Malformed { record: name_of(number), ..it }),
        other => other,
    }
}

fn found(error: Error, found: String) -> Error {
    match error {
        Error::Malformed(it) => Error::Malformed(Malformed { found, ..it }),
        other => other,
    }
}
