//! Which location created how many tasks. The compiler makes the tasks of a taskloop, so each of
//! them is counted at its first event, on the location that executes it. A location that has not
//! visited the taskloop has created none of these tasks.

use pompeii_model::{CallId, IndexVec, LocationId, Role};

use crate::Lens;

/// The tasks that each location created at some call paths.
pub(crate) fn created_by(lens: &Lens, calls: &[CallId]) -> IndexVec<LocationId, i64> {
    let mut created: IndexVec<LocationId, i64> =
        lens.cube.system.locations.iter().map(|_| 0).collect();
    for &call in calls {
        created.iter_mut().zip(created_at(lens, call).iter()).for_each(|(sum, more)| *sum += more);
    }
    created
}

/// The tasks that each location created at a call path. What locations without a visit of a
/// taskloop have counted there belongs to those of their process that have visited it, in
/// proportion to their visits.
pub(crate) fn created_at(lens: &Lens, call: CallId) -> IndexVec<LocationId, i64> {
    let mut counted = lens.by_location("tasks_created", &[call]);
    if lens.role(call) == Role::Taskloop {
        let visits = lens.by_location("visits", &[call]);
        for process in lens.cube.system.locations_by_process().iter() {
            move_to_visitors(process, &visits, &mut counted);
        }
    }
    counted
}

fn move_to_visitors(
    process: &[LocationId],
    visits: &IndexVec<LocationId, i64>,
    counted: &mut IndexVec<LocationId, i64>,
) {
    let all_visits: i64 = process.iter().map(|&at| visits[at]).sum();
    if all_visits <= 0 {
        return;
    }
    let mut moved = 0;
    for &at in process.iter().filter(|&&at| visits[at] == 0) {
        moved += std::mem::take(&mut counted[at]);
    }
    // Cumulative rounding: the parts add up to what is moved.
    let part =
        |visits: i64| (i128::from(moved) * i128::from(visits) / i128::from(all_visits)) as i64;
    let mut before = 0;
    for &at in process {
        counted[at] += part(before + visits[at]) - part(before);
        before += visits[at];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn created(text: &str) -> Vec<i64> {
        let cube = crate::derive(&crate::notation::cube(text).unwrap());
        let lens = Lens::new(&cube);
        let calls: Vec<CallId> = cube.calls.ids().collect();
        created_by(&lens, &calls).iter().copied().collect()
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
