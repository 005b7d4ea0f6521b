//! The severities of a run on their way from processes to the profile. They come process by
//! process, and go out call path by call path with all processes side by side; with thousands of
//! processes, no memory holds them. So each process's values of a metric are sorted in the order of
//! the profile's rows and written behind each other, to a file once they are many; the rows are
//! merged of all of them.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

use pompeii_model::{Id, LocationId, MetricId};
use pompeii_otf2::folder::Folder;

use crate::Error;

/// What stays in memory: a run of one process never needs a file.
const MEMORY_BYTES: usize = 16 << 20;
/// All readers of a metric together read ahead by so much.
const READ_AHEAD_BYTES: usize = 32 << 20;

/// A value that is not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The row's position among those of its metric.
    pub row: u32,
    /// Where it was measured.
    pub location: LocationId,
    /// The severity.
    pub value: i64,
}

impl Entry {
    const BYTES: usize = 16;

    fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..4].copy_from_slice(&self.row.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.location.0.to_le_bytes());
        bytes[8..].copy_from_slice(&self.value.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let part = |from: usize| bytes[from..].first_chunk().copied().unwrap_or_default();
        let value = bytes[8..].first_chunk().copied().unwrap_or_default();
        Self {
            row: u32::from_le_bytes(part(0)),
            location: LocationId(u32::from_le_bytes(part(4))),
            value: i64::from_le_bytes(value),
        }
    }
}

/// The severities of one process, by metric of the run.
#[derive(Debug, Default)]
pub struct Column(Vec<(MetricId, Vec<Entry>)>);

impl Column {
    /// Takes the values of a metric, in any order.
    pub fn add(&mut self, metric: MetricId, mut entries: Vec<Entry>) {
        entries.sort_unstable();
        self.0.push((metric, entries));
    }
}

/// The severities of all processes.
#[derive(Debug)]
pub struct Values {
    folder: Folder,
    limit: usize,
    /// What does not fit into memory; without a name in the folder.
    file: Option<File>,
    in_file: u64,
    recent: Vec<u8>,
    /// By metric: begin and end of what each process has.
    parts: Vec<Vec<(u64, u64)>>,
}

impl Values {
    /// None; a file is made in the folder when it is needed.
    pub fn new(folder: Folder) -> Self {
        Self::with_limit(folder, MEMORY_BYTES)
    }

    fn with_limit(folder: Folder, limit: usize) -> Self {
        Self { folder, limit, file: None, in_file: 0, recent: Vec::new(), parts: Vec::new() }
    }

    /// Adds those of a process.
    pub fn add(&mut self, column: &Column) -> Result<(), Error> {
        for (metric, entries) in column.0.iter().filter(|(_, entries)| !entries.is_empty()) {
            let from = self.in_file + self.recent.len() as u64;
            self.recent.extend(entries.iter().flat_map(|entry| entry.to_bytes()));
            let to = self.in_file + self.recent.len() as u64;
            self.parts.resize(self.parts.len().max(metric.index() + 1), Vec::new());
            self.parts[metric.index()].push((from, to));
        }
        if self.recent.len() > self.limit {
            self.flush()?;
        }
        Ok(())
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Io { path: self.folder.path().to_owned(), source }
    }

    fn flush(&mut self) -> Result<(), Error> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(unnamed(&self.folder)?),
        };
        let written = file.write_all(&self.recent);
        written.map_err(|source| self.failed(source))?;
        self.in_file += self.recent.len() as u64;
        self.recent.clear();
        Ok(())
    }

    fn read(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        match (at.checked_sub(self.in_file), &self.file) {
            (None, Some(file)) => file.read_exact_at(bytes, at),
            (recent, _) => {
                let from = recent.unwrap_or(0) as usize;
                bytes.copy_from_slice(&self.recent[from..from + bytes.len()]);
                Ok(())
            }
        }
    }

    /// The rows of a metric.
    pub fn rows(&self, metric: MetricId) -> Rows<'_> {
        let parts = self.parts.get(metric.index()).map_or(&[][..], Vec::as_slice);
        let ahead = READ_AHEAD_BYTES / parts.len().max(1) / Entry::BYTES;
        let ahead = ahead.clamp(16, 4096) * Entry::BYTES;
        let part = |&(at, end): &(u64, u64)| Part { at, end, ahead: Vec::new(), used: 0 };
        Rows { values: self, ahead, parts: parts.iter().map(part).collect() }
    }
}

