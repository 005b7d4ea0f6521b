//! The stored values of one metric: which rows exist, where they are, and what is in them.

use std::io::Read;
use std::num::NonZero;
use std::thread;

use flate2::read::ZlibDecoder;

use crate::data_type::DataType;
use crate::error::{Error, Result};
use crate::ids::{CallPathId, Id, LocationId, MetricId};
use crate::matrix::Matrix;
use crate::metric::{Metric, MetricKind};
use crate::report::Report;
use crate::row_order::row_order;
use crate::source::{Extent, Source};
use crate::value::{
    ByteOrder, Number, Value, decode_and_convert, decode_numbers, decode_value, take,
};
use crate::writer::{COMPRESSED_MAGIC, DATA_MAGIC, INDEX_MAGIC, TABLE_ENTRY_LEN};

/// Deflate cannot shrink further than this; a row that claims more is a lie.
const INFLATE_RATIO_MAX: u64 = 1032;

/// What a thread reads at least: starting one takes as long as some tens of kilobytes.
const THREAD_BYTES_MIN: u64 = 1 << 20;

/// What `read` makes of each call path, whose row has this length, in their order. If there are
/// many bytes, several threads read.
fn in_threads<R: Send>(
    paths: &[CallPathId],
    row_len: u64,
    read: impl Fn(&CallPathId) -> R + Sync,
) -> Vec<R> {
    let bytes = row_len.saturating_mul(paths.len() as u64);
    let most = thread::available_parallelism().map_or(1, NonZero::get) as u64;
    let threads = (bytes / THREAD_BYTES_MIN).clamp(1, most) as usize;
    let share = paths.len().div_ceil(threads).max(1);
    let read_all = &|paths: &[CallPathId]| paths.iter().map(&read).collect::<Vec<R>>();
    thread::scope(|scope| {
        let mut parts = paths.chunks(share);
        let first = parts.next().unwrap_or_default();
        let others: Vec<_> = parts.map(|part| scope.spawn(move || read_all(part))).collect();
        let mut all = read_all(first);
        for other in others {
            match other.join() {
                Ok(part) => all.extend(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    })
}

/// The stored values of one metric. Reading a row costs one access to the file.
pub struct Values<'r> {
    source: &'r Source,
    report: &'r Report,
    metric: MetricId,
    order: ByteOrder,
    row_len: u64,
    compressed: bool,
    /// Damaged rows are zeros.
    shows_damaged: bool,
    /// Where the row of each call path is; `None` for a row of zeros.
    rows: Vec<Option<Extent>>,
}

/// One row: the values of one call path on all locations.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    data_type: DataType,
    order: ByteOrder,
    /// The bytes of one value.
    size: usize,
    bytes: Vec<u8>,
}

impl Row {
    /// All values as numbers, by ascending location; `None` if the type has no numbers of that kind
    /// or one does not fit: doubles are never rounded to integers. The marker for "no value" in
    /// unsigned 64-bit metrics is zero.
    pub fn numbers<T: Number>(&self) -> Option<Vec<T>> {
        decode_numbers(&self.bytes, &self.data_type, self.order)
    }

    /// The bytes of the data file, unpacked, in its byte order.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The value at one location, whatever its type; `None` if there is no such location.
    pub fn value(&self, location: LocationId) -> Option<Value> {
        let start = location.index().checked_mul(self.size)?;
        let bytes = self.bytes.get(start..start.checked_add(self.size)?)?;
        if self.size == 0 && self.data_type.size_bytes() != Some(0) {
            return None;
        }
        decode_value(bytes, &self.data_type, self.order)
    }
}

impl<'r> Values<'r> {
    pub(crate) fn open(
        source: &'r Source,
        report: &'r Report,
        metric: MetricId,
        members: (Option<Extent>, Option<Extent>),
        shows_damaged: bool,
    ) -> Result<Self> {
        let mut values = Self::without_rows(source, report, metric);
        values.shows_damaged = shows_damaged;
        let located = match members {
            (Some(index), Some(data)) => values.locate(index, data),
            (None, None) => Ok(()),
            (None, Some(_)) => Err(values.missing("index", "data")),
            (Some(_), None) => Err(values.missing("data", "index")),
        };
        match located {
            Err(_) if shows_damaged => Ok(values),
            other => other.map(|()| values),
        }
    }

    fn missing(&self, member: &str, other: &str) -> Error {
        let expected = format!("this member, since its {other} is there");
        self.malformed(member, expected, "none".into())
    }

    fn without_rows(source: &'r Source, report: &'r Report, metric: MetricId) -> Self {
        let size = report.metrics[metric].data_type.size_bytes().unwrap_or(0);
        let row_len = size.saturating_mul(report.system.locations.len() as u64);
        let rows = vec![None; report.call_paths.len()];
        let order = ByteOrder::Little;
        let (compressed, shows_damaged) = (false, false);
        Self { source, report, metric, order, row_len, compressed, shows_damaged, rows }
    }

    /// Values whose rows are known, in little-endian order. A row may be shorter than the number
    /// of locations: what is missing is zero.
    pub(crate) fn stored(
        source: &'r Source,
        report: &'r Report,
        metric: MetricId,
        rows: &[(CallPathId, Extent)],
    ) -> Self {
        let mut values = Self::without_rows(source, report, metric);
        for &(call_path, extent) in rows {
            if let Some(row) = values.rows.get_mut(call_path.index()) {
                *row = Some(extent);
            }
        }
        values
    }

    /// The definition of the metric.
    pub fn metric(&self) -> &'r Metric {
        &self.report.metrics[self.metric]
    }

    /// The call paths that have a row, ascending; all others are zero.
    pub fn call_paths(&self) -> impl Iterator<Item = CallPathId> {
        let stored = |(index, row): (usize, &Option<Extent>)| {
            row.is_some().then_some(CallPathId::from_index(index))
        };
        self.rows.iter().enumerate().filter_map(stored)
    }

    /// The row of a call path; `None` if all of it is zero.
    pub fn row(&self, call_path: CallPathId) -> Result<Option<Row>> {
        let Some(&Some(extent)) = self.rows.get(call_path.index()) else { return Ok(None) };
        let mut bytes = self.source.bytes(extent)?;
        if self.compressed {
            bytes = match self.inflate(&bytes, call_path) {
                Err(_) if self.shows_damaged => return Ok(None),
                row => row?,
            };
        }
        bytes.resize(usize::try_from(self.row_len).unwrap_or(bytes.len()), 0);
        let data_type = self.metric().data_type.clone();
        let locations = self.report.system.locations.len();
        let size = bytes.len().checked_div(locations).unwrap_or(0);
        Ok(Some(Row { data_type, order: self.order, size, bytes }))
    }

    /// The byte order of the data file.
    pub fn byte_order(&self) -> ByteOrder {
        self.order
    }

    /// All rows as numbers, as they are stored.
    pub fn matrix<T: Number>(&self) -> Result<Matrix<T>> {
        self.converted(|number: T| number)
    }

    /// All rows as other numbers, of which each thread that reads has no more than one row in
    /// memory as it is stored. `convert` must map zero to zero: absent rows stay absent.
    pub fn converted<T: Number, U: Number>(
        &self,
        convert: impl Fn(T) -> U + Sync,
    ) -> Result<Matrix<U>> {
        let paths: Vec<CallPathId> = self.call_paths().collect();
        let row = |&path: &CallPathId| self.converted_row(path, &convert);
        let mut matrix = Matrix::new(self.rows.len(), self.report.system.locations.len());
        for (&path, row) in paths.iter().zip(in_threads(&paths, self.row_len, row)) {
            if let Some(row) = row? {
                matrix.set_row(path, row);
            }
        }
        Ok(matrix)
    }

    fn converted_row<T: Number, U>(
        &self,
        path: CallPathId,
        convert: impl Fn(T) -> U,
    ) -> Result<Option<Vec<U>>> {
        let Some(row) = self.row(path)? else { return Ok(None) };
        let numbers = decode_and_convert(&row.bytes, &row.data_type, row.order, convert);
        let numbers = numbers.ok_or_else(|| Error::Conversion {
            metric: self.metric().unique_name.clone(),
            data_type: self.metric().data_type.to_string(),
            wanted: T::NAME.to_owned(),
        })?;
        Ok(Some(numbers))
    }

    /// All rows as numbers, each without what its children contribute. Differences of doubles are
    /// not exact; who needs exact values converts the [`Values::matrix`] to integers first.
    pub fn exclusive<T: Number>(&self) -> Result<Matrix<T>> {
        let mut matrix = self.matrix()?;
        if self.metric().kind == MetricKind::Inclusive {
            matrix.to_exclusive(&self.report.call_paths);
        }
        Ok(matrix)
    }

    /// All rows as numbers, each with what its descendants contribute.
    pub fn inclusive<T: Number>(&self) -> Result<Matrix<T>> {
        let mut matrix = self.matrix()?;
        if self.metric().kind == MetricKind::Exclusive {
            matrix.to_inclusive(&self.report.call_paths, self.metric().data_type.aggregation());
        }
        Ok(matrix)
    }

    fn malformed(&self, member: &str, expected: String, found: String) -> Error {
        let name = &self.metric().unique_name;
        Error::malformed(format!("{member} of metric `{name}`"), expected, found)
    }

    /// Finds out where each row is, from both members.
    fn locate(&mut self, index: Extent, data: Extent) -> Result<()> {
        let order = row_order(&self.report.call_paths, self.metric().kind);
        let positions = self.read_index(index, order.len())?;
        let magic_len = COMPRESSED_MAGIC.len() as u64;
        let magic =
            self.source.bytes(Extent { offset: data.offset, len: data.len.min(magic_len) })?;
        let extents = if magic.starts_with(DATA_MAGIC) {
            self.plain_rows(data, positions.len() as u64)?
        } else if magic.starts_with(COMPRESSED_MAGIC) {
            self.compressed = true;
            self.compressed_rows(data, positions.len() as u64)?
        } else {
            let found = magic.escape_ascii().to_string();
            return Err(self.malformed("data", "CUBEX.DATA or ZCUBEX.DATA".into(), found));
        };
        if self.metric().data_type.size_bytes().is_none() {
            self.row_len = self.measured_row_len(&extents)?;
        }
        for (position, extent) in positions.into_iter().zip(extents) {
            let Some(call_path) = order.get(position as usize) else {
                if self.shows_damaged {
                    continue;
                }
                let expected = format!("positions below {}", order.len());
                return Err(self.malformed("index", expected, position.to_string()));
            };
            self.rows[call_path.index()] = extent;
        }
        Ok(())
    }

    /// The positions of the stored rows, in the order in which they are stored.
    fn read_index(&mut self, extent: Extent, call_paths: usize) -> Result<Vec<u32>> {
        const HEADER_LEN: usize = 18;
        let bytes = self.source.bytes(extent)?;
        let Some((header, rest)) = bytes.split_at_checked(HEADER_LEN) else {
            let expected = format!("{HEADER_LEN} bytes or more");
            return Err(self.malformed("index", expected, bytes.len().to_string()));
        };
        if !header.starts_with(INDEX_MAGIC) {
            let found = header[..INDEX_MAGIC.len()].escape_ascii().to_string();
            return Err(self.malformed("index", "CUBEX.INDEX".into(), found));
        }
        self.order = match header[11..15] {
            [1, 0, 0, 0] => ByteOrder::Little,
            [0, 0, 0, 1] => ByteOrder::Big,
            ref probe => {
                let found = format!("{probe:?}");
                return Err(self.malformed("index", "the number 1 in 4 bytes".into(), found));
            }
        };
        let dense = header[17] == 0;
        if dense {
            return Ok((0..u32::try_from(call_paths).unwrap_or(u32::MAX)).collect());
        }
        let word = |bytes: &[u8]| u32::from_le_bytes(take(bytes, self.order));
        if rest.len() < 4 {
            let expected = format!("{} bytes or more", HEADER_LEN + 4);
            return Err(self.malformed("index", expected, bytes.len().to_string()));
        }
        let count = word(rest) as usize;
        let list = rest.get(4..).unwrap_or_default();
        if self.shows_damaged {
            return Ok(list.chunks_exact(4).take(count.min(call_paths)).map(word).collect());
        }
        if list.len() / 4 < count || count > call_paths {
            let expected = format!("at most {} rows", call_paths.min(list.len() / 4));
            return Err(self.malformed("index", expected, count.to_string()));
        }
        Ok(list.chunks_exact(4).take(count).map(word).collect())
    }

    /// The length of a row of a type that we do not know: what its first row has, if that is the
    /// same number of bytes for each location.
    fn measured_row_len(&self, extents: &[Option<Extent>]) -> Result<u64> {
        let Some(&extent) = extents.iter().flatten().next() else { return Ok(0) };
        let len = if self.compressed {
            let packed = self.source.bytes(extent)?;
            let mut decoder = ZlibDecoder::new(packed.as_slice());
            // Counted without keeping it: what a row unpacks to is checked when it is read.
            std::io::copy(&mut decoder, &mut std::io::sink()).map_err(|error| {
                self.malformed("data", "a row of zlib data".into(), error.to_string())
            })?
        } else {
            extent.len
        };
        let locations = self.report.system.locations.len() as u64;
        if len.checked_rem(locations) != Some(0) {
            let expected = format!("rows of values for {locations} locations");
            return Err(self.malformed("data", expected, format!("rows of {len} bytes")));
        }
        Ok(len)
    }

    fn plain_rows(&self, data: Extent, count: u64) -> Result<Vec<Option<Extent>>> {
        let start = DATA_MAGIC.len() as u64;
        if self.metric().data_type.size_bytes().is_none() {
            let len = data.len.saturating_sub(start).checked_div(count).unwrap_or(0);
            let extent = |row| Extent { offset: data.offset + start + row * len, len };
            return Ok((0..count).map(|row| Some(extent(row))).collect());
        }
        let needed = self.row_len.checked_mul(count).and_then(|len| len.checked_add(start));
        let count = match self.shows_damaged {
            true => {
                count.min(data.len.saturating_sub(start).checked_div(self.row_len).unwrap_or(0))
            }
            false => count,
        };
        if !self.shows_damaged && needed.is_none_or(|needed| needed > data.len) {
            let expected = format!("{count} rows of {} bytes", self.row_len);
            return Err(self.malformed("data", expected, format!("{} bytes", data.len)));
        }
        let extent =
            |row| Extent { offset: data.offset + start + row * self.row_len, len: self.row_len };
        Ok((0..count).map(|row| Some(extent(row))).collect())
    }

    /// Reads the table in front of the compressed rows. Its entries may come in any order; what
    /// they say about the uncompressed file tells which row each is.
    fn compressed_rows(&self, data: Extent, count: u64) -> Result<Vec<Option<Extent>>> {
        let mut rows = vec![None; count as usize];
        let start = COMPRESSED_MAGIC.len() as u64;
        let number = |bytes: &[u8]| u64::from_le_bytes(take(bytes, self.order));
        let room = data.len.saturating_sub(start + 8);
        let length = Extent { offset: data.offset + start, len: 8.min(data.len - start) };
        let length = self.source.bytes(length)?;
        let entries = if length.len() == 8 { number(&length) } else { u64::MAX };
        let table_len = entries.checked_mul(TABLE_ENTRY_LEN).filter(|&len| len <= room);
        let Some(table_len) = table_len else {
            let expected = format!("at most {} table entries", room / TABLE_ENTRY_LEN);
            return Err(self.malformed("data", expected, entries.to_string()));
        };
        if entries < count && !self.shows_damaged {
            let expected = format!("{count} table entries, one for each row of the index");
            return Err(self.malformed("data", expected, entries.to_string()));
        }
        let table = Extent { offset: data.offset + start + 8, len: table_len };
        let rows_start = table.offset + table_len;
        let known = self.metric().data_type.size_bytes().is_some();
        let row_len = if known { self.row_len } else { self.smallest_offset(table)? };
        for entry in self.source.bytes(table)?.chunks_exact(TABLE_ENTRY_LEN as usize) {
            let (unpacked, packed, len) =
                (number(entry), number(&entry[8..]), number(&entry[16..]));
            if len == 0 || row_len == 0 {
                continue;
            }
            let end = packed.checked_add(len).filter(|&end| end <= room - table_len);
            if end.is_none() || !unpacked.is_multiple_of(row_len) {
                if self.shows_damaged {
                    continue;
                }
                let expected = format!("a row within {} bytes", room - table_len);
                let found = format!("{len} bytes at {packed} for {unpacked}");
                return Err(self.malformed("data", expected, found));
            }
            let row = usize::try_from(unpacked / row_len).unwrap_or(usize::MAX);
            if let Some(row) = rows.get_mut(row) {
                *row = Some(Extent { offset: rows_start + packed, len });
            }
        }
        Ok(rows)
    }

    /// The length of rows as the table tells it: where the second row begins. With one row only,
    /// any number will do.
    fn smallest_offset(&self, table: Extent) -> Result<u64> {
        let bytes = self.source.bytes(table)?;
        let offsets = bytes.chunks_exact(TABLE_ENTRY_LEN as usize);
        let offsets = offsets.map(|entry| u64::from_le_bytes(take(entry, self.order)));
        Ok(offsets.filter(|&offset| offset > 0).min().unwrap_or(1))
    }

    fn inflate(&self, packed: &[u8], call_path: CallPathId) -> Result<Vec<u8>> {
        let wrong = |found: String| {
            let expected = format!("{} bytes of zlib data", self.row_len);
            self.malformed(&format!("row of call path {}", call_path.index()), expected, found)
        };
        let possible = INFLATE_RATIO_MAX.saturating_mul(packed.len() as u64);
        if self.row_len > possible {
            return Err(wrong(format!("{} packed bytes", packed.len())));
        }
        let mut bytes = Vec::new();
        let mut decoder = ZlibDecoder::new(packed).take(self.row_len);
        decoder.read_to_end(&mut bytes).map_err(|error| wrong(error.to_string()))?;
        if bytes.len() as u64 != self.row_len {
            return Err(wrong(format!("{} bytes", bytes.len())));
        }
        Ok(bytes)
    }
}
