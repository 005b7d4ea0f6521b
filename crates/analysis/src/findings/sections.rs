//! Sections: their number bounds what an even spread of the work brings. Threads take them as they
//! come, so which thread is late means nothing; the longest section is the same in each visit.

use std::cmp::Ordering;

use pompeii_model::{CallId, Role, Ticks};

use super::fractions::divide;
use super::imbalance::Parts;
use super::{Cause, Gain, Search};

/// Numbers of sections and their times.
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

/// Sections cannot be spread over more threads than there are sections, unless long ones are split.
/// If each thread has one at most, a visit takes as long as the longest. If there are more, the
/// waiting ends with an even spread.
pub(super) fn sections(units: &Units, parts: &Parts) -> (Cause, Gain) {
    let even = units.most - units.mean;
    let one_each = || Gain::between(even, even, parts.mean().max(even));
    let are_equal = even.saturating_mul(10) < units.most;
    match units.count.cmp(&parts.members) {
        _ if units.visits == 0 => (Cause::ImbalanceSteady, parts.redistributed()),
        // The sections are equally long: only more of them would help.
        Ordering::Less if are_equal => (Cause::FewUnits, parts.balanced()),
        Ordering::Less => (Cause::ImbalanceSteady, one_each()),
        Ordering::Equal if !are_equal => (Cause::ImbalanceSteady, one_each()),
        Ordering::Equal | Ordering::Greater => (Cause::ImbalanceSteady, parts.balanced()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of three sections takes 400 ms and the others 100 ms each, on four threads: even
    /// sections would take 200 ms, and four equal parts 150 ms.
    #[test]
    fn long_sections_can_be_split_for_the_other_threads() {
        let units = |mean, most| Units { count: 3, mean, most, visits: 10 };
        let parts = Parts::new(&[0, 300, 300, 400]).unwrap();
        let uneven = sections(&units(200, 400), &parts);
        assert_eq!(uneven, (Cause::ImbalanceSteady, Gain::between(200, 200, 250)));
        // Two threads wait for half a visit of the longer section each, in turn.
        let two = Parts::new(&[100, 110]).unwrap();
        let units_of_two = Units { count: 2, mean: 300, most: 400, visits: 10 };
        let in_turn = sections(&units_of_two, &two);
        assert_eq!(in_turn, (Cause::ImbalanceSteady, Gain::between(100, 100, 105)));
        let units_of_more = Units { count: 5, ..units_of_two };
        assert_eq!(sections(&units_of_more, &two), (Cause::ImbalanceSteady, two.balanced()));
        let parts = Parts::new(&[0, 0, 0, 200]).unwrap();
        let equal = sections(&units(200, 200), &parts);
        assert_eq!(equal, (Cause::FewUnits, Gain::between(30, 50, 50)));
    }
}
