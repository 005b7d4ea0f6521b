//! Opens a report: finds the members of the container, reads the definitions, and hands out values
//! metric by metric. Reports may come from anybody, so every length is checked against what the
//! file really contains before memory is allocated for it.

use std::collections::BTreeMap;
use std::path::Path;

use crate::anchor_read;
use crate::error::{Error, Result};
use crate::ids::{CallPathId, MetricId};
use crate::limits::Limits;
use crate::report::Report;
use crate::source::{Extent, Source, gunzip_if_needed};
use crate::tar::members;
use crate::values::Values;
use crate::writer::{COMPRESSED_MAGIC, WriteOptions};

/// What a report is stored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A container of definitions and binary rows, `.cubex`.
    Cube4,
    /// One XML text with the values in it, `.cube` or `.cube.gz`.
    Cube3,
}

/// An opened report. Values are read from the file when they are asked for.
pub struct Reader {
    source: Source,
    members: BTreeMap<String, Extent>,
    mtime_s: u64,
    report: Report,
    /// The rows of each metric, where they were in the text.
    text_rows: Option<Vec<Vec<(CallPathId, Extent)>>>,
    format: Format,
    shows_damaged: bool,
}

impl Reader {
    /// Opens a `.cubex`, `.cube` or `.cube.gz` file; what it is, its content says.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_within(path, Limits::default())
    }

    /// The same with limits of your own.
    pub fn open_within(path: impl AsRef<Path>, limits: Limits) -> Result<Self> {
        Self::new(Source::open(path.as_ref(), limits)?, limits)
    }

    /// Reads a file that is already in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        Self::from_bytes_within(bytes, Limits::default())
    }

    /// The same with limits of your own.
    pub fn from_bytes_within(bytes: Vec<u8>, limits: Limits) -> Result<Self> {
        Self::new(Source::from_bytes(bytes, limits)?, limits)
    }

    /// From now on, values that are damaged or missing are read as zeros, where they are an error
    /// otherwise. So what is readable of a damaged report can be shown.
    #[must_use]
    pub fn show_damaged(mut self) -> Self {
        self.shows_damaged = true;
        self
    }

    /// Whether damaged values are read as zeros.
    pub fn shows_damaged(&self) -> bool {
        self.shows_damaged
    }

    fn new(source: Source, limits: Limits) -> Result<Self> {
        if is_text(&source)? {
            return Self::of_text(&source);
        }
        let members = members(&source)?;
        let Some(&anchor) = members.extents.get("anchor.xml") else {
            let found = match (source.len(), members.extents.is_empty()) {
                (0, _) => "an empty file",
                (_, true) => "no members: this is no Cube report, or only its first bytes",
                (_, false) => "others only: the file has been cut off, anchor.xml comes last",
            };
            return Err(Error::malformed("the container", "a member `anchor.xml`", found));
        };
        let anchor = gunzip_if_needed(source.bytes(anchor)?, "anchor.xml", limits)?;
        let report = anchor_read::parse(&String::from_utf8_lossy(&anchor))?.report;
        let (members, mtime_s) = (members.extents, members.mtime_s);
        let (text_rows, format, shows_damaged) = (None, Format::Cube4, false);
        Ok(Self { source, members, mtime_s, report, text_rows, format, shows_damaged })
    }

    /// A report that is one text: Cube 3, or the definitions of Cube 4 alone.
    fn of_text(source: &Source) -> Result<Self> {
        let text = source.bytes(Extent { offset: 0, len: source.len() })?;
        let parsed = anchor_read::parse(&String::from_utf8_lossy(&text))?;
        let format = if parsed.version.starts_with('4') { Format::Cube4 } else { Format::Cube3 };
        let stored = parsed.stored.unwrap_or_default();
        Ok(Self {
            source: Source::Memory(stored.bytes),
            members: BTreeMap::new(),
            mtime_s: 0,
            report: parsed.report,
            text_rows: Some(stored.rows),
            format,
            shows_damaged: false,
        })
    }

    /// The definitions.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// As [`Report::change_texts`], for the definitions of this reader; the file stays as it is.
    pub fn change_texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        self.report.change_texts(change);
    }

    /// What the report is stored as.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The names of embedded files, such as the configuration of the measurement, in the order of
    /// the container.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let own = |name: &&str| {
            *name == "anchor.xml" || name.ends_with(".data") || name.ends_with(".index")
        };
        self.in_order().map(|(name, _)| name).filter(move |name| !own(name))
    }

    /// The content of an embedded file, `None` if there is no such file.
    pub fn file(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.members.get(name).map(|&extent| self.source.bytes(extent)).transpose()
    }

    /// How the values are stored: with these options, [`crate::copy`] gives the same bytes again.
    pub fn write_options(&self) -> Result<WriteOptions> {
        let mut options = WriteOptions { mtime_s: self.mtime_s, ..WriteOptions::default() };
        let Some(metric) = self.stored_metrics().into_iter().next() else { return Ok(options) };
        if let Some(data) = self.member(metric, "data") {
            let len = data.len.min(COMPRESSED_MAGIC.len() as u64);
            let magic = self.source.bytes(Extent { len, ..data })?;
            options.compress = magic == COMPRESSED_MAGIC;
        }
        options.byte_order = self.values(metric)?.byte_order();
        Ok(options)
    }

    /// The metrics that have values, in the order in which they are stored.
    pub fn stored_metrics(&self) -> Vec<MetricId> {
        let mut found: Vec<(u64, MetricId)> = Vec::new();
        for (id, metric) in self.report.metrics.iter() {
            let text_rows = self.text_rows.as_ref().and_then(|rows| rows.get(id.0 as usize));
            let from_text = text_rows.filter(|rows| !rows.is_empty()).map(|_| u64::from(id.0));
            let place = self.member(id, "data").map(|extent| extent.offset).or(from_text);
            found.extend(place.filter(|_| !metric.kind.is_derived()).map(|place| (place, id)));
        }
        found.sort_unstable();
        found.into_iter().map(|(_, id)| id).collect()
    }

    /// The stored values of a metric. A metric without members in the container is zero everywhere,
    /// and so are call paths that its index does not list; a derived metric has no stored values,
    /// which is an error.
    ///
    /// # Errors
    /// One of the two members is missing, or has less than the other one says; not where
    /// [damaged values are shown](Reader::show_damaged).
    pub fn values(&self, metric: MetricId) -> Result<Values<'_>> {
        let Some(definition) = self.report.metrics.get(metric) else {
            let expected = format!("a metric below {}", self.report.metrics.len());
            return Err(Error::misuse("values", expected, metric.0.to_string()));
        };
        if definition.kind.is_derived() {
            return Err(Error::misuse(
                format!("values of metric `{}`", definition.unique_name),
                "a metric with stored values",
                definition.kind.name(),
            ));
        }
        if let Some(rows) = &self.text_rows {
            let rows = rows.get(metric.0 as usize).map_or(&[][..], Vec::as_slice);
            return Ok(Values::stored(&self.source, &self.report, metric, rows));
        }
        let (index, data) = (self.member(metric, "index"), self.member(metric, "data"));
        Values::open(&self.source, &self.report, metric, (index, data), self.shows_damaged)
    }

    fn member(&self, metric: MetricId, suffix: &str) -> Option<Extent> {
        let stem = self.report.metrics.get(metric)?.member_stem(metric.0 as usize);
        // Not every writer renames the members of hidden metrics.
        let names = [format!("{stem}.{suffix}"), format!("{}.{suffix}", metric.0)];
        names.iter().find_map(|name| self.members.get(name)).copied()
    }

    fn in_order(&self) -> impl Iterator<Item = (&str, Extent)> {
        let mut members: Vec<(&str, Extent)> =
            self.members.iter().map(|(name, &extent)| (name.as_str(), extent)).collect();
        members.sort_by_key(|(_, extent)| extent.offset);
        members.into_iter()
    }
}

/// True if the bytes are a text instead of a container, whose first byte is that of a name.
fn is_text(source: &Source) -> Result<bool> {
    let start = source.bytes(Extent { offset: 0, len: source.len().min(512) })?;
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
    let start = start.trim_ascii_start();
    Ok(["<?xml", "<cube", "<!--", "<!DOCTYPE"].iter().any(|t| start.starts_with(t.as_bytes())))
}
