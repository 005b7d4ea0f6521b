//! Times of task instances: live state's records become the cube's lists, and values of the type
//! that Cube has for statistics (`TAU_ATOMIC`) at the roots of the task trees.

use std::collections::BTreeMap;

use pompeii_cubex::{self as cubex, DataType, Value};
use pompeii_live::{Definition, TaskRecord, task_time};
use pompeii_model::{
    CallId, Cube, Distribution, Id, LocationId, Moments, RegionId, TaskTime, TaskTimes,
};

use crate::severities::Place;
use crate::visit_times::{signed, statistics};

/// All times of a process, by region, location and time.
pub fn of(place: &Place) -> Vec<TaskTimes> {
    let mut found: BTreeMap<(RegionId, LocationId, TaskTime), Distribution> = BTreeMap::new();
    let is_region = |definition: &&Definition| matches!(definition, Definition::Region { .. });
    let regions = place.live.definitions.iter().filter(is_region).count();
    for (position, location) in place.live.locations.iter().enumerate() {
        for record in &location.task_records {
            let time = match record.time {
                task_time::CREATION => TaskTime::Creation,
                task_time::WAITING => TaskTime::Waiting,
                task_time::EXECUTION => TaskTime::Execution,
                _ => continue,
            };
            let distribution = distribution(record);
            let region = RegionId(record.region);
            if distribution.moments.count > 0 && region.index() < regions {
                let key = (region, place.location(position), time);
                found.entry(key).or_default().join(&distribution);
            }
        }
    }
    let times = |((region, location, time), ticks)| TaskTimes { region, location, time, ticks };
    found.into_iter().map(times).collect()
}

fn distribution(record: &TaskRecord) -> Distribution {
    let used = record.bins.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
    let bins: Vec<u64> = record.bins[..used].iter().map(|&count| u64::from(count)).collect();
    let moments = Moments {
        count: bins.iter().sum(),
        min: signed(record.min_ticks),
        max: signed(record.max_ticks),
        sum: signed(record.sum_ticks),
        sum_of_squares: record.squares(),
    };
    Distribution { moments, bins }
}

/// The metrics of the times that the cube has.
pub fn metrics(cube: &Cube) -> Vec<(TaskTime, cubex::Metric)> {
    let measured = |time: &TaskTime| cube.task_times.iter().any(|times| times.time == *time);
    let metric = |time: TaskTime| {
        let (word, what) = match time {
            TaskTime::Creation => ("creation", "creating a task"),
            TaskTime::Waiting => ("waiting", "a task's creation to its begin"),
            TaskTime::Execution => ("execution", "executing a task"),
        };
        let metric = cubex::Metric {
            unique_name: format!("task_{word}_time"),
            display_name: format!("Task {word} time"),
            data_type: DataType::TauAtomic,
            unit: "sec".to_owned(),
            description: format!("Per instance: number, extremes, sum of the time of {what}"),
            ..cubex::Metric::default()
        };
        (time, metric)
    };
    TaskTime::ALL.into_iter().filter(measured).map(metric).collect()
}

/// The values of one time at one call path, by location; `None` where it is no task's tree.
pub fn row(cube: &Cube, time: TaskTime, call: CallId) -> Option<Vec<Value>> {
    let above = cube.calls.parent(call)?;
    let is_tree = cube.calls.region(above) == TASKS_REGION;
    let region = cube.calls.region(call);
    let at = |location: LocationId| {
        // They are sorted by this.
        let place = |of: &TaskTimes| (of.region, of.location, of.time);
        let here = cube.task_times.binary_search_by_key(&(region, location, time), place);
        let moments = here.ok().map(|at| cube.task_times[at].ticks.moments);
        Value::TauAtomic(statistics(cube, &moments.unwrap_or_default()))
    };
    is_tree.then(|| cube.system.locations.ids().map(at).collect())
}

/// The region of the root above task trees: a process defines it second.
const TASKS_REGION: RegionId = RegionId(1);