/// A file of which nothing stays, whatever happens.
fn unnamed(folder: &Folder) -> Result<File, Error> {
    let name = format!("values-{}.tmp", std::process::id());
    let file = folder.create(&name)?;
    folder.remove(&name)?;
    Ok(file)
}

/// The rows of a metric, one after the other.
pub struct Rows<'a> {
    values: &'a Values,
    ahead: usize,
    parts: Vec<Part>,
}

/// What is left of a process's values.
struct Part {
    at: u64,
    end: u64,
    ahead: Vec<u8>,
    used: usize,
}

impl Rows<'_> {
    /// Whether the metric has no values at all.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Writes the values of the row at this position to their locations' places; whether there are
    /// any. Rows must be asked for in their order.
    pub fn fill(&mut self, row: u32, places: &mut [i64]) -> Result<bool, Error> {
        let mut any = false;
        for part in &mut self.parts {
            while let Some(entry) = part
                .next(self.values, self.ahead)
                .map_err(|source| self.values.failed(source))?
                .filter(|entry| entry.row <= row)
            {
                part.used += Entry::BYTES;
                if let Some(place) = places.get_mut(entry.location.index()) {
                    *place = place.saturating_add(entry.value);
                    any = true;
                }
            }
        }
        Ok(any)
    }
}

impl Part {
    /// The next value, which stays the next one.
    fn next(&mut self, values: &Values, ahead: usize) -> io::Result<Option<Entry>> {
        if self.used == self.ahead.len() {
            let bytes = ahead.min((self.end - self.at) as usize);
            self.ahead.resize(bytes, 0);
            values.read(self.at, &mut self.ahead)?;
            self.at += bytes as u64;
            self.used = 0;
        }
        Ok(self.ahead.get(self.used..self.used + Entry::BYTES).map(Entry::from_bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four processes of two locations; each has values in every row but that of its own number.
    fn check(limit: usize, in_files: bool) {
        let folder = tempfile::tempdir().unwrap();
        let mut values = Values::with_limit(Folder::open(folder.path()).unwrap(), limit);
        let value = |row: u32, location: u32| i64::from(row * 100 + location) - 150;
        for process in 0..4_u32 {
            let places = (0..300_u32).rev().filter(|&row| row != process);
            let entries = places.flat_map(|row| {
                [2 * process, 2 * process + 1].map(|location| Entry {
                    row,
                    location: LocationId(location),
                    value: value(row, location),
                })
            });
            let mut column = Column::default();
            column.add(MetricId(2), entries.collect());
            column.add(MetricId(1), Vec::new());
            values.add(&column).unwrap();
        }
        assert_eq!(values.file.is_some(), in_files);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let mut rows = values.rows(MetricId(2));
        for row in 0..301 {
            let mut places = [0; 8];
            let any = rows.fill(row, &mut places).unwrap();
            let expected = std::array::from_fn(|location| match row {
                300 => 0,
                row if row == location as u32 / 2 => 0,
                row => value(row, location as u32),
            });
            assert_eq!((any, places), (row != 300, expected), "{row}");
        }
        assert!(values.rows(MetricId(1)).is_empty() && values.rows(MetricId(7)).is_empty());
    }

    #[test]
    fn rows_are_merged_of_all_processes() {
        check(MEMORY_BYTES, false);
        check(1, true);
        // The last process's values are in memory, those of the others in the file.
        check(700 * Entry::BYTES, true);
    }
}
