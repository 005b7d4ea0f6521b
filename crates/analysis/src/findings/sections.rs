//! Sections: their number bounds what an even spread of the work brings.

use pompeii_model::{CallId, Role, Ticks};

use super::barriers::divide;
use super::imbalance::Parts;
use super::{Cause, Gain, Search};

/// Numbers of sections and their times, where the construct has fewer than threads.
pub(super) struct Units {
    count: i64,
    mean: Ticks,
    most: Ticks,
    visits: i64,
}

pub(super) fn units(search: &Search, scope: CallId) -> Option<Units> {
    let lens = &search.lens;
    let tree = &lens.cube.calls;
    let half = |&call: &CallId| lens.role(call) == Role::Sections;
    let own = tree.children(scope).iter().copied().find(half);
    let sections = if half(&scope) { scope } else { own? };
    let is_section = |&call: &CallId| lens.role(call) == Role::Section;
    let all: Vec<CallId> = tree.children(sections).iter().copied().filter(is_section).collect();
    let times: Vec<Ticks> = all.iter().map(|&call| search.paths.execution[call]).collect();
    let most = times.iter().copied().max()?;
    let count = all.len() as i64;
    Some(Units {
        count,
        mean: divide(times.iter().sum(), count),
        most,
        visits: lens.own("visits", all[0]),
    })
}

/// Sections cannot be spread over more threads than there are sections.
pub(super) fn sections(units: &Units, parts: &Parts) -> (Cause, Gain) {
    let even = units.most - units.mean;
    match units.count < parts.members && units.visits > 0 {
        // The sections are equally long: only more of them would help.
        true if even * 10 < units.most => (Cause::FewUnits, parts.balanced()),
        true => (Cause::ImbalanceSteady, Gain::about(even)),
        false => (Cause::ImbalanceSteady, parts.redistributed()),
    }
}
