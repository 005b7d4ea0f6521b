//! Throws away definitions that nothing refers to and, on request, those that have no values.

use pompeii_cubex::{CallPathId, Id, MetricId, RegionId, Report, Result, Table, Tree};

use crate::arithmetic::is_zero;
use crate::cut::of_one;
use crate::outcome::{Origin, Outcome};
use crate::part::keep;
use crate::rows::Rows;

/// What to throw away besides regions without call paths and parts of the system without locations.
#[derive(Clone, Copy, Debug, Default)]
pub struct CleanOptions {
    /// Call paths whose values are zero in every metric, with all below them.
    pub empty_call_paths: bool,
    /// Metrics whose values are zero, with all below them, unless an expression names them.
    pub empty_metrics: bool,
    /// Locations whose values are zero in every metric.
    pub empty_locations: bool,
}

/// The report without what nobody needs; no value changes.
///
/// # Errors
/// Damage of the file that the values come from.
pub fn clean<'a>(rows: &'a dyn Rows, options: &CleanOptions) -> Result<Outcome<'a>> {
    let report = rows.report();
    let used = Used::of(rows)?;
    let mut cleaned = report.clone();
    let (call_paths, origins) = if options.empty_call_paths {
        with_ancestors(&report.call_paths, &used.call_paths)
    } else {
        with_ancestors(&report.call_paths, &vec![true; report.call_paths.len()])
    };
    cleaned.call_paths = call_paths;
    remove_regions(&mut cleaned);
    let needed = |id: MetricId| {
        let metric = &report.metrics[id];
        !options.empty_metrics
            || used.metrics[id.index()]
            || metric.kind.is_derived()
            || is_named(report, &metric.unique_name)
    };
    let needed: Vec<bool> = report.metrics.ids().map(needed).collect();
    let (metrics, metric_origins) = with_ancestors(&report.metrics, &needed);
    cleaned.metrics = metrics;
    let kept = if options.empty_locations && used.locations.contains(&true) {
        used.locations
    } else {
        vec![true; report.system.locations.len()]
    };
    let columns = keep(&mut cleaned, &kept);
    let mut outcome = of_one(rows, cleaned);
    let operand = &mut outcome.operands[0];
    let origin = |itself: CallPathId| Some(Origin { itself, absorbed: Vec::new() });
    operand.call_paths = origins.into_iter().map(origin).collect();
    operand.metrics = metric_origins.into_iter().map(Some).collect();
    operand.columns = columns;
    Ok(outcome)
}

/// What has a value that is not zero.
struct Used {
    metrics: Vec<bool>,
    call_paths: Vec<bool>,
    locations: Vec<bool>,
}

impl Used {
    fn of(rows: &dyn Rows) -> Result<Self> {
        let report = rows.report();
        let mut used = Self {
            metrics: vec![false; report.metrics.len()],
            call_paths: vec![false; report.call_paths.len()],
            locations: vec![false; report.system.locations.len()],
        };
        for metric in report.metrics.ids() {
            for call_path in report.call_paths.ids() {
                let row = rows.row(metric, call_path)?.unwrap_or_default();
                for (location, _) in row.iter().enumerate().filter(|(_, v)| !is_zero(v)) {
                    used.metrics[metric.index()] = true;
                    used.call_paths[call_path.index()] = true;
                    used.locations[location] = true;
                }
            }
        }
        Ok(used)
    }
}

/// The tree of those that are `needed` and of all above them, and what each was.
fn with_ancestors<I: Id, T: Clone>(tree: &Tree<I, T>, needed: &[bool]) -> (Tree<I, T>, Vec<I>) {
    let mut needed = needed.to_vec();
    for id in tree.preorder().into_iter().rev().filter(|id| tree.parent(*id).is_some()) {
        let parent = tree.parent(id).map_or(id.index(), |parent| parent.index());
        needed[parent] |= needed[id.index()];
    }
    let (mut kept, mut origins) = (Tree::default(), Vec::new());
    let mut new: Vec<Option<I>> = vec![None; tree.len()];
    // Ascending ids keep the numbers of a report from which nothing is removed; a child that was
    // defined before its parent has to wait for it.
    let in_order = tree.ids().all(|id| tree.parent(id).is_none_or(|parent| parent < id));
    let order = if in_order { tree.ids().collect() } else { tree.preorder() };
    for id in order.into_iter().filter(|id| needed[id.index()]) {
        let parent = tree.parent(id).and_then(|parent| new[parent.index()]);
        new[id.index()] = Some(kept.push(parent, tree[id].clone()));
        origins.push(id);
    }
    (kept, origins)
}

fn remove_regions(report: &mut Report) {
    let mut used = vec![false; report.regions.len()];
    report.call_paths.iter().for_each(|(_, call_path)| used[call_path.region.index()] = true);
    let mut regions = Table::default();
    let mut new = vec![RegionId(0); used.len()];
    for (id, region) in report.regions.iter().filter(|(id, _)| used[id.index()]) {
        new[id.index()] = regions.push(region.clone());
    }
    report.regions = regions;
    for id in report.call_paths.ids() {
        let region = report.call_paths[id].region;
        report.call_paths[id].region = new[region.index()];
    }
}

/// True if the expression of a derived metric names this one.
fn is_named(report: &Report, unique_name: &str) -> bool {
    report.metrics.iter().filter_map(|(_, metric)| metric.cube_pl.as_ref()).any(|cube_pl| {
        let others = [&cube_pl.init, &cube_pl.plus, &cube_pl.minus, &cube_pl.aggregate];
        cube_pl.expression.contains(unique_name)
            || others.into_iter().flatten().any(|text| text.contains(unique_name))
    })
}
