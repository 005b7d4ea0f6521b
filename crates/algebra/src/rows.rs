//! What every operator takes and what it is: definitions, and rows of values on demand.

use std::cell::OnceCell;

use pompeii_cubex::{
    CallPathId, DataType, Id, MetricId, Reader, Report, Result, UNDEFINED_UINT64, Value, Values,
};

use crate::select::depths;
use crate::severity::all_inclusive;

/// A report with values, wherever they come from.
pub trait Rows {
    /// The definitions.
    fn report(&self) -> &Report;

    /// The values of a call path on all locations, as the metric's kind says (inclusive or
    /// exclusive); `None` if all of them are zero. Derived metrics have none.
    ///
    /// # Errors
    /// Damage of the file that the values come from.
    fn row(&self, metric: MetricId, call_path: CallPathId) -> Result<Option<Vec<Value>>>;

    /// The values of a call path of an exclusive metric with all below it, where they are at hand;
    /// `None` where they are to be summed up.
    ///
    /// # Errors
    /// Damage of the file that the values come from.
    fn with_below(
        &self,
        _metric: MetricId,
        _call_path: CallPathId,
    ) -> Result<Option<Option<Vec<Value>>>> {
        Ok(None)
    }

    /// The names of embedded files.
    fn files(&self) -> Vec<String> {
        Vec::new()
    }

    /// The content of an embedded file; `None` if there is no such file.
    ///
    /// # Errors
    /// Damage of the file that it comes from.
    fn file(&self, _name: &str) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }
}

/// A report that is read from a file.
pub struct Input<'r> {
    reader: &'r Reader,
    /// Where the rows of each metric are, found when first needed.
    values: Vec<OnceCell<Values<'r>>>,
    /// Call paths are so long that values with all below are computed once, for all of a metric.
    is_deep: bool,
    inclusive: Vec<OnceCell<Vec<Option<Vec<Value>>>>>,
}

/// Up to this mean number of call paths above one, each sum is computed when it is asked for.
const DEEP: usize = 64;

impl<'r> Input<'r> {
    /// The report of `reader`.
    pub fn new(reader: &'r Reader) -> Self {
        let report = reader.report();
        let values = report.metrics.ids().map(|_| OnceCell::new()).collect();
        let inclusive = report.metrics.ids().map(|_| OnceCell::new()).collect();
        let above: usize = depths(&report.call_paths).into_iter().sum();
        let is_deep = above > DEEP * report.call_paths.len();
        Self { reader, values, is_deep, inclusive }
    }
}

impl Rows for Input<'_> {
    fn report(&self) -> &Report {
        self.reader.report()
    }

    fn row(&self, metric: MetricId, call_path: CallPathId) -> Result<Option<Vec<Value>>> {
        let report = self.reader.report();
        let Some(cell) = self.values.get(metric.index()) else { return Ok(None) };
        if report.metrics[metric].kind.is_derived() {
            return Ok(None);
        }
        let values = match cell.get() {
            Some(values) => values,
            None => {
                let values = self.reader.values(metric)?;
                cell.get_or_init(|| values)
            }
        };
        let Some(row) = values.row(call_path)? else { return Ok(None) };
        let unsigned = report.metrics[metric].data_type == DataType::Uint64;
        let value = |location| match row.value(location) {
            // Cube's mark for "no value" must not take part in arithmetic.
            Some(Value::Uint(UNDEFINED_UINT64)) if unsigned => Some(Value::Uint(0)),
            value => value,
        };
        Ok(report.locations().map(value).collect())
    }

    fn with_below(
        &self,
        metric: MetricId,
        call_path: CallPathId,
    ) -> Result<Option<Option<Vec<Value>>>> {
        let cell = match self.inclusive.get(metric.index()) {
            Some(cell) if self.is_deep => cell,
            _ => return Ok(None),
        };
        let sums = match cell.get() {
            Some(sums) => sums,
            None => {
                let sums = all_inclusive(self, metric)?;
                cell.get_or_init(|| sums)
            }
        };
        Ok(Some(sums.get(call_path.index()).cloned().flatten()))
    }

    fn files(&self) -> Vec<String> {
        self.reader.files().map(str::to_owned).collect()
    }

    fn file(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.reader.file(name)
    }
}
