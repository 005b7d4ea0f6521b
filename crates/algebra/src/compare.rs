//! Whether two reports say the same, and where they do not.

use pompeii_cubex::{Id, Report, Result, Value};
use serde::Serialize;

use crate::arithmetic::{number, show, zero};
use crate::rows::Rows;
use crate::severity::{Mode, severity};
use crate::statistics::path;
use crate::unify::{SystemMode, Unified, unify};

/// What counts as the same.
#[derive(Clone, Copy, Debug)]
pub struct CompareOptions {
    /// Numbers may differ by so much of the larger one.
    pub tolerance: f64,
    /// So many differences are listed; all are counted.
    pub list_max: usize,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self { tolerance: 0.0, list_max: 20 }
    }
}

/// What differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Metrics, call paths and locations that only one report has.
    pub definitions: usize,
    /// Values that differ.
    pub values: usize,
    /// The first differences, in sentences.
    pub differences: Vec<String>,
}

impl Comparison {
    /// True if nothing differs.
    pub fn is_same(&self) -> bool {
        self.definitions == 0 && self.values == 0
    }

    /// The same for people.
    pub fn text(&self) -> String {
        if self.is_same() {
            return "the reports say the same\n".to_owned();
        }
        let mut text = format!(
            "{} definitions that only one of them has, {} values that differ\n",
            self.definitions, self.values
        );
        for difference in &self.differences {
            text += &format!("  {difference}\n");
        }
        let more = self.definitions + self.values - self.differences.len();
        if more > 0 {
            text += &format!("  and {more} more\n");
        }
        text
    }
}

/// Compares two reports: definitions as [`unify`] makes them one, numbers exclusively, whatever
/// form they are stored in.
///
/// # Errors
/// Damage of the files that the values come from.
pub fn compare(a: &dyn Rows, b: &dyn Rows, options: &CompareOptions) -> Result<Comparison> {
    let unified = unify(&[a.report(), b.report()], SystemMode::Union);
    let mut comparison = Comparison { definitions: 0, values: 0, differences: Vec::new() };
    let list_max = options.list_max;
    let mut add = |is_value: bool, text: &dyn Fn() -> String| {
        let count = if is_value { &mut comparison.values } else { &mut comparison.definitions };
        *count += 1;
        if comparison.differences.len() < list_max {
            comparison.differences.push(text());
        }
    };
    definitions(&unified, &mut add);
    let report = &unified.report;
    let sources = [a, b].map(|rows| rows.report());
    let origins = [0, 1].map(|side| Origins::of(&unified, side, sources[side]));
    for metric in report.metrics.ids() {
        if report.metrics[metric].kind.is_derived() {
            continue;
        }
        for call_path in report.call_paths.ids() {
            let row = |side: usize| -> Result<Option<Vec<Value>>> {
                let origins = &origins[side];
                let (Some(metric), Some(call_path)) =
                    (origins.metrics[metric.index()], origins.call_paths[call_path.index()])
                else {
                    return Ok(None);
                };
                let row = severity([a, b][side], metric, call_path, Mode::Exclusive)?;
                Ok(row.map(|row| origins.placed(report, row)))
            };
            let (ours, theirs) = (row(0)?, row(1)?);
            let zeros =
                vec![zero(&report.metrics[metric].data_type); report.system.locations.len()];
            if ours.is_none() && theirs.is_none() {
                continue;
            }
            let (ours, theirs) = (ours.unwrap_or(zeros.clone()), theirs.unwrap_or(zeros));
            for (location, (one, other)) in ours.iter().zip(&theirs).enumerate() {
                if !same(one, other, options.tolerance) {
                    let name = &report.metrics[metric].unique_name;
                    add(true, &|| {
                        let path = path(report, call_path);
                        let (one, other) = (show(one), show(other));
                        format!("{name} of {path} on location {location}: {one}, {other}")
                    });
                }
            }
        }
    }
    Ok(comparison)
}

/// Where the unified definitions are in one report.
struct Origins {
    metrics: Vec<Option<pompeii_cubex::MetricId>>,
    call_paths: Vec<Option<pompeii_cubex::CallPathId>>,
    /// Where each location of the report is in the unified one.
    columns: Vec<pompeii_cubex::LocationId>,
}

