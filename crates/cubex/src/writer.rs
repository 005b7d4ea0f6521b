//! Writes a report row by row: at no time more than one row, one index and one buffer are in
//! memory, however many call paths and locations there are. That is why rows of a metric must come
//! in the metric's own order, see [`Writer::row_order`].

use std::fs::File;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::anchor_write::anchor_xml;
use crate::error::{Error, Result};
use crate::ids::{CallPathId, Id, MetricId};
use crate::report::Report;
use crate::row_order::row_order;
use crate::tar::{Container, Target};
use crate::value::{ByteOrder, Number, RowValue};

pub(crate) const INDEX_MAGIC: &[u8] = b"CUBEX.INDEX";
pub(crate) const DATA_MAGIC: &[u8] = b"CUBEX.DATA";
pub(crate) const COMPRESSED_MAGIC: &[u8] = b"ZCUBEX.DATA";
/// One entry of the table of a compressed data file: three 64-bit numbers.
pub(crate) const TABLE_ENTRY_LEN: u64 = 24;

/// How a report is stored. The default is what every reader of Cube files understands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// True to compress every row with zlib.
    pub compress: bool,
    /// The time of change of the members, in seconds since 1970. Nothing reads the clock for it, so
    /// that the same report always gives the same bytes.
    pub mtime_s: u64,
    /// The byte order of the values; readers take both.
    pub byte_order: ByteOrder,
}

/// A report that is being written.
///
/// Metrics may come in any order, each once; files may come between them. Rows that were never
/// written, and rows of zeros, take no space and are read as zeros. Without [`Writer::finish`] the
/// file is not a report.
pub struct Writer<'r, W> {
    report: &'r Report,
    options: WriteOptions,
    container: Container<W>,
    written: Vec<bool>,
    open: Option<OpenMetric>,
    row: Vec<u8>,
}

/// The metric whose rows are coming in.
struct OpenMetric {
    id: MetricId,
    /// The position in the metric's order, by call path.
    positions: Vec<u32>,
    /// The length of a row; of a type of unknown layout, that of the first row.
    row_bytes_len: Option<u64>,
    /// The positions of the rows so far.
    index: Vec<u32>,
    /// Offset and size of each compressed row, from the end of the table.
    table: Vec<(u64, u64)>,
    last: Option<u32>,
    data_start: u64,
}

impl<'r> Writer<'r, File> {
    /// Creates or replaces the file at `path`.
    pub fn create(
        path: impl AsRef<Path>,
        report: &'r Report,
        options: WriteOptions,
    ) -> Result<Self> {
        let path = path.as_ref();
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)
            .map_err(Error::io(format!("create {}", path.display())))?;
        Self::new(file, report, options)
    }
}

impl<'r, W: Target> Writer<'r, W> {
    /// Writes to `out`, which must be empty. Fails if the report contradicts itself.
    pub fn new(out: W, report: &'r Report, options: WriteOptions) -> Result<Self> {
        report.check()?;
        Ok(Self {
            report,
            options,
            container: Container::new(out, options.mtime_s),
            written: vec![false; report.metrics.len()],
            open: None,
            row: Vec::new(),
        })
    }

    /// Embeds a file, for instance the configuration of the measurement.
    pub fn file(&mut self, name: &str, content: &[u8]) -> Result<()> {
        if name == "anchor.xml" || name.ends_with(".data") || name.ends_with(".index") {
            return Err(Error::misuse("embedded file", "a name that Cube does not use", name));
        }
        self.close_metric()?;
        self.container.begin(name, content.len() as u64)?;
        self.container.write(content)?;
        self.container.end()
    }

    /// The order in which the rows of `metric` must be written.
    pub fn row_order(&self, metric: MetricId) -> Result<Vec<CallPathId>> {
        Ok(row_order(&self.report.call_paths, self.metric(metric)?.kind))
    }

    /// Writes one row: the values of one call path on all locations by ascending id. Rows may be
    /// left out, but not come out of order, and metrics must not be mixed.
    pub fn row<T: RowValue>(
        &mut self,
        metric: MetricId,
        call_path: CallPathId,
        values: &[T],
    ) -> Result<()> {
        let position = self.next_position(metric, call_path)?;
        self.encode(metric, call_path, values)?;
        if !is_zero(&self.row) {
            self.store(metric, position)?;
        }
        Ok(())
    }

    /// Writes one row as the bytes that the data file holds, in the byte order of the options.
    pub(crate) fn raw_row(
        &mut self,
        metric: MetricId,
        call_path: CallPathId,
        bytes: &[u8],
    ) -> Result<()> {
        let position = self.next_position(metric, call_path)?;
        self.row.clear();
        self.row.extend_from_slice(bytes);
        self.store(metric, position)
    }

