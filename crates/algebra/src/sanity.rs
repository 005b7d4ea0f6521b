//! Checks that find what is wrong in a report, each with what it found.

use std::collections::HashSet;

use pompeii_cubex::{CallPathId, DataType, Id, MetricId, MetricKind, RegionId, Report, Result};
use serde::Serialize;

use crate::arithmetic::number;
use crate::combine::OPERATION;
use crate::rows::Rows;
use crate::severity::{Mode, severity};
use crate::statistics::path;

/// Differences of doubles are not exact: a share of the parent's value so small is not counted.
const ROUNDING: f64 = 1e-9;
/// So many examples are kept of what a check finds.
const EXAMPLES_MAX: usize = 5;

/// One check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// What must hold.
    pub name: String,
    /// The number of violations.
    pub violations: usize,
    /// The first ones.
    pub examples: Vec<String>,
}

/// All checks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sanity {
    /// In their order.
    pub checks: Vec<Check>,
}

impl Sanity {
    /// True if nothing was found.
    pub fn is_sane(&self) -> bool {
        self.checks.iter().all(|check| check.violations == 0)
    }

    /// One line per check, and what it found below it.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for check in &self.checks {
            let mark = if check.violations == 0 { "ok    " } else { "FAILED" };
            text += &format!("{mark} {}\n", check.name);
            for example in &check.examples {
                text += &format!("         {example}\n");
            }
            let more = check.violations - check.examples.len();
            if more > 0 {
                text += &format!("         and {more} more\n");
            }
        }
        text
    }
}

/// Checks a report.
///
/// # Errors
/// Damage of the file that the values come from.
pub fn sanity(rows: &dyn Rows) -> Result<Sanity> {
    let report = rows.report();
    let mut checks = definitions(report);
    // That something takes less time than before is what a difference is for.
    let operation = report.attribute(OPERATION).unwrap_or_default();
    let is_difference = operation.starts_with("diff");
    let mut finite = Finder::new("values are numbers that are finite");
    let mut inclusive = Finder::new("inclusive values are not negative");
    let mut exclusive = Finder::new("exclusive values are not negative");
    for metric in report.metrics.ids() {
        for call_path in report.call_paths.ids() {
            for (mode, finder) in
                [(Mode::Inclusive, &mut inclusive), (Mode::Exclusive, &mut exclusive)]
            {
                check_values(rows, (metric, call_path), mode, finder, &mut finite)?;
            }
        }
    }
    checks.push(finite.check);
    if !is_difference {
        checks.extend([inclusive.check, exclusive.check, metric_tree(rows)?]);
    }
    Ok(Sanity { checks })
}

struct Finder {
    check: Check,
}

impl Finder {
    fn new(name: &str) -> Self {
        Self { check: Check { name: name.to_owned(), violations: 0, examples: Vec::new() } }
    }

    fn found(&mut self, example: impl FnOnce() -> String) {
        self.check.violations += 1;
        if self.check.examples.len() < EXAMPLES_MAX {
            self.check.examples.push(example());
        }
    }
}

/// What holds for definitions alone.
fn definitions(report: &Report) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut regions = |name: &str, wrong: &dyn Fn(RegionId) -> bool| {
        let mut finder = Finder::new(name);
        for id in report.regions.ids().filter(|&id| wrong(id)) {
            let region = &report.regions[id];
            finder.found(|| format!("region {}: `{}` of `{}`", id.0, region.name, region.file));
        }
        checks.push(finder.check);
    };
    let region = |id: RegionId| &report.regions[id];
    let source = |id: RegionId| {
        // What a measurement system or the operating system defines is in no file of the user, and
        // nor are OpenMP's lock routines.
        !matches!(region(id).role.as_str(), "artificial" | "lock")
            && matches!(region(id).paradigm.as_str(), "compiler" | "user" | "openmp")
    };
    regions("regions have names", &|id| {
        let name = region(id).name.trim();
        name.is_empty() || name.eq_ignore_ascii_case("unknown")
    });
    regions("no region is ANONYMOUS", &|id| region(id).name.contains("ANONYMOUS"));
    regions("no region is TRUNCATED", &|id| region(id).name.contains("TRUNCATED"));
    regions("no region stands for a mapping of TAU", &|id| region(id).name.contains("=>"));
    regions("regions of the source have files", &|id| source(id) && region(id).file.is_empty());
    let unordered = |id: RegionId| {
        let (begin, end) = (region(id).begin_line, region(id).end_line);
        begin.zip(end).is_some_and(|(begin, end)| begin > end && end > 0)
    };
    regions("the lines of regions are in order", &unordered);
    checks.extend([metric_names(report), system(report)]);
    checks
}

