//! The operators on several reports: difference, union and mean.

use pompeii_cubex::{DataType, MetricKind};

use crate::outcome::{Operand, Operation, Origin, Outcome};
use crate::rows::Rows;
use crate::unify::{SystemMode, Unified, unify};

/// The attribute that says which operator a report comes from.
pub const OPERATION: &str = "Pompeii::operation";

/// How reports are combined.
#[derive(Clone, Debug, Default)]
pub struct Combination {
    /// What becomes of the system dimension.
    pub system: SystemMode,
    /// What to write down as the report's origin, for instance `diff a.cubex b.cubex`.
    pub title: String,
}

/// `a` minus `b`: a report whose values say how much more `a` has. Call paths, metrics and
/// locations that only one of them has count as zero in the other. Integers stay integers (of 64
/// bits, signed); types without a difference (rates, statistics, histograms, unknown types) are
/// left out, with a note.
pub fn diff<'a>(a: &'a dyn Rows, b: &'a dyn Rows, how: &Combination) -> Outcome<'a> {
    let mut outcome = combined(vec![a, b], Operation::Difference, how);
    settle_types(&mut outcome, |data_type| match data_type {
        DataType::Rate | DataType::TauAtomic | DataType::Histogram(_) | DataType::Other(_) => None,
        integer if integer.is_integer() => Some(DataType::Int64),
        other => Some(other.clone()),
    });
    outcome
}

/// The union: all metrics, call paths and locations of all operands. The values of a metric are
/// those of the first operand that has it, so that measurements of different metrics (two groups of
/// hardware counters, say) become one report.
pub fn merge<'a>(operands: &[&'a dyn Rows], how: &Combination) -> Outcome<'a> {
    let mut outcome = combined(operands.to_vec(), Operation::First, how);
    for (index, operand) in operands.iter().enumerate() {
        for name in operand.files() {
            if !outcome.files.iter().any(|(_, known)| *known == name) {
                outcome.files.push((index, name));
            }
        }
    }
    outcome
}

/// The mean of each value over all operands; one that a report does not have is zero there. Means
/// of integers are doubles. Minima, maxima and statistics over events are those over all runs.
pub fn mean<'a>(operands: &[&'a dyn Rows], how: &Combination) -> Outcome<'a> {
    let mut outcome = combined(operands.to_vec(), Operation::Mean, how);
    settle_types(&mut outcome, |data_type| match data_type {
        DataType::Other(_) => None,
        integer if integer.is_integer() => Some(DataType::Double),
        other => Some(other.clone()),
    });
    outcome
}

fn combined<'a>(inputs: Vec<&'a dyn Rows>, operation: Operation, how: &Combination) -> Outcome<'a> {
    let reports: Vec<_> = inputs.iter().map(|rows| rows.report()).collect();
    let Unified { mut report, mappings, notes } = unify(&reports, how.system);
    if !how.title.is_empty() {
        report.attributes.retain(|(key, _)| key != OPERATION);
        report.attributes.push((OPERATION.to_owned(), how.title.clone()));
    }
    let operands = inputs.into_iter().zip(mappings).map(|(rows, mapping)| {
        let mut metrics = vec![None; report.metrics.len()];
        for (id, target) in rows.report().metrics.ids().zip(mapping.metrics) {
            metrics[target.0 as usize] = Some(id);
        }
        let mut call_paths = vec![None; report.call_paths.len()];
        for (id, target) in rows.report().call_paths.ids().zip(mapping.call_paths) {
            call_paths[target.0 as usize] = Some(Origin { itself: id, absorbed: Vec::new() });
        }
        let columns = mapping.locations.into_iter().map(Some).collect();
        Operand { rows, metrics, call_paths, columns }
    });
    let operands = operands.collect();
    Outcome { report, operands, operation, notes, files: Vec::new() }
}

/// Gives each metric of the result a kind and a type that can hold the values of all operands.
/// Operands that do not fit are left out of that metric; metrics whose type cannot take part in the
/// operation (`result` is `None`) lose their values. Both are noted.
fn settle_types(outcome: &mut Outcome<'_>, result: impl Fn(&DataType) -> Option<DataType>) {
    for metric in outcome.report.metrics.ids() {
        let definition = &outcome.report.metrics[metric];
        if definition.kind.is_derived() {
            continue;
        }
        let name = definition.unique_name.clone();
        let (mut kind, mut data_type) = (definition.kind, definition.data_type.clone());
        for (index, operand) in outcome.operands.iter_mut().enumerate() {
            let place = &mut operand.metrics[metric.0 as usize];
            let Some(source) = *place else { continue };
            let own = &operand.rows.report().metrics[source];
            let common = common_type(&data_type, &own.data_type);
            match (common_kind(kind, own.kind), common) {
                (Some(common_kind), Some(common)) => (kind, data_type) = (common_kind, common),
                _ => {
                    *place = None;
                    outcome.notes.push(format!(
                        "metric `{name}` of operand {} is {} {}, which does not go with {} {}; it is \
                         left out",
                        index + 1,
                        own.kind.name(),
                        own.data_type,
                        kind.name(),
                        data_type,
                    ));
                }
            }
        }
        let settled = result(&data_type);
        if settled.is_none() {
            outcome.notes.push(format!(
                "metric `{name}` has {data_type} values, which this operation cannot combine; it has \
                 no values in the result"
            ));
            outcome
                .operands
                .iter_mut()
                .for_each(|operand| operand.metrics[metric.0 as usize] = None);
        }
        let definition = &mut outcome.report.metrics[metric];
        definition.kind = kind;
        definition.data_type = settled.unwrap_or(data_type);
    }
}

/// Inclusive values can be made exclusive; nothing else can be made something else.
fn common_kind(a: MetricKind, b: MetricKind) -> Option<MetricKind> {
    use MetricKind::{Exclusive, Inclusive};
    match (a, b) {
        _ if a == b => Some(a),
        (Inclusive, Exclusive) | (Exclusive, Inclusive) => Some(Exclusive),
        _ => None,
    }
}

/// The smallest type that holds the numbers of both.
fn common_type(a: &DataType, b: &DataType) -> Option<DataType> {
    use DataType::{Double, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64};
    let unsigned = |t: &DataType| matches!(t, Uint8 | Uint16 | Uint32 | Uint64);
    let integer = |t: &DataType| unsigned(t) || matches!(t, Int8 | Int16 | Int32 | Int64);
    if a == b {
        return Some(a.clone());
    }
    if unsigned(a) && unsigned(b) {
        return Some(Uint64);
    }
    if integer(a) && integer(b) {
        return Some(Int64);
    }
    let number = |t: &DataType| integer(t) || *t == Double;
    (number(a) && number(b)).then_some(Double)
}
