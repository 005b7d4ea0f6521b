//! Where each call path lies: what detectors ask for each construct, found for all call paths in
//! one pass. A call tree may have 100,000 levels or as many constructs in one parallel region, so
//! that a walk for each construct, up to its team or down through its code, would take hours.

use std::collections::HashMap;

use pompeii_model::{CallId, IndexVec, RegionId, Role};

use super::is_barrier;
use crate::Lens;

/// A table for each question.
pub(super) struct Paths {
    /// The call paths that end in each region, ascending.
    pub(super) by_region: IndexVec<RegionId, Vec<CallId>>,
    /// The taskwaits in each single, in the innermost one.
    pub(super) taskwaits: HashMap<CallId, Vec<CallId>>,
    /// All barriers.
    pub(super) barriers: Vec<CallId>,
    /// The outermost parallel region around the call path, or itself.
    pub(super) outermost_parallel: IndexVec<CallId, Option<CallId>>,
    /// The innermost one.
    pub(super) parallel: IndexVec<CallId, Option<CallId>>,
    /// The innermost code for one thread of a team, itself included: single, master, masked.
    pub(super) for_one: IndexVec<CallId, Option<CallId>>,
    /// The innermost construct or function: bodies and chunks have no line of their own.
    pub(super) construct: IndexVec<CallId, Option<CallId>>,
    /// The innermost part of the call path that has a place in the source.
    pub(super) with_source: IndexVec<CallId, Option<CallId>>,
    /// Time in the call path and all below it, on all locations.
    pub(super) execution: IndexVec<CallId, i64>,
}

impl Paths {
    pub(super) fn new(lens: &Lens) -> Self {
        let tree = &lens.cube.calls;
        let is_for_one = |role| matches!(role, Role::SingleBody | Role::Master | Role::Masked);
        Self {
            by_region: lens.calls_by_region(),
            taskwaits: taskwaits(lens),
            barriers: tree.ids().filter(|&call| is_barrier(lens.role(call))).collect(),
            outermost_parallel: lens.outermost_parallels(),
            parallel: tree.innermost(|call| lens.role(call) == Role::Parallel),
            for_one: tree.innermost(|call| is_for_one(lens.role(call))),
            construct: tree.innermost(|call| !is_body(lens.role(call))),
            with_source: tree.innermost(|call| !lens.region(call).file.is_empty()),
            execution: match lens.metric("execution") {
                Some(metric) => lens.cube.all_inclusive(metric),
                None => tree.ids().map(|_| 0).collect(),
            },
        }
    }
}

fn is_body(role: Role) -> bool {
    matches!(
        role,
        Role::Section | Role::SingleBody | Role::CriticalBody | Role::OrderedBody | Role::Chunk
    )
}

fn taskwaits(lens: &Lens) -> HashMap<CallId, Vec<CallId>> {
    let tree = &lens.cube.calls;
    let singles = tree.innermost(|call| lens.role(call) == Role::Single);
    let mut found: HashMap<CallId, Vec<CallId>> = HashMap::new();
    for call in tree.ids().filter(|&call| lens.role(call) == Role::Taskwait) {
        if let Some(single) = singles[call] {
            found.entry(single).or_default().push(call);
        }
    }
    found
}