fn metric_names(report: &Report) -> Check {
    let mut finder = Finder::new("metrics have unique names");
    let mut names = HashSet::new();
    for (id, metric) in report.metrics.iter() {
        let name = metric.unique_name.as_str();
        if name.trim().is_empty() || !names.insert(name) {
            finder.found(|| format!("metric {}: `{name}`", id.0));
        }
    }
    finder.check
}

fn system(report: &Report) -> Check {
    let mut finder = Finder::new("processes have locations");
    let mut used = vec![false; report.system.groups.len()];
    for (_, location) in report.system.locations.iter() {
        used[location.group.index()] = true;
    }
    for id in report.system.groups.ids() {
        if !used[id.index()] && report.system.groups.children(id).is_empty() {
            finder.found(|| format!("group {}: `{}`", id.0, report.system.groups[id].name));
        }
    }
    finder.check
}

/// Minima and maxima may be negative.
fn check_values(
    rows: &dyn Rows,
    (metric, call_path): (MetricId, CallPathId),
    mode: Mode,
    negative: &mut Finder,
    finite: &mut Finder,
) -> Result<()> {
    let report = rows.report();
    let definition = &report.metrics[metric];
    let extreme = matches!(definition.data_type, DataType::MinDouble | DataType::MaxDouble);
    let Some(row) = severity(rows, metric, call_path, mode)? else { return Ok(()) };
    let scale = match mode {
        Mode::Exclusive if definition.kind == MetricKind::Inclusive => {
            rows.row(metric, call_path)?.unwrap_or_default()
        }
        _ => Vec::new(),
    };
    for (location, value) in row.iter().enumerate() {
        let Some(value) = number(value) else { return Ok(()) };
        let place = || {
            let (name, path) = (&definition.unique_name, path(report, call_path));
            format!("{name} of {path} on location {location}: {value}")
        };
        if !value.is_finite() && mode == Mode::Inclusive {
            finite.found(place);
        }
        let whole = scale.get(location).and_then(number).unwrap_or(0.0).abs();
        if value < -ROUNDING * whole && !extreme {
            negative.found(place);
        }
    }
    Ok(())
}

/// A metric contains its children, where they have its kind and unit.
fn metric_tree(rows: &dyn Rows) -> Result<Check> {
    let report = rows.report();
    let mut finder = Finder::new("metrics are at least the sum of their children");
    let numeric = |id: MetricId| {
        let metric = &report.metrics[id];
        let extreme = matches!(metric.data_type, DataType::MinDouble | DataType::MaxDouble);
        !metric.kind.is_derived() && metric.kind != MetricKind::Simple && !extreme
    };
    for parent in report.metrics.ids().filter(|&id| numeric(id)) {
        let unit = &report.metrics[parent].unit;
        let same = |id: &&MetricId| numeric(**id) && report.metrics[**id].unit == *unit;
        let children: Vec<MetricId> =
            report.metrics.children(parent).iter().filter(same).copied().collect();
        if children.is_empty() {
            continue;
        }
        for call_path in report.call_paths.ids() {
            let own = total_number(rows, parent, call_path)?;
            let mut below = 0.0;
            for &child in &children {
                below += total_number(rows, child, call_path)?;
            }
            if below - own > ROUNDING * own.abs().max(below.abs()) {
                let (name, path) = (&report.metrics[parent].unique_name, path(report, call_path));
                finder.found(|| format!("{name} of {path}: {own}, its children {below}"));
            }
        }
    }
    Ok(finder.check)
}

fn total_number(rows: &dyn Rows, metric: MetricId, call_path: CallPathId) -> Result<f64> {
    let row = severity(rows, metric, call_path, Mode::Inclusive)?.unwrap_or_default();
    Ok(row.iter().filter_map(number).sum())
}