    /// Writes all rows of a metric: `fill` gets each call path in the right order, and a row of
    /// zeros to fill.
    pub fn rows<T: Number>(
        &mut self,
        metric: MetricId,
        mut fill: impl FnMut(CallPathId, &mut [T]),
    ) -> Result<()> {
        let mut values = vec![T::default(); self.report.system.locations.len()];
        for call_path in self.row_order(metric)? {
            values.fill(T::default());
            fill(call_path, &mut values);
            self.row(metric, call_path, &values)?;
        }
        Ok(())
    }

    /// Writes the definitions and ends the file.
    pub fn finish(mut self) -> Result<W> {
        self.close_metric()?;
        let anchor = anchor_xml(self.report);
        self.container.begin("anchor.xml", anchor.len() as u64)?;
        self.container.write(anchor.as_bytes())?;
        self.container.end()?;
        self.container.finish()
    }

    fn metric(&self, id: MetricId) -> Result<&'r crate::metric::Metric> {
        self.report.metrics.get(id).ok_or_else(|| {
            let expected = format!("a metric below {}", self.report.metrics.len());
            Error::misuse("row", expected, id.index().to_string())
        })
    }

    /// Checks that the row is the next one of the open metric, which it opens if need be.
    fn next_position(&mut self, metric: MetricId, call_path: CallPathId) -> Result<u32> {
        if self.open.as_ref().is_none_or(|open| open.id != metric) {
            self.close_metric()?;
            self.open_metric(metric)?;
        }
        let name = &self.metric(metric)?.unique_name;
        let what = || format!("row of call path {} of metric `{name}`", call_path.index());
        let Some(open) = &mut self.open else {
            return Err(Error::misuse(what(), "an open metric", "none"));
        };
        let Some(&position) = open.positions.get(call_path.index()) else {
            let expected = format!("a call path below {}", open.positions.len());
            return Err(Error::misuse(what(), expected, call_path.index().to_string()));
        };
        if let Some(last) = open.last.filter(|&last| last >= position) {
            let expected = format!("a place behind {last} in the metric's row order");
            return Err(Error::misuse(what(), expected, position.to_string()));
        }
        open.last = Some(position);
        Ok(position)
    }

    fn open_metric(&mut self, id: MetricId) -> Result<()> {
        let metric = self.metric(id)?;
        let what = || format!("rows of metric `{}`", metric.unique_name);
        if metric.kind.is_derived() {
            return Err(Error::misuse(what(), "a metric with stored values", metric.kind.name()));
        }
        if std::mem::replace(&mut self.written[id.index()], true) {
            return Err(Error::misuse(what(), "all rows in one go", "rows of others in between"));
        }
        let locations = self.report.system.locations.len() as u64;
        let size = metric.data_type.size_bytes();
        let mut positions = vec![0; self.report.call_paths.len()];
        for (position, call_path) in (0..).zip(self.row_order(id)?) {
            positions[call_path.index()] = position;
        }
        self.open = Some(OpenMetric {
            id,
            positions,
            row_bytes_len: size.map(|size| size.saturating_mul(locations)),
            index: Vec::new(),
            table: Vec::new(),
            last: None,
            data_start: 0,
        });
        Ok(())
    }

    fn encode<T: RowValue>(
        &mut self,
        metric: MetricId,
        call_path: CallPathId,
        values: &[T],
    ) -> Result<()> {
        let metric = self.metric(metric)?;
        let locations = self.report.system.locations.len();
        let what =
            || format!("row of call path {} of metric `{}`", call_path.index(), metric.unique_name);
        if values.len() != locations {
            let expected = format!("{locations} values, one per location");
            return Err(Error::misuse(what(), expected, values.len().to_string()));
        }
        self.row.clear();
        let mut first_len = None;
        for (location, value) in values.iter().enumerate() {
            value.encode(&metric.data_type, self.options.byte_order, &mut self.row).ok_or_else(
                || {
                    let found = format!("another type or range at location {location}");
                    Error::misuse(what(), format!("values of type {}", metric.data_type), found)
                },
            )?;
            // Only values of a type of unknown layout can differ in length.
            if metric.data_type.size_bytes().is_none() {
                first_len = first_len.or(Some(self.row.len()));
                if first_len.map(|len| len * (location + 1)) != Some(self.row.len()) {
                    let found = format!("another length at location {location}");
                    return Err(Error::misuse(what(), "values of one length", found));
                }
            }
        }
        Ok(())
    }

    /// Stores the encoded row. The first row of a metric begins its member.
    fn store(&mut self, metric: MetricId, position: u32) -> Result<()> {
        let stem = self.metric(metric)?.member_stem(metric.index());
        let Some(open) = &mut self.open else { return Ok(()) };
        let row_len = *open.row_bytes_len.get_or_insert(self.row.len() as u64);
        if self.row.len() as u64 != row_len {
            let what = format!("row of metric {}", metric.index());
            let found = format!("{} bytes", self.row.len());
            return Err(Error::misuse(what, format!("{row_len} bytes"), found));
        }
        if open.index.is_empty() {
            begin_data(&mut self.container, open, &stem, self.options.compress)?;
        }
        open.index.push(position);
        if !self.options.compress {
            return self.container.write(&self.row);
        }
        let table_end = open.data_start + TABLE_ENTRY_LEN * open.positions.len() as u64;
        let offset = self.container.position() - table_end;
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        let packed = encoder
            .write_all(&self.row)
            .and_then(|()| encoder.finish())
            .map_err(Error::io("compress a row"))?;
        open.table.push((offset, packed.len() as u64));
        self.container.write(&packed)
    }

    fn close_metric(&mut self) -> Result<()> {
        let Some(open) = self.open.take() else { return Ok(()) };
        if open.index.is_empty() {
            return Ok(());
        }
        if self.options.compress {
            self.close_table(&open)?;
        }
        self.container.end()?;
        let stem = self.metric(open.id)?.member_stem(open.id.index());
        let index = index_bytes(&open.index, self.options.byte_order);
        self.container.begin(&format!("{stem}.index"), index.len() as u64)?;
        self.container.write(&index)?;
        self.container.end()
    }

    /// Fills the table in front of the compressed rows and gives back the room for entries of rows
    /// that never came. Cube's reader finds rows by their uncompressed offset, so unused entries,
    /// whose offset is zero, would hide the first row.
    fn close_table(&mut self, open: &OpenMetric) -> Result<()> {
        let order = self.options.byte_order;
        let rows = open.table.len() as u64;
        let mut table = number(rows, order).to_vec();
        for (row, &(offset, len)) in open.table.iter().enumerate() {
            table.extend(number(row as u64 * open.row_bytes_len.unwrap_or(0), order));
            table.extend(number(offset, order));
            table.extend(number(len, order));
        }
        self.container.patch(open.data_start - 8, &table)?;
        let unused = TABLE_ENTRY_LEN * (open.positions.len() as u64 - rows);
        if unused == 0 {
            return Ok(());
        }
        self.container.remove(open.data_start + TABLE_ENTRY_LEN * rows, unused)
    }
}

