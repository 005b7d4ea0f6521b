//! The values of a Cube 3 report: text between the definitions, exclusive over the call tree. They
//! are turned into rows of eight-byte numbers while they are read, so that from there on they are
//! handed out like those of a data file. A row takes as many numbers as the text has, not as many
//! as there are locations: what a file claims costs nothing.

use std::collections::HashMap;

use crate::data_type::DataType;
use crate::error::{Error, Result};
use crate::ids::{CallPathId, Id, MetricId, Tree};
use crate::metric::Metric;
use crate::source::Extent;

/// Rows as they are met in the text, with the numbers of metrics and call paths of the file.
#[derive(Default)]
pub(crate) struct Severity {
    /// All values, little-endian, eight bytes each.
    bytes: Vec<u8>,
    rows: Vec<RawRow>,
    /// The metric of the current matrix.
    pub(crate) metric: u64,
}

struct RawRow {
    metric: u64,
    call_path: u64,
    extent: Extent,
    /// True if the numbers are integers, stored as such; else they are doubles.
    integers: bool,
}

/// Rows by metric, with ids.
#[derive(Default)]
pub(crate) struct Stored {
    pub(crate) bytes: Vec<u8>,
    pub(crate) rows: Vec<Vec<(CallPathId, Extent)>>,
}

impl Severity {
    /// True if the text had no values.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Takes the numbers of a row.
    pub(crate) fn row(&mut self, call_path: u64, text: &str) -> Result<()> {
        let offset = self.bytes.len() as u64;
        let integers: Option<Vec<i64>> =
            text.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
        match &integers {
            Some(numbers) => self.bytes.extend(numbers.iter().flat_map(|n| n.to_le_bytes())),
            None => {
                for word in text.split_ascii_whitespace() {
                    let number: f64 = word.parse().map_err(|_| {
                        let shown: String = word.chars().take(32).collect();
                        Error::malformed(self.place(call_path), "numbers", format!("`{shown}`"))
                    })?;
                    self.bytes.extend(number.to_le_bytes());
                }
            }
        }
        let extent = Extent { offset, len: self.bytes.len() as u64 - offset };
        let row = RawRow { metric: self.metric, call_path, extent, integers: integers.is_some() };
        self.rows.push(row);
        Ok(())
    }

    fn place(&self, call_path: u64) -> String {
        format!("severity of metric {}, row of cnode {call_path}", self.metric)
    }

    /// Gives the rows their ids. Metrics of integers whose rows are not keep their values as
    /// doubles.
    pub(crate) fn resolve(
        mut self,
        metrics: &mut Tree<MetricId, Metric>,
        metric_ids: &HashMap<u64, usize>,
        call_path_ids: &HashMap<u64, usize>,
        locations: usize,
    ) -> Result<Stored> {
        let mut whole = vec![true; metrics.len()];
        for row in &self.rows {
            if let Some(&metric) = metric_ids.get(&row.metric) {
                whole[metric] &= row.integers;
            }
        }
        for (id, metric) in metrics.iter_mut() {
            let integer = metric.data_type == DataType::Int64 && whole[id.index()];
            metric.data_type = if integer { DataType::Int64 } else { DataType::Double };
        }
        let mut rows = vec![Vec::new(); metrics.len()];
        for row in std::mem::take(&mut self.rows) {
            self.metric = row.metric;
            let place = || self.place(row.call_path);
            let Some(&metric) = metric_ids.get(&row.metric) else {
                return Err(Error::malformed(place(), "the id of a metric", "none of that id"));
            };
            let Some(&call_path) = call_path_ids.get(&row.call_path) else {
                return Err(Error::malformed(place(), "the id of a cnode", "none of that id"));
            };
            if row.extent.len / 8 > locations as u64 {
                let found = format!("{} values", row.extent.len / 8);
                let expected = format!("at most {locations} values, one per thread");
                return Err(Error::malformed(place(), expected, found));
            }
            if row.integers && metrics[MetricId::from_index(metric)].data_type == DataType::Double {
                self.make_doubles(row.extent);
            }
            rows[metric].push((CallPathId::from_index(call_path), row.extent));
        }
        Ok(Stored { bytes: self.bytes, rows })
    }

    fn make_doubles(&mut self, extent: Extent) {
        let range = extent.offset as usize..(extent.offset + extent.len) as usize;
        for chunk in self.bytes[range].chunks_exact_mut(8) {
            let mut number = [0; 8];
            number.copy_from_slice(chunk);
            chunk.copy_from_slice(&(i64::from_le_bytes(number) as f64).to_le_bytes());
        }
    }
}
