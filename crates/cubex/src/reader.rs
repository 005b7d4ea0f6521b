//! Opens a report: finds the members of the container, reads the definitions, and hands out values
//! metric by metric. Reports may come from anybody, so every length is checked against what the
//! file really contains before memory is allocated for it.

use std::collections::BTreeMap;
use std::path::Path;

use crate::anchor_read;
use crate::error::{Error, Result};
use crate::ids::MetricId;
use crate::report::Report;
use crate::source::{Source, gunzip_if_needed};
use crate::tar::{Extent, members};
use crate::values::Values;

/// An opened report. Values are read from the file when they are asked for.
pub struct Reader {
    source: Source,
    members: BTreeMap<String, Extent>,
    report: Report,
}

impl Reader {
    /// Opens a `.cubex` file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::new(Source::open(path.as_ref())?)
    }

    /// Reads a `.cubex` file that is already in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        Self::new(Source::from_bytes(bytes)?)
    }

    fn new(source: Source) -> Result<Self> {
        let members = members(&source)?;
        let Some(&anchor) = members.get("anchor.xml") else {
            let found = if members.is_empty() { "no members" } else { "other members only" };
            return Err(Error::malformed("the container", "a member `anchor.xml`", found));
        };
        let anchor = gunzip_if_needed(source.bytes(anchor)?, "anchor.xml")?;
        let report = anchor_read::parse(&String::from_utf8_lossy(&anchor))?;
        Ok(Self { source, members, report })
    }

    /// The definitions.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The names of embedded files, such as the configuration of the measurement.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let own = |name: &&str| {
            *name == "anchor.xml" || name.ends_with(".data") || name.ends_with(".index")
        };
        self.members.keys().map(String::as_str).filter(move |name| !own(name))
    }

    /// The content of an embedded file, `None` if there is no such file.
    pub fn file(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.members.get(name).map(|&extent| self.source.bytes(extent)).transpose()
    }

    /// The stored values of a metric. A metric without members in the container is zero everywhere;
    /// a derived metric has no stored values, which is an error.
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
        let stem = definition.member_stem(metric.0 as usize);
        let member = |suffix: &str| {
            // Not every writer renames the members of hidden metrics.
            let names = [format!("{stem}.{suffix}"), format!("{}.{suffix}", metric.0)];
            names.iter().find_map(|name| self.members.get(name)).copied()
        };
        Values::open(&self.source, &self.report, metric, member("index"), member("data"))
    }

    /// The stored values of the metric with this unique name; `None` if there is none.
    pub fn values_named(&self, unique_name: &str) -> Result<Option<Values<'_>>> {
        self.report.metric(unique_name).map(|metric| self.values(metric)).transpose()
    }
}