/// Begins the data member with the header of its format. The size limit only decides whether an
/// extended header is needed; zlib adds less than a thousandth to what it cannot compress.
fn begin_data<W: Target>(
    container: &mut Container<W>,
    open: &mut OpenMetric,
    stem: &str,
    compress: bool,
) -> Result<()> {
    let rows_max = open.positions.len() as u64;
    let row_len = open.row_bytes_len.unwrap_or(0);
    let row_max = row_len.saturating_add(row_len / 1000 + 128);
    container.begin(&format!("{stem}.data"), rows_max.saturating_mul(row_max))?;
    if compress {
        container.write(COMPRESSED_MAGIC)?;
        container.write(&[0; 8])?;
        open.data_start = container.position();
        for _ in 0..rows_max {
            container.write(&[0; TABLE_ENTRY_LEN as usize])?;
        }
    } else {
        container.write(DATA_MAGIC)?;
        open.data_start = container.position();
    }
    Ok(())
}

/// Most rows of large reports are zeros: many bytes are looked at together.
fn is_zero(row: &[u8]) -> bool {
    row.chunks(512).all(|bytes| bytes.iter().fold(0, |all, byte| all | byte) == 0)
}

fn number(value: u64, order: ByteOrder) -> [u8; 8] {
    match order {
        ByteOrder::Little => value.to_le_bytes(),
        ByteOrder::Big => value.to_be_bytes(),
    }
}

/// The index member: byte order probe, version, format and the ascending positions of the rows.
fn index_bytes(positions: &[u32], order: ByteOrder) -> Vec<u8> {
    debug_assert!(positions.is_sorted(), "rows came out of order");
    let word = |value: u32| match order {
        ByteOrder::Little => value.to_le_bytes(),
        ByteOrder::Big => value.to_be_bytes(),
    };
    let mut bytes = INDEX_MAGIC.to_vec();
    bytes.extend(word(1));
    bytes.extend([0, 0]); // version
    bytes.push(1); // sparse
    bytes.extend(word(u32::try_from(positions.len()).unwrap_or(u32::MAX)));
    for &position in positions {
        bytes.extend(word(position));
    }
    bytes
}
