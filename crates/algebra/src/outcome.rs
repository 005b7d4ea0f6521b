//! The result of an operator: definitions, and how each row follows from rows of the operands.

use pompeii_cubex::{
    CallPathId, DataType, Id, LocationId, MetricId, MetricKind, Report, Result, Value,
};

use crate::arithmetic::{add, convert, divide, subtract, zero};
use crate::rows::Rows;
use crate::severity::{Mode, both, severity};

/// What becomes of an operand's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// The first operand that has the metric counts.
    First,
    /// The first operand minus the second.
    Difference,
    /// The sum divided by the number of operands.
    Mean,
}

/// Where a call path of the result comes from in one operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) itself: CallPathId,
    /// Call paths that were cut off, whose exclusive values are now its own.
    pub(crate) absorbed: Vec<CallPathId>,
}

/// One operand and how its dimensions lie in the result's.
pub(crate) struct Operand<'a> {
    pub(crate) rows: &'a dyn Rows,
    /// By metric of the result.
    pub(crate) metrics: Vec<Option<MetricId>>,
    /// By call path of the result.
    pub(crate) call_paths: Vec<Option<Origin>>,
    /// By location of the operand.
    pub(crate) columns: Vec<Option<LocationId>>,
}

/// A report that an operator has made of others. Rows are computed when they are asked for.
pub struct Outcome<'a> {
    pub(crate) report: Report,
    pub(crate) operands: Vec<Operand<'a>>,
    pub(crate) operation: Operation,
    pub(crate) notes: Vec<String>,
    /// Embedded files, and the operand that has each.
    pub(crate) files: Vec<(usize, String)>,
}

impl Outcome<'_> {
    /// What the operator could not do or had to decide, in sentences for the user.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

impl Rows for Outcome<'_> {
    fn report(&self) -> &Report {
        &self.report
    }

    fn row(&self, metric: MetricId, call_path: CallPathId) -> Result<Option<Vec<Value>>> {
        let Some(definition) = self.report.metrics.get(metric) else { return Ok(None) };
        if definition.kind.is_derived() {
            return Ok(None);
        }
        let mut rows = Vec::new();
        for operand in &self.operands {
            if operand.metrics[metric.index()].is_none() {
                rows.push(None);
                continue;
            }
            rows.push(self.row_of(operand, metric, call_path)?);
            if self.operation == Operation::First {
                return Ok(rows.pop().flatten());
            }
        }
        let data_type = &definition.data_type;
        Ok(match self.operation {
            Operation::First => None,
            Operation::Difference => difference(data_type, rows),
            Operation::Mean => mean(data_type, rows),
        })
    }

    fn files(&self) -> Vec<String> {
        self.files.iter().map(|(_, name)| name.clone()).collect()
    }

    fn file(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let Some((operand, _)) = self.files.iter().find(|(_, own)| own == name) else {
            return Ok(None);
        };
        self.operands[*operand].rows.file(name)
    }
}

impl Outcome<'_> {
    /// The row of one operand with the result's columns and in the result's type.
    fn row_of(
        &self,
        operand: &Operand<'_>,
        metric: MetricId,
        call_path: CallPathId,
    ) -> Result<Option<Vec<Value>>> {
        let source = operand.metrics[metric.index()];
        let origin = operand.call_paths.get(call_path.index()).and_then(Option::as_ref);
        let (Some(source), Some(origin)) = (source, origin) else { return Ok(None) };
        let definition = &self.report.metrics[metric];
        let stored = &operand.rows.report().metrics[source];
        let own = |call_path| {
            if stored.kind == MetricKind::Inclusive && definition.kind == MetricKind::Exclusive {
                return severity(operand.rows, source, call_path, Mode::Exclusive);
            }
            operand.rows.row(source, call_path)
        };
        let mut row = own(origin.itself)?;
        if definition.kind == MetricKind::Exclusive {
            for &absorbed in &origin.absorbed {
                row = both(&stored.data_type, row, own(absorbed)?);
            }
        }
        let Some(row) = row else { return Ok(None) };
        let mut placed: Vec<Option<Value>> = vec![None; self.report.system.locations.len()];
        for (value, column) in row.into_iter().zip(&operand.columns) {
            let Some(column) = column else { continue };
            let value = convert(value, &definition.data_type);
            let place = &mut placed[column.index()];
            *place = Some(match place.take() {
                Some(other) => add(&definition.data_type, &other, &value),
                None => value,
            });
        }
        let zero = zero_like(&definition.data_type, placed.iter().flatten().next());
        let filled = |value: Option<Value>| value.unwrap_or_else(|| zero.clone());
        Ok(Some(placed.into_iter().map(filled).collect()))
    }
}

/// Zero; of a type of unknown layout, as many zero bytes as `other` has.
fn zero_like(data_type: &DataType, other: Option<&Value>) -> Value {
    match other {
        Some(Value::Opaque(bytes)) => Value::Opaque(vec![0; bytes.len()]),
        _ => zero(data_type),
    }
}

fn difference(data_type: &DataType, rows: Vec<Option<Vec<Value>>>) -> Option<Vec<Value>> {
    let mut rows = rows.into_iter();
    match (rows.next().flatten(), rows.next().flatten()) {
        (Some(a), Some(b)) => Some(a.iter().zip(&b).map(|(a, b)| subtract(a, b)).collect()),
        (None, Some(b)) => Some(b.iter().map(|b| subtract(&zero(data_type), b)).collect()),
        (a, None) => a,
    }
}

/// Minima and maxima, and statistics over events, are those over all runs; all else is the sum
/// divided by the number of runs, where a run without the call path counts as zero.
fn mean(data_type: &DataType, rows: Vec<Option<Vec<Value>>>) -> Option<Vec<Value>> {
    let count = rows.len() as f64;
    let sum = rows.into_iter().fold(None, |sum, row| both(data_type, sum, row))?;
    if matches!(data_type, DataType::MinDouble | DataType::MaxDouble | DataType::TauAtomic) {
        return Some(sum);
    }
    Some(sum.iter().map(|value| divide(value, count)).collect())
}
