//! Which construct a barrier belongs to. An implicit barrier is a call path of its own below its
//! construct, and users know only the construct.

use pompeii_model::{CallId, RegionId, Role};

use crate::Lens;

/// The construct that a barrier belongs to: its region, its words, and its call path. An explicit
/// barrier is one itself.
pub(super) fn owner(lens: &Lens, barrier: CallId) -> (RegionId, String, CallId) {
    let calls = &lens.cube.calls;
    let own = (calls.region(barrier), lens.region(barrier).construct().to_owned(), barrier);
    let Some(parent) = calls.parent(barrier) else { return own };
    if lens.role(barrier) != Role::ImplicitBarrier || !is_construct(lens.role(parent)) {
        return own;
    }
    // A combined construct is measured as its two halves, which begin on one line.
    let begins_there = |&other: &CallId| lens.region(other).begin() == lens.region(parent).begin();
    let half = |&child: &CallId| is_worksharing(lens.role(child)) && begins_there(&child);
    let word = lens.region(parent).construct();
    let inner = calls.children(parent).iter().copied().find(half);
    let outer =
        calls.parent(parent).filter(|&p| lens.role(p) == Role::Parallel && begins_there(&p));
    let construct = match (lens.role(parent), inner, outer) {
        (Role::Parallel, Some(inner), _) => format!("parallel {}", lens.region(inner).construct()),
        (Role::Parallel, None, _) => word.to_owned(),
        (_, _, Some(_)) => format!("parallel {word}"),
        _ => word.to_owned(),
    };
    (calls.region(parent), construct, parent)
}

fn is_worksharing(role: Role) -> bool {
    matches!(role, Role::Loop | Role::Sections | Role::Workshare)
}

fn is_construct(role: Role) -> bool {
    is_worksharing(role) || matches!(role, Role::Parallel | Role::Single)
}
