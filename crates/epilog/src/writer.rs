//! Writes a file record by record.

use std::io::Write;

use crate::error::Error;
use crate::long::{self, Length, Long};
use crate::record::Record;
use crate::wire::{Endian, Output, write_record};
use crate::{MAGIC, VERSION};

/// Most bytes of the body of a record.
const RECORD_BYTES: usize = u8::MAX as usize;

/// A file that is being written.
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: W,
    body: Output,
}

impl<W: Write> Writer<W> {
    /// Writes the header of a file. `out` needs a buffer, because records are written one by one.
    ///
    /// # Errors
    /// The system cannot write.
    pub fn new(mut out: W, endian: Endian) -> Result<Writer<W>, Error> {
        out.write_all(&MAGIC)?;
        out.write_all(&[VERSION[0], VERSION[1], endian.mark()])?;
        Ok(Writer { out, body: Output { bytes: Vec::new(), endian } })
    }

    /// Appends a record, in several parts if it is long.
    ///
    /// # Errors
    /// The system cannot write, or the record is longer than the format allows.
    pub fn record(&mut self, record: &Record) -> Result<(), Error> {
        self.body.bytes.clear();
        record.write(&mut self.body);
        let bytes = self.body.bytes.len();
        let number = record.number();
        match long::of(number, VERSION[1]) {
            Some(long) if bytes > long.first_bytes => self.parts(record, long),
            _ if bytes > RECORD_BYTES => {
                Err(Error::TooLong { record: record.name(), bytes, max: RECORD_BYTES })
            }
            _ => Ok(write_record(&mut self.out, number, &self.body.bytes)?),
        }
    }

    /// Appends a record with its continuation.
    fn parts(&mut self, record: &Record, long: Long) -> Result<(), Error> {
        let bytes = self.body.bytes.len();
        let records = (bytes - long.first_bytes).div_ceil(long.next_bytes);
        if let Length::Records { at } = long.length {
            let max = long.first_bytes + RECORD_BYTES * long.next_bytes;
            let Ok(records) = u8::try_from(records) else {
                return Err(Error::TooLong { record: record.name(), bytes, max });
            };
            self.body.bytes[at] = records;
        }
        let (first, rest) = self.body.bytes.split_at(long.first_bytes);
        write_record(&mut self.out, record.number(), first)?;
        for part in rest.chunks(long.next_bytes) {
            write_record(&mut self.out, long.number, part)?;
        }
        Ok(())
    }

    /// Writes what is still in buffers, and returns where the file went.
    ///
    /// # Errors
    /// The system cannot write.
    pub fn finish(mut self) -> Result<W, Error> {
        self.out.flush()?;
        Ok(self.out)
    }
}
