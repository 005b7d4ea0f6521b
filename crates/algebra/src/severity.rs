//! Values of a call path with or without what its descendants contribute, whatever the metric
//! stores. Computed row by row: an inclusive value of an exclusive metric visits the rows of the
//! subtree, an exclusive value of an inclusive metric those of the children.

use pompeii_cubex::{CallPathId, DataType, Id, MetricId, MetricKind, Result, Value};

use crate::arithmetic::{add, subtract, zero};
use crate::rows::Rows;

/// With or without descendants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// With all descendants.
    Inclusive,
    /// The call path alone.
    #[default]
    Exclusive,
}

/// The values of a call path on all locations; `None` if all are zero. Values of a simple metric
/// are the same in both modes.
///
/// # Errors
/// Damage of the file that the values come from.
pub fn severity(
    rows: &dyn Rows,
    metric: MetricId,
    call_path: CallPathId,
    mode: Mode,
) -> Result<Option<Vec<Value>>> {
    let report = rows.report();
    let Some(definition) = report.metrics.get(metric) else { return Ok(None) };
    let data_type = &definition.data_type;
    let mut sum = rows.row(metric, call_path)?;
    match (definition.kind, mode) {
        (MetricKind::Inclusive, Mode::Exclusive) => {
            for &child in report.call_paths.children(call_path) {
                if let Some(row) = rows.row(metric, child)? {
                    let own = sum.take().unwrap_or_else(|| vec![zero(data_type); row.len()]);
                    sum = Some(own.iter().zip(&row).map(|(a, b)| subtract(a, b)).collect());
                }
            }
        }
        (MetricKind::Exclusive, Mode::Inclusive) => {
            if let Some(known) = rows.with_below(metric, call_path)? {
                return Ok(known);
            }
            let mut open = report.call_paths.children(call_path).to_vec();
            while let Some(below) = open.pop() {
                open.extend_from_slice(report.call_paths.children(below));
                let row = rows.row(metric, below)?;
                sum = both(data_type, sum, row);
            }
        }
        _ => {}
    }
    Ok(sum)
}

/// The inclusive rows of an exclusive metric, of all call paths in one pass from the leaves up.
pub(crate) fn all_inclusive(rows: &dyn Rows, metric: MetricId) -> Result<Vec<Option<Vec<Value>>>> {
    let report = rows.report();
    let data_type = &report.metrics[metric].data_type;
    let mut sums: Vec<Option<Vec<Value>>> = vec![None; report.call_paths.len()];
    for call_path in report.call_paths.preorder().into_iter().rev() {
        let own = rows.row(metric, call_path)?;
        let below = sums[call_path.index()].take();
        let sum = both(data_type, own, below);
        if let Some(parent) = report.call_paths.parent(call_path) {
            let around = sums[parent.index()].take();
            sums[parent.index()] = both(data_type, around, sum.clone());
        }
        sums[call_path.index()] = sum;
    }
    Ok(sums)
}

/// Two rows together; one that is absent does not count.
pub(crate) fn both(
    data_type: &DataType,
    a: Option<Vec<Value>>,
    b: Option<Vec<Value>>,
) -> Option<Vec<Value>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.iter().zip(&b).map(|(a, b)| add(data_type, a, b)).collect()),
        (a, b) => a.or(b),
    }
}

/// All values of a row together.
pub fn total(data_type: &DataType, row: &[Value]) -> Value {
    let mut values = row.iter().cloned();
    let first = values.next().unwrap_or_else(|| zero(data_type));
    values.fold(first, |sum, value| add(data_type, &sum, &value))
}
