//! The call tree as text, with values if wanted.

use pompeii_cubex::{CallPathId, Id, MetricId, Result};
use serde::Serialize;

use crate::arithmetic::number;
use crate::rows::Rows;
use crate::select::{depths, indent};
use crate::severity::{Mode, severity, total};
use crate::table::short;

/// What to show beside the names.
#[derive(Clone, Debug, Default)]
pub struct CallTreeOptions {
    /// The metric whose values are shown, summed over locations.
    pub metric: Option<MetricId>,
    /// With or without what is called.
    pub mode: Mode,
    /// Call paths whose inclusive value is less than so many percent of the sum over all roots are
    /// left out, with all below them.
    pub threshold_percent: f64,
}

/// One call path.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// Its number in the report.
    pub call_path: u32,
    /// How many are above it.
    pub depth: usize,
    /// The name of its region, with parameters.
    pub region: String,
    /// File and line of the region; empty if unknown.
    pub place: String,
    /// The value over all locations; `None` without a metric or where values are no numbers.
    pub value: Option<f64>,
    /// The share of the sum over all roots.
    pub percent: Option<f64>,
}

/// The call tree, parents first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallTree {
    /// The unique name of the metric.
    pub metric: Option<String>,
    /// Its unit.
    pub unit: Option<String>,
    /// The call paths.
    pub lines: Vec<Line>,
}

/// The call tree of a report.
///
/// # Errors
/// Damage of the file that the values come from.
pub fn call_tree(rows: &dyn Rows, options: &CallTreeOptions) -> Result<CallTree> {
    let report = rows.report();
    let tree = &report.call_paths;
    let depths = depths(tree);
    let sum = |call_path: CallPathId, mode: Mode| -> Result<Option<f64>> {
        let Some(metric) = options.metric else { return Ok(None) };
        let row = severity(rows, metric, call_path, mode)?.unwrap_or_default();
        Ok(number(&total(&report.metrics[metric].data_type, &row)))
    };
    let mut whole = 0.0;
    for &root in tree.roots() {
        whole += sum(root, Mode::Inclusive)?.unwrap_or(0.0);
    }
    let percent = |value: f64| if whole == 0.0 { 0.0 } else { 100.0 * value / whole };
    let mut lines = Vec::new();
    let mut open: Vec<CallPathId> = tree.roots().iter().rev().copied().collect();
    while let Some(id) = open.pop() {
        let inclusive = sum(id, Mode::Inclusive)?;
        let share = inclusive.map(percent).unwrap_or(100.0);
        if share.abs() < options.threshold_percent {
            continue;
        }
        open.extend(tree.children(id).iter().rev());
        let value = match options.mode {
            Mode::Inclusive => inclusive,
            Mode::Exclusive => sum(id, Mode::Exclusive)?,
        };
        let region = &report.regions[tree[id].region];
        let parameters = tree[id]
            .parameters
            .iter()
            .map(|p| format!("{}={}", p.key, p.value))
            // As a region of its own it may have this name already.
            .filter(|text| *text != region.name)
            .map(|text| format!(" {text}"))
            .collect::<String>();
        let place = match region.begin_line {
            _ if region.file.is_empty() => String::new(),
            Some(line) => format!("{}:{line}", region.file),
            None => region.file.clone(),
        };
        lines.push(Line {
            call_path: id.0,
            depth: depths[id.index()],
            region: format!("{}{parameters}", region.name),
            place,
            value,
            percent: value.map(percent),
        });
    }
    let metric = options.metric.map(|id| &report.metrics[id]);
    Ok(CallTree {
        metric: metric.map(|metric| metric.unique_name.clone()),
        unit: metric.map(|metric| metric.unit.clone()),
        lines,
    })
}

impl CallTree {
    /// One line per call path: value, share, and the name indented by its depth.
    pub fn text(&self, places: bool) -> String {
        let mut text = String::new();
        if let (Some(metric), Some(unit)) = (&self.metric, &self.unit) {
            text += &format!("{metric} [{unit}]\n");
        }
        for line in &self.lines {
            if self.metric.is_some() {
                let value = line.value.map_or("-".to_owned(), short);
                text += &format!("{value:>16} {:>6.2} %  ", line.percent.unwrap_or(0.0));
            }
            text += &format!("{}{}", indent(line.depth), line.region);
            if places && !line.place.is_empty() {
                text += &format!("  ({})", line.place);
            }
            text.push('\n');
        }
        text
    }
}
