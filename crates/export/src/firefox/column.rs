//! A column of a table in JSON: values that come one by one, while other columns get theirs. Only
//! the last ones are in memory, the others are in a temporary file.

use std::fmt::Arguments;
use std::fs::File;
use std::io::{self, Seek, Write};

/// Bytes in memory.
const LOT_BYTES: usize = 1 << 16;

/// Values separated by commas.
#[derive(Default)]
pub struct Column {
    bytes: Vec<u8>,
    file: Option<File>,
    is_begun: bool,
}

impl Column {
    /// Adds a value, which is text in JSON.
    pub fn add(&mut self, value: Arguments<'_>) -> io::Result<()> {
        if std::mem::replace(&mut self.is_begun, true) {
            self.bytes.push(b',');
        }
        self.bytes.write_fmt(value)?;
        if self.bytes.len() >= LOT_BYTES {
            let file = match self.file.take() {
                Some(file) => file,
                None => tempfile::tempfile()?,
            };
            self.file.insert(file).write_all(&self.bytes)?;
            self.bytes.clear();
        }
        Ok(())
    }

    /// Writes all values, as an array with this name.
    pub fn write(self, name: &str, out: &mut impl Write) -> io::Result<()> {
        write!(out, ",\"{name}\":[")?;
        if let Some(mut file) = self.file {
            file.rewind()?;
            io::copy(&mut file, out)?;
        }
        out.write_all(&self.bytes)?;
        out.write_all(b"]")
    }
}

/// Writes a column that has the same value `number` times.
pub fn write_same(
    name: &str,
    (value, number): (&str, u64),
    out: &mut impl Write,
) -> io::Result<()> {
    let mut column = Column::default();
    (0..number).try_for_each(|_| column.add(format_args!("{value}")))?;
    column.write(name, out)
}
