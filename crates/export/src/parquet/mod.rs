//! Parquet: a file for each table, which data frames and databases read without a schema of ours.
//! Each table is written in groups of rows, whose columns are in memory until their group is full.
//! Values are stored as they are, neither compressed nor by dictionaries. Therefore each column of
//! a group is one page, and no reader needs more than the basic parts of the format.
//! Source: `parquet.thrift` and "Encodings" of the project Apache Parquet.

mod file;
mod thrift;

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::source::{Error, Open, Read};
use crate::tables::{self, Named, Sink};
use file::File;

/// Writes all tables of a trace; `create` makes a file of this name.
///
/// # Errors
/// The trace cannot be opened, or a file cannot be written.
pub fn write<W: Write + Send>(
    open: Open<'_>,
    threads: usize,
    create: impl FnMut(&str) -> io::Result<W> + Send,
) -> Result<Read, Error> {
    let mut files = Files { create, files: BTreeMap::new() };
    tables::write(open, threads, &mut files)
}

/// The files of the tables that have begun.
struct Files<W, F> {
    create: F,
    files: BTreeMap<&'static str, File<W>>,
}

impl<W: Write + Send, F: FnMut(&str) -> io::Result<W> + Send> Sink for Files<W, F> {
    fn add(&mut self, table: &'static str, columns: &[Named]) -> io::Result<()> {
        if let Some(file) = self.files.get_mut(table) {
            return file.add(columns);
        }
        let out = (self.create)(&format!("{table}.parquet"))?;
        let mut file = File::new(out, columns)?;
        file.add(columns)?;
        self.files.insert(table, file);
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        self.files.values_mut().try_for_each(File::end)
    }
}
