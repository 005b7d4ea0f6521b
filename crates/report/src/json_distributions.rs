//! Distributions in the machine-readable report: task instances, and single visits.

use pompeii_analysis::TaskInstances;
use pompeii_model::{CallId, Cube, Distribution, Id, Moments};
use serde::Serialize;

/// The instances of a task construct; `region` is an index into `regions`.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "see pompeii_analysis::TaskInstances")]
pub struct JsonTasks {
    pub region: usize,
    pub creation: JsonDistribution,
    pub waiting: JsonDistribution,
    pub execution: JsonDistribution,
    /// Executed at once and counted only.
    pub undeferred: i64,
}

/// Inclusive times of single visits of a call path, over all locations.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "field names are the documentation of the format")]
pub struct JsonVisitTimes {
    pub call_path: usize,
    pub count: u64,
    pub sum_s: f64,
    pub mean_s: f64,
    pub deviation_s: f64,
    pub min_s: f64,
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

/// A distribution of times; extremes are `null` without values.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "field names are the documentation of the format")]
pub struct JsonDistribution {
    pub count: u64,
    pub sum_s: f64,
    pub mean_s: f64,
    pub deviation_s: f64,
    pub min_s: Option<f64>,
    pub max_s: Option<f64>,
    /// Bins that double in width, those without values left out.
    pub histogram: Vec<JsonBin>,
}

/// So many values at least `from_s` and below `below_s`.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "field names are the documentation of the format")]
pub struct JsonBin {
    pub from_s: f64,
    pub below_s: f64,
    pub count: u64,
}

/// Describes one construct.
pub fn json_tasks(cube: &Cube, of: &TaskInstances) -> JsonTasks {
    JsonTasks {
        region: of.region.index(),
        creation: distribution(cube, &of.creation),
        waiting: distribution(cube, &of.waiting),
        execution: distribution(cube, &of.execution),
        undeferred: of.undeferred,
    }
}

fn distribution(cube: &Cube, of: &Distribution) -> JsonDistribution {
    let Moments { count, min, max, sum, .. } = of.moments;
    let seconds = |ticks: f64| ticks / cube.clock.ticks_per_second();
    let bin =
        |(from, below, count)| JsonBin { from_s: seconds(from), below_s: seconds(below), count };
    JsonDistribution {
        count,
        sum_s: cube.clock.seconds(sum),
        mean_s: seconds(of.moments.mean()),
        deviation_s: seconds(of.moments.deviation()),
        min_s: (count > 0).then(|| cube.clock.seconds(min)),
        max_s: (count > 0).then(|| cube.clock.seconds(max)),
        histogram: of.histogram().map(bin).collect(),
    }
}
