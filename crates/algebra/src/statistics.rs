//! How values are spread over locations: per metric and region, or per call path; and which regions
//! take most of the time.

use pompeii_cubex::{CallPathId, Id, MetricId, RegionId, Report, Result};
use serde::Serialize;

use crate::arithmetic::{number, zero};
use crate::rows::Rows;
use crate::select::{Pattern, choose_call_paths};
use crate::severity::{Mode, both, severity};
use crate::table::{Table, csv, short, text_of};

/// Of what there shall be statistics.
#[derive(Clone, Debug, Default)]
pub struct StatisticsOptions {
    /// The metrics.
    pub metrics: Vec<MetricId>,
    /// The regions, or call paths; none for all.
    pub regions: Vec<Pattern>,
    /// True for one entry per call path instead of per region.
    pub by_call_path: bool,
}

/// The values of one metric of one region (or call path) over all locations.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statistic {
    /// The metric's unique name.
    pub metric: String,
    /// The region; where call paths are shown, all regions from the root, with `/` in between.
    pub name: String,
    /// `true`: with all that is called from it.
    pub inclusive: bool,
    /// The number of locations.
    pub count: usize,
    /// The sum over all locations.
    pub sum: f64,
    /// The mean.
    pub mean: f64,
    /// The variance of the sample: squared distances from the mean, divided by count - 1.
    pub variance: f64,
    /// The smallest value.
    pub minimum: f64,
    /// A quarter of the values is smaller (between two values by straight line).
    pub quartile_25: f64,
    /// Half of the values is smaller.
    pub median: f64,
    /// A quarter of the values is larger.
    pub quartile_75: f64,
    /// The largest value.
    pub maximum: f64,
}

/// Statistics of each chosen metric: per region (or call path) that has calls below it first the
/// inclusive, then the exclusive values; else the exclusive ones alone. Metrics whose values are no
/// numbers have none. Of a region that calls itself, the outermost calls count as inclusive.
///
/// # Errors
/// A pattern that fits nothing, and damage of the file that the values come from.
pub fn statistics(rows: &dyn Rows, options: &StatisticsOptions) -> Result<Vec<Statistic>> {
    let report = rows.report();
    let subjects = subjects(report, options)?;
    let mut found = Vec::new();
    let is_number = |id: &&MetricId| number(&zero(&report.metrics[**id].data_type)).is_some();
    for &metric in options.metrics.iter().filter(is_number) {
        for subject in &subjects {
            let name = &report.metrics[metric].unique_name;
            let inclusive = sum(rows, metric, &subject.outermost, Mode::Inclusive)?;
            let exclusive = sum(rows, metric, &subject.call_paths, Mode::Exclusive)?;
            if subject.calls {
                found.push(statistic(name, &subject.name, true, inclusive));
            }
            found.push(statistic(name, &subject.name, false, exclusive));
        }
    }
    Ok(found)
}

/// A region or a call path.
struct Subject {
    name: String,
    call_paths: Vec<CallPathId>,
    /// Those that are not called, however indirectly, from another one.
    outermost: Vec<CallPathId>,
    /// True if one of them calls something.
    calls: bool,
}

fn subjects(report: &Report, options: &StatisticsOptions) -> Result<Vec<Subject>> {
    let tree = &report.call_paths;
    let fitting = choose_call_paths(report, &options.regions, "have statistics of")?;
    let fits = |id: &CallPathId| options.regions.is_empty() || fitting.contains(id);
    let chosen = tree.preorder().into_iter().filter(fits);
    let calls =
        |call_paths: &[CallPathId]| call_paths.iter().any(|&id| !tree.children(id).is_empty());
    if options.by_call_path {
        let subject = |id: CallPathId| Subject {
            name: path(report, id),
            call_paths: vec![id],
            outermost: vec![id],
            calls: calls(&[id]),
        };
        return Ok(chosen.map(subject).collect());
    }
    let mut by_region: Vec<Vec<CallPathId>> = vec![Vec::new(); report.regions.len()];
    for id in chosen {
        by_region[tree[id].region.index()].push(id);
    }
    let is_outermost = outermost(report);
    let outermost_of = |call_paths: &[CallPathId]| {
        call_paths.iter().copied().filter(|id| is_outermost[id.index()]).collect()
    };
    let subject = |(index, call_paths): (usize, Vec<CallPathId>)| {
        let region = RegionId::from_index(index);
        (!call_paths.is_empty()).then(|| Subject {
            name: report.regions[region].name.clone(),
            outermost: outermost_of(&call_paths),
            calls: calls(&call_paths),
            call_paths,
        })
    };
    Ok(by_region.into_iter().enumerate().filter_map(subject).collect())
}

