//! What every operator takes and what it is: definitions, and rows of values on demand.

use std::cell::OnceCell;

use pompeii_cubex::{
    CallPathId, DataType, Id, MetricId, Reader, Report, Result, UNDEFINED_UINT64, Value, Values,
};

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
}

impl<'r> Input<'r> {
    /// The report of `reader`.
    pub fn new(reader: &'r Reader) -> Self {
        let values = reader.report().metrics.ids().map(|_| OnceCell::new()).collect();
        Self { reader, values }
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

    fn files(&self) -> Vec<String> {
        self.reader.files().map(str::to_owned).collect()
    }

    fn file(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.reader.file(name)
    }
}
