//! Times of task instances, per construct over all locations.

use pompeii_model::{Cube, Distribution, RegionId, Role, TaskTime};

use crate::Lens;

/// A task construct with what is known of its instances. Times are clock ticks.
#[derive(Clone, Debug)]
pub struct TaskInstances {
    /// The task's region.
    pub region: RegionId,
    /// Creating it.
    pub creation: Distribution,
    /// From the begin of its creation to the begin of its execution.
    pub waiting: Distribution,
    /// Executing it.
    pub execution: Distribution,
    /// Instances executed at once and counted only.
    pub undeferred: i64,
}

impl TaskInstances {
    /// The times with their names.
    pub fn times(&self) -> [(TaskTime, &Distribution); 3] {
        [
            (TaskTime::Creation, &self.creation),
            (TaskTime::Waiting, &self.waiting),
            (TaskTime::Execution, &self.execution),
        ]
    }
}

/// All task constructs that have timed instances, the one with the most time first.
pub fn task_instances(cube: &Cube) -> Vec<TaskInstances> {
    let mut regions: Vec<RegionId> = cube.task_times.iter().map(|times| times.region).collect();
    regions.sort();
    regions.dedup();
    let of = |region: RegionId| {
        let sum = |time: TaskTime| {
            let mut all = Distribution::default();
            let here = cube.task_times.iter().filter(|t| (t.region, t.time) == (region, time));
            here.for_each(|times| all.join(&times.ticks));
            all
        };
        TaskInstances {
            region,
            creation: sum(TaskTime::Creation),
            waiting: sum(TaskTime::Waiting),
            execution: sum(TaskTime::Execution),
            undeferred: undeferred(cube, region),
        }
    };
    let mut found: Vec<TaskInstances> = regions.into_iter().map(of).collect();
    found.sort_by_key(|of| (-of.execution.moments.sum, of.region));
    found
}

/// The construct's instances that were counted only: at its creation, which begins where it does.
fn undeferred(cube: &Cube, task: RegionId) -> i64 {
    let lens = Lens::new(cube);
    let task = &cube.regions[task];
    let creates = |region: &pompeii_model::Region| {
        matches!(region.role, Role::TaskCreate | Role::Taskloop) && region.begin() == task.begin()
    };
    let calls = cube.calls.ids().filter(|&call| creates(lens.region(call)));
    calls.map(|call| lens.own("tasks_undeferred", call)).sum()
}