/// By id, whether the region of a call path is nowhere above it. One walk over the tree counts how
/// often each region is open, since a walk up from each call path is quadratic in depth.
fn outermost(report: &Report) -> Vec<bool> {
    let tree = &report.call_paths;
    let mut found = vec![false; tree.len()];
    let mut times_open = vec![0_usize; report.regions.len()];
    let mut open: Vec<CallPathId> = Vec::new();
    for id in tree.preorder() {
        while open.last().copied() != tree.parent(id) {
            let Some(left) = open.pop() else { break };
            times_open[tree[left].region.index()] -= 1;
        }
        let times_open = &mut times_open[tree[id].region.index()];
        found[id.index()] = *times_open == 0;
        *times_open += 1;
        open.push(id);
    }
    found
}

/// A recursion may be 100,000 calls deep. Of paths with more regions, only the end is named.
const PATH_MAX: usize = 128;
/// How many regions of a long path are shown. They are few, because there may be many such paths.
const PATH_END: usize = 16;

/// The names of all regions from the root to a call path.
pub(crate) fn path(report: &Report, call_path: CallPathId) -> String {
    let above = std::iter::successors(Some(call_path), |&id| report.call_paths.parent(id));
    let name = |id: CallPathId| report.regions[report.call_paths[id].region].name.as_str();
    let mut names: Vec<&str> = above.map(name).take(PATH_MAX + 1).collect();
    if names.len() > PATH_MAX {
        names.truncate(PATH_END);
        names.push("...");
    }
    names.reverse();
    names.join("/")
}

/// The values of several call paths together, as the metric aggregates them, by location.
fn sum(
    rows: &dyn Rows,
    metric: MetricId,
    call_paths: &[CallPathId],
    mode: Mode,
) -> Result<Vec<f64>> {
    let report = rows.report();
    let data_type = &report.metrics[metric].data_type;
    let mut sum = None;
    for &call_path in call_paths {
        sum = both(data_type, sum, severity(rows, metric, call_path, mode)?);
    }
    let mut numbers: Vec<f64> = sum.unwrap_or_default().iter().filter_map(number).collect();
    numbers.resize(report.system.locations.len(), 0.0);
    Ok(numbers)
}

fn statistic(metric: &str, name: &str, inclusive: bool, mut values: Vec<f64>) -> Statistic {
    values.sort_by(f64::total_cmp);
    let count = values.len();
    let sum: f64 = values.iter().sum();
    let mean = if count == 0 { 0.0 } else { sum / count as f64 };
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let quantile = |part: f64| {
        let at = part * count.saturating_sub(1) as f64;
        let value = |index: usize| values.get(index).copied().unwrap_or_default();
        let (low, high) = (value(at.floor() as usize), value(at.ceil() as usize));
        low + (high - low) * at.fract()
    };
    Statistic {
        metric: metric.to_owned(),
        name: name.to_owned(),
        inclusive,
        count,
        sum,
        mean,
        variance: if count > 1 { squares / (count - 1) as f64 } else { 0.0 },
        minimum: quantile(0.0),
        quartile_25: quantile(0.25),
        median: quantile(0.5),
        quartile_75: quantile(0.75),
        maximum: quantile(1.0),
    }
}

const HEAD: [&str; 11] = [
    "Metric",
    "Region",
    "Count",
    "Sum",
    "Mean",
    "Variance",
    "Minimum",
    "Quartile25",
    "Median",
    "Quartile75",
    "Maximum",
];

