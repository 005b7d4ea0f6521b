//! How many tasks were created where and by whom.
//!
//! The compiler makes the tasks of a taskloop, so each of them is counted at its first event, on
//! the location that executes it. A location that has not visited the taskloop has created none of
//! them.

use pompeii_model::{CallId, Id, LocationId, Role, Row, Unit};

use super::{Compute, Doc, Property};
use crate::profile::Profile;

/// Tasks created.
pub const PROPERTY: Property = Property {
    name: "tasks_created",
    title: "Tasks created",
    parent: Some("tasks"),
    unit: Unit::Count,
    compute: Compute::Row(created),
    gain: "",
    doc: Doc {
        measures: "Number of created tasks, at the task construct and on the creating thread.",
        formula: "+1 for each deferred task. Tasks of a taskloop count for the threads that visited \
            it.",
        cost: "See omp_task_creation.",
        recognise: "If all are on one thread, see task_creation_bottleneck. If there are fewer \
            than ten per thread, see tasks_too_few.",
        remedy: "Ten to a thousand tasks per thread, of at least some tens of microseconds each, \
            are good.",
        example: "12 tasks on 8 threads: four threads execute two, four threads execute one.",
    },
};

/// The tasks that each location created at a call path. What locations without a visit of a
/// taskloop have counted there belongs to those of their process that have visited it, in
/// proportion to their visits.
fn created(profile: &Profile, call: CallId) -> Row {
    let cube = profile.cube;
    let Some(metric) = cube.metric("tasks_created") else { return Row::default() };
    let counted = cube.shared_row(metric, call);
    let visits = cube.metric("visits").filter(|_| {
        cube.regions[cube.calls.region(call)].role == Role::Taskloop && !counted.is_empty()
    });
    let Some(visits) = visits else { return counted };
    let visits = |at: LocationId| cube.get(visits, call, at);
    let mut created: Vec<i64> = cube.system.locations.ids().map(|at| counted.get(at)).collect();
    for process in cube.system.locations_by_process().iter() {
        move_to_visitors(process, visits, &mut created);
    }
    Row::new(created)
}

fn move_to_visitors(
    process: &[LocationId],
    visits: impl Fn(LocationId) -> i64,
    created: &mut [i64],
) {
    let all_visits: i64 = process.iter().map(|&at| visits(at)).sum();
    if all_visits <= 0 {
        return;
    }
    let mut moved = 0;
    for &at in process.iter().filter(|&&at| visits(at) == 0) {
        moved += std::mem::take(&mut created[at.index()]);
    }
    // Cumulative rounding: the parts add up to what is moved.
    let part =
        |visits: i64| (i128::from(moved) * i128::from(visits) / i128::from(all_visits)) as i64;
    let mut before = 0;
    for &at in process {
        created[at.index()] += part(before + visits(at)) - part(before);
        before += visits(at);
    }
}

#[cfg(test)]
mod tests {
    fn created(text: &str) -> Vec<i64> {
        let cube = crate::derive(&crate::notation::cube(text).unwrap());
        let metric = cube.metric("tasks_created").unwrap();
        cube.system.locations.ids().map(|at| cube.total_at(metric, at)).collect()
    }

    #[test]
    fn tasks_of_a_taskloop_belong_to_the_thread_that_visited_it() {
        let one = "wall=100 locations=3
             a/parallel@a.c:2                  *  time=100 visits=1
             a/parallel@a.c:2/taskloop@a.c:3   1  time=90 visits=2 tasks_created=10
             a/parallel@a.c:2/taskloop@a.c:3   2  tasks_created=30
             a/parallel@a.c:2/task_create@a.c:9   0  visits=4 tasks_created=4";
        assert_eq!(created(one), [4, 40, 0]);
    }

    #[test]
    fn several_visitors_share_what_others_have_counted() {
        let two = "wall=100 locations=3
             a/parallel@a.c:2                  *  time=100 visits=1
             a/parallel@a.c:2/taskloop@a.c:3   0  time=90 visits=1 tasks_created=5
             a/parallel@a.c:2/taskloop@a.c:3   1  time=90 visits=2 tasks_created=6
             a/parallel@a.c:2/taskloop@a.c:3   2  tasks_created=10";
        assert_eq!(created(two), [8, 13, 0]);
    }
}
