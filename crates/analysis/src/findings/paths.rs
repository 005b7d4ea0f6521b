//! Where each call path lies: what detectors ask for each construct, found for all call paths in
//! one pass. A call tree may have 100,000 levels or as many constructs in one parallel region, so
//! that a walk for each construct, up to its team or down through its code, would take hours.

use std::collections::HashMap;

use pompeii_model::{CallId, Code, Cube, IndexVec, Region, RegionId, Role};

use super::is_barrier;
use crate::Lens;

/// A table for each question.
pub(super) struct Paths {
    /// The call paths that end in each region, ascending.
    pub(super) by_region: IndexVec<RegionId, Vec<CallId>>,
    /// Where one thread waits for tasks in each single, and in the code of each parallel region
    /// that is for one thread: taskwaits, ends of taskgroups, taskloops.
    pub(super) taskwaits: HashMap<CallId, Vec<CallId>>,
    /// All barriers.
    pub(super) barriers: Vec<CallId>,
    /// The outermost parallel region around the call path, or itself.
    pub(super) outermost_parallel: IndexVec<CallId, Option<CallId>>,
    /// The innermost one.
    pub(super) parallel: IndexVec<CallId, Option<CallId>>,
    /// The innermost code for one thread of a team, itself included: single, master, masked.
    pub(super) for_one: IndexVec<CallId, Option<CallId>>,
    /// The innermost construct or function: bodies and chunks have no line of their own, and a
    /// function of the system is a part of its caller.
    pub(super) construct: IndexVec<CallId, Option<CallId>>,
    /// The innermost part of the call path that has a place in the source.
    pub(super) with_source: IndexVec<CallId, Option<CallId>>,
    /// Time in the call path and all below it, on all locations.
    pub(super) execution: IndexVec<CallId, i64>,
}

impl Paths {
    pub(super) fn new(lens: &Lens) -> Self {
        let tree = &lens.cube.calls;
        Self {
            by_region: lens.calls_by_region(),
            taskwaits: taskwaits(lens),
            barriers: tree.ids().filter(|&call| is_barrier(lens.role(call))).collect(),
            outermost_parallel: lens.outermost_parallels(),
            parallel: tree.innermost(|call| lens.role(call) == Role::Parallel),
            for_one: tree.innermost(|call| lens.role(call).code() == Code::One),
            construct: tree.innermost(|call| !is_part(lens.region(call))),
            with_source: tree.innermost(|call| !lens.region(call).file.is_empty()),
            execution: match lens.metric("execution") {
                Some(metric) => lens.cube.all_inclusive(metric),
                None => tree.ids().map(|_| 0).collect(),
            },
        }
    }
}

/// Whether it is the barrier at the end of a parallel region.
pub(super) fn ends_team(lens: &Lens, call: CallId) -> bool {
    let parent = lens.cube.calls.parent(call);
    lens.role(call) == Role::ImplicitBarrier
        && parent.is_some_and(|parent| lens.role(parent) == Role::Parallel)
}

/// The innermost construct or function of a call path: itself, unless it is a body, a chunk, or a
/// function of the system.
pub fn construct(cube: &Cube, call: CallId) -> CallId {
    let is_construct = |at: &CallId| !is_part(&cube.regions[cube.calls.region(*at)]);
    cube.calls.ancestors(call).find(is_construct).unwrap_or(call)
}

/// The innermost code of a call path that is the program's own, and not a function of the system.
pub(super) fn own_code(cube: &Cube, call: CallId) -> CallId {
    let is_own = |at: &CallId| !cube.regions[cube.calls.region(*at)].is_of_system();
    cube.calls.ancestors(call).find(is_own).unwrap_or(call)
}

fn is_part(region: &Region) -> bool {
    let is_body = matches!(
        region.role,
        Role::Section | Role::SingleBody | Role::CriticalBody | Role::OrderedBody | Role::Chunk
    );
    is_body || region.is_of_system()
}

fn taskwaits(lens: &Lens) -> HashMap<CallId, Vec<CallId>> {
    let tree = &lens.cube.calls;
    let singles = tree.innermost(|call| lens.role(call) == Role::Single);
    let parallels = tree.innermost(|call| lens.role(call) == Role::Parallel);
    let masters = tree.innermost(|call| {
        let role = lens.role(call);
        role.code() == Code::One && !role.is_body()
    });
    let waits = |role| matches!(role, Role::Taskwait | Role::TaskgroupEnd | Role::Taskloop);
    let mut found: HashMap<CallId, Vec<CallId>> = HashMap::new();
    for call in tree.ids().filter(|&call| waits(lens.role(call))) {
        // After a single with nowait, or a master, the others wait at the end of the region.
        let for_one = singles[call].or(masters[call]);
        let region = for_one.and_then(|_| parallels[call]);
        for scope in singles[call].into_iter().chain(region) {
            found.entry(scope).or_default().push(call);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    /// Thread 0 waits for tasks and executes some of them. The others wait at the barrier after the
    /// code for one thread, wherever it lies.
    #[test]
    fn waits_for_tasks_are_found_in_all_code_for_one_thread() {
        let named = |for_one: &str, barrier: &str, wait: &str| {
            let cube = crate::notation::cube(&format!(
                "wall=500 locations=2
                 a/parallel@a.c:2                     *  time=10 visits=1
                 a/parallel@a.c:2/{for_one}           0  time=10 visits=1
                 a/parallel@a.c:2/{for_one}/{wait}    0  time=10 visits=90
                 a/parallel@a.c:2/{for_one}/{wait}/task@a.c:5  0  task_time=460
                 a/parallel@a.c:2/{barrier}           1  time=250 visits=1 omp_ibarrier_wait=240 \
                 omp_ebarrier_wait=240
                 a/parallel@a.c:2/{barrier}           0  visits=1 omp_barrier_last=1
                 a/parallel@a.c:2/{barrier}/task@a.c:5  1  task_time=230
                 TASKS/task@a.c:5                     0  time=460 visits=90
                 TASKS/task@a.c:5                     1  time=230 visits=90",
            ));
            let found = crate::findings(&crate::derive(&cube.unwrap())).swap_remove(0);
            (found.place, found.cause.map(|cause| cause.code()))
        };
        let is_found = |line: &str| (line.to_owned(), Some("taskwait_in_loop"));
        let single = "single@a.c:3/single sblock@a.c:3";
        let (inner, end) = ("single@a.c:3/implicit barrier@a.c:8", "implicit barrier@a.c:9");
        let group = "taskgroup@a.c:6/taskgroup end@a.c:7";
        assert_eq!(named(single, inner, group), is_found("a.c:6"));
        assert_eq!(named(single, end, "taskwait@a.c:7"), is_found("a.c:7"));
        assert_eq!(named("master@a.c:3", end, "taskwait@a.c:7"), is_found("a.c:7"));
        assert_eq!(named("masked@a.c:3", "barrier@a.c:9", group), is_found("a.c:6"));
        // What is for all threads is not what one of them is late by.
        assert_ne!(named("for@a.c:3", end, "taskwait@a.c:7").1, Some("taskwait_in_loop"));
    }
}