impl Statistic {
    fn numbers(&self) -> [f64; 8] {
        [
            self.sum,
            self.mean,
            self.variance,
            self.minimum,
            self.quartile_25,
            self.median,
            self.quartile_75,
            self.maximum,
        ]
    }

    fn label(&self) -> String {
        let name = &self.name;
        if self.inclusive { format!("INCL({name})") } else { format!("EXCL({name})") }
    }
}

/// Statistics as a table for people.
pub fn statistics_text(statistics: &[Statistic]) -> String {
    let row = |statistic: &Statistic| {
        let mut cells =
            vec![statistic.metric.clone(), statistic.label(), statistic.count.to_string()];
        cells.extend(statistic.numbers().map(short));
        cells
    };
    let head = HEAD.map(str::to_owned).to_vec();
    text_of(|| std::iter::once(head.clone()).chain(statistics.iter().map(row)))
}

/// Statistics as comma-separated values, with all digits.
pub fn statistics_csv(statistics: &[Statistic]) -> String {
    let mut text = HEAD.join(",") + "\n";
    for statistic in statistics {
        let (metric, label) = (csv(&statistic.metric), csv(&statistic.label()));
        let numbers = statistic.numbers().map(|number| number.to_string()).join(",");
        text += &format!("{metric},{label},{},{numbers}\n", statistic.count);
    }
    text
}

/// What one region takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RegionTime {
    /// Its name.
    pub region: String,
    /// How often it was entered, on all locations.
    pub visits: f64,
    /// Its own time.
    pub exclusive: f64,
    /// Its time with all that is called from it.
    pub inclusive: f64,
}

/// The regions that take most, most first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TopRegions {
    /// The unique name of the metric by which they are sorted.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// The regions.
    pub regions: Vec<RegionTime>,
}

impl TopRegions {
    /// A table for people.
    pub fn text(&self) -> String {
        let (own, all) =
            (format!("{} exclusive", self.metric), format!("{} inclusive", self.metric));
        let visit = format!("{} / visit", self.metric);
        let mut table = Table::new(&["Region", "Visits", &own, &all, &visit]);
        for region in &self.regions {
            let per_visit =
                if region.visits == 0.0 { 0.0 } else { region.exclusive / region.visits };
            let numbers = [region.visits, region.exclusive, region.inclusive, per_visit];
            let mut cells = vec![region.region.clone()];
            cells.extend(numbers.map(short));
            table.row(cells);
        }
        table.text()
    }

    /// The same as comma-separated values.
    pub fn csv(&self) -> String {
        let mut text = "Region,Visits,Exclusive,Inclusive\n".to_owned();
        for region in &self.regions {
            let (own, all) = (region.exclusive, region.inclusive);
            text += &format!("{},{},{own},{all}\n", csv(&region.region), region.visits);
        }
        text
    }
}

/// The `count` regions whose exclusive values of `metric` are largest, with the visits of the
/// metric `visits`, if there is one.
///
/// # Errors
/// Damage of the file that the values come from.
pub fn top_regions(rows: &dyn Rows, metric: MetricId, count: usize) -> Result<TopRegions> {
    let report = rows.report();
    let visits = report.metric("visits");
    let options = StatisticsOptions::default();
    let mut regions = Vec::new();
    for subject in subjects(report, &options)? {
        let total = |metric, call_paths: &[CallPathId], mode| -> Result<f64> {
            Ok(sum(rows, metric, call_paths, mode)?.iter().sum())
        };
        regions.push(RegionTime {
            visits: match visits {
                Some(visits) => total(visits, &subject.call_paths, Mode::Exclusive)?,
                None => 0.0,
            },
            exclusive: total(metric, &subject.call_paths, Mode::Exclusive)?,
            inclusive: total(metric, &subject.outermost, Mode::Inclusive)?,
            region: subject.name,
        });
    }
    regions.sort_by(|a, b| b.exclusive.total_cmp(&a.exclusive));
    regions.truncate(count);
    let metric = &report.metrics[metric];
    Ok(TopRegions { metric: metric.unique_name.clone(), unit: metric.unit.clone(), regions })
}
