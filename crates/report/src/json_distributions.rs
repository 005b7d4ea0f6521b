//! Distributions in the machine-readable report: task instances, and single visits.

use pompeii_analysis::TaskInstances;
use pompeii_model::{CallId, Cube, Distribution, Frequency, Id, Moments};
use schemars::JsonSchema;
use serde::Serialize;

/// The instances of a task construct.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonTasks {
    /// The construct: an index into `regions`.
    pub region: usize,
    /// How long creating an instance took.
    pub creation: JsonDistribution,
    /// Time from the creation of an instance to its begin.
    pub waiting: JsonDistribution,
    /// How long an instance ran, without the time in which it was suspended.
    pub execution: JsonDistribution,
    /// Number of instances that were executed at once and only counted.
    pub undeferred: i64,
}

/// Inclusive times of single visits of a call path, over all locations.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonVisitTimes {
    /// An index into `call_paths`.
    pub call_path: usize,
    /// Number of visits.
    pub count: u64,
    /// Sum of the times.
    pub sum_s: f64,
    /// Their mean.
    pub mean_s: f64,
    /// Their standard deviation.
    pub deviation_s: f64,
    /// The shortest.
    pub min_s: f64,
    /// The longest.
    pub max_s: f64,
}

/// Describes the visits of one call path.
pub fn json_visit_times(cube: &Cube, (call, of): &(CallId, Moments)) -> JsonVisitTimes {
    let seconds = |ticks: f64| ticks / cube.clock.ticks_per_second();
    JsonVisitTimes {
        call_path: call.index(),
        count: of.count,
        sum_s: cube.clock.seconds(of.sum),
        mean_s: seconds(of.mean()),
        deviation_s: seconds(of.deviation()),
        min_s: cube.clock.seconds(of.min),
        max_s: cube.clock.seconds(of.max),
    }
}

/// A distribution of times.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonDistribution {
    /// Number of values.
    pub count: u64,
    /// Sum of the times.
    pub sum_s: f64,
    /// Their mean; 0 without values.
    pub mean_s: f64,
    /// Their standard deviation; 0 without values.
    pub deviation_s: f64,
    /// The shortest; `null` without values.
    pub min_s: Option<f64>,
    /// The longest; `null` without values.
    pub max_s: Option<f64>,
    /// Bins that double in width, those without values left out.
    pub histogram: Vec<JsonBin>,
}

/// A bin of a histogram.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonBin {
    /// The shortest time that belongs to it.
    pub from_s: f64,
    /// All times that belong to it are below this one.
    pub below_s: f64,
    /// Number of values.
    pub count: u64,
}

/// Describes one construct.
pub fn json_tasks(cube: &Cube, of: &TaskInstances) -> JsonTasks {
    JsonTasks {
        region: of.region.index(),
        creation: distribution(cube.clock, &of.creation),
        waiting: distribution(cube.clock, &of.waiting),
        execution: distribution(cube.clock, &of.execution),
        undeferred: of.undeferred,
    }
}

/// Describes the values of a distribution, which are ticks of this clock.
pub fn distribution(clock: Frequency, of: &Distribution) -> JsonDistribution {
    let Moments { count, min, max, sum, .. } = of.moments;
    let seconds = |ticks: f64| ticks / clock.ticks_per_second();
    let bin =
        |(from, below, count)| JsonBin { from_s: seconds(from), below_s: seconds(below), count };
    JsonDistribution {
        count,
        sum_s: clock.seconds(sum),
        mean_s: seconds(of.moments.mean()),
        deviation_s: seconds(of.moments.deviation()),
        min_s: (count > 0).then(|| clock.seconds(min)),
        max_s: (count > 0).then(|| clock.seconds(max)),
        histogram: of.histogram().map(bin).collect(),
    }
}