impl Origins {
    fn of(unified: &Unified, side: usize, source: &Report) -> Self {
        let mapping = &unified.mappings[side];
        let mut origins = Self {
            metrics: vec![None; unified.report.metrics.len()],
            call_paths: vec![None; unified.report.call_paths.len()],
            columns: mapping.locations.clone(),
        };
        for (id, target) in source.metrics.ids().zip(&mapping.metrics) {
            origins.metrics[target.index()] = Some(id);
        }
        for (id, target) in source.call_paths.ids().zip(&mapping.call_paths) {
            origins.call_paths[target.index()] = Some(id);
        }
        origins
    }

    fn placed(&self, report: &Report, row: Vec<Value>) -> Vec<Value> {
        let blank = row.first().map_or(Value::Uint(0), blank);
        let mut placed = vec![blank; report.system.locations.len()];
        for (value, column) in row.into_iter().zip(&self.columns) {
            placed[column.index()] = value;
        }
        placed
    }
}

/// Zero of the type of a value.
fn blank(value: &Value) -> Value {
    match value {
        Value::Int(_) => Value::Int(0),
        Value::Uint(_) => Value::Uint(0),
        Value::Double(_) => Value::Double(0.0),
        Value::Complex(..) => Value::Complex(0.0, 0.0),
        Value::Rate(..) => Value::Rate(0.0, 0.0),
        Value::TauAtomic(_) => Value::TauAtomic(Default::default()),
        Value::Doubles(values) => Value::Doubles(vec![0.0; values.len()]),
        Value::Histogram { bins, .. } => {
            Value::Histogram { min: 0.0, max: 0.0, bins: vec![0.0; bins.len()] }
        }
        Value::Opaque(bytes) => Value::Opaque(vec![0; bytes.len()]),
    }
}

fn same(a: &Value, b: &Value, tolerance: f64) -> bool {
    if a == b {
        return true;
    }
    match (a, b) {
        // Integers are compared as such: doubles cannot tell large ones apart.
        (Value::Int(_), Value::Int(_)) | (Value::Uint(_), Value::Uint(_)) if tolerance == 0.0 => {
            false
        }
        _ => match (number(a), number(b)) {
            (Some(a), Some(b)) => {
                (a - b).abs() <= tolerance * a.abs().max(b.abs()) || (a.is_nan() && b.is_nan())
            }
            _ => false,
        },
    }
}

/// What only one of the two has.
fn definitions(unified: &Unified, add: &mut dyn FnMut(bool, &dyn Fn() -> String)) {
    let report = &unified.report;
    let [first, second] = [0, 1].map(|side| &unified.mappings[side]);
    let only = |in_first: bool, in_second: bool| match (in_first, in_second) {
        (true, false) => Some("the first"),
        (false, true) => Some("the second"),
        _ => None,
    };
    for (id, metric) in report.metrics.iter() {
        if let Some(side) = only(first.metrics.contains(&id), second.metrics.contains(&id)) {
            add(false, &|| format!("metric {} is in {side} only", metric.unique_name));
        }
    }
    let presence = |ids: &[pompeii_cubex::CallPathId]| {
        let mut present = vec![false; report.call_paths.len()];
        ids.iter().for_each(|id| present[id.index()] = true);
        present
    };
    let (ours, theirs) = (presence(&first.call_paths), presence(&second.call_paths));
    for id in report.call_paths.preorder() {
        if let Some(side) = only(ours[id.index()], theirs[id.index()]) {
            add(false, &|| format!("call path {} is in {side} only", path(report, id)));
        }
    }
    let presence = |ids: &[pompeii_cubex::LocationId]| {
        let mut present = vec![false; report.system.locations.len()];
        ids.iter().for_each(|id| present[id.index()] = true);
        present
    };
    let (ours, theirs) = (presence(&first.locations), presence(&second.locations));
    for (id, location) in report.system.locations.iter() {
        if let Some(side) = only(ours[id.index()], theirs[id.index()]) {
            let group = &report.system.groups[location.group].name;
            add(false, &|| format!("location {} of {group} is in {side} only", location.name));
        }
    }
}
