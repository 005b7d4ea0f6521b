//! What one location did longer than another one. Regions are compared: a function in which both
//! spent the same time has made neither of them late, even if they called it from different places.
//! What a location did longer in a region is divided among the call paths that end with it, in
//! proportion to what it did longer in each of them.

use pompeii_model::{Region, RegionId, Role};

use crate::blame::part;
use crate::definitions::Definitions;
use crate::engine::tree::{NodeId, SharedTree};
use crate::times::Times;
use crate::totals::Totals;

/// The regions of all call paths.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    of: Vec<RegionId>,
    /// The call paths around them.
    around: Vec<NodeId>,
}

impl Regions {
    /// Takes the call paths that are new.
    pub(crate) fn learn(&mut self, tree: &SharedTree) {
        let new = tree.nodes(self.of.len());
        self.of.extend(new.iter().map(|node| node.region));
        self.around.extend(new.iter().map(|node| node.parent));
    }

    /// The time of a location with a lock that it has taken at `call`. What it did in the construct
    /// that calls the lock routine becomes time of this call, if the trace has its place. In
    /// a critical section the body has this time; a construct that calls a routine has other time,
    /// too, and does not tell where the lock was taken. A function that calls it has a name that
    /// people look for, and keeps its time.
    pub(crate) fn with_lock(&self, definitions: &Definitions, times: Times, call: NodeId) -> Times {
        let Some(construct) = self.construct_of_call(definitions, call) else { return times };
        let mut moved = Times::default();
        for (node, ticks) in times.iter() {
            moved.add(if node == construct { call } else { node }, ticks);
        }
        moved
    }

    /// The construct that calls a lock routine at a known place.
    fn construct_of_call(&self, definitions: &Definitions, call: NodeId) -> Option<NodeId> {
        let region = |node: NodeId| definitions.regions.get(*self.of.get(node.0 as usize)?);
        let around = *self.around.get(call.0 as usize)?;
        let has_place = |routine: &Region| routine.role == Role::Lock && routine.begin_line > 0;
        let is_function = matches!(region(around)?.role, Role::Function | Role::User);
        (has_place(region(call)?) && !is_function).then_some(around)
    }

    /// What a location did longer than another one, by call path.
    pub(crate) fn excess(&self, late: &Times, other: &Times) -> Vec<(NodeId, i64)> {
        let region =
            |node: NodeId| self.of.get(node.0 as usize).copied().unwrap_or(RegionId(u32::MAX));
        // By region: what both did, the first one as a positive number, and the excess of all its
        // call paths.
        let (mut both, mut longer) = (Totals::default(), Totals::default());
        let mut excess = Vec::with_capacity(late.len());
        for (node, ticks) in late.iter().filter(|(_, ticks)| *ticks > 0) {
            let ticks_longer = (ticks - other.get(node).max(0)).max(0);
            both.add(region(node), ticks);
            longer.add(region(node), ticks_longer);
            excess.push((node, ticks_longer));
        }
        for (node, ticks) in other.iter().filter(|(_, ticks)| *ticks > 0) {
            both.add(region(node), -ticks);
        }
        let mut given = Totals::default();
        for (node, ticks) in &mut excess {
            let region = region(*node);
            let (whole, wanted) = (longer.get(region), both.get(region).max(0));
            if wanted < whole {
                let before = given.get(region);
                given.add(region, *ticks);
                let up_to = |ticks: i64| part(wanted, ticks.into(), whole.into());
                *ticks = up_to(before + *ticks) - up_to(before);
            }
        }
        excess
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::tree::{PROGRAM, TASKS};
    use pompeii_model::LocationId;

    const WORK: RegionId = RegionId(7);

    /// Call paths `work`, `f/work` and `g/work`, and the times of a location in them.
    fn check(late: [i64; 3], other: [i64; 3], expected: [i64; 3]) {
        let tree = SharedTree::new(RegionId(0), RegionId(1));
        let child = |parent, region| tree.child(parent, region, (0, LocationId(0)));
        let (f, g) = (child(PROGRAM, RegionId(5)), child(PROGRAM, RegionId(6)));
        let paths = [PROGRAM, f, g].map(|parent| child(parent, WORK));
        let mut regions = Regions::default();
        regions.learn(&tree);
        let times = |ticks: [i64; 3]| {
            let mut times = Times::default();
            paths.into_iter().zip(ticks).for_each(|(path, ticks)| times.add(path, ticks));
            times.add(TASKS, 5);
            times
        };
        let found = regions.excess(&times(late), &times(other));
        let of = |path| found.iter().find(|(node, _)| *node == path).map_or(0, |(_, ticks)| *ticks);
        assert_eq!(paths.map(of), expected);
        assert_eq!(of(TASKS), 0);
    }

    #[test]
    fn the_same_function_called_from_other_places_makes_no_location_late() {
        check([0, 30, 0], [0, 0, 30], [0, 0, 0]);
        check([0, 30, 0], [0, 30, 0], [0, 0, 0]);
        check([0, 30, 0], [0, 0, 20], [0, 10, 0]);
        check([0, 20, 0], [0, 0, 30], [0, 0, 0]);
    }

    #[test]
    fn the_excess_of_a_region_is_divided_and_nothing_of_it_is_lost() {
        // 60 - 20 ticks, of which `f` has 30 of 50 and `g` 20 of 50.
        check([0, 30, 30], [10, 0, 10], [0, 24, 16]);
        // One tick in all, and each of three paths has one more.
        check([1, 1, 1], [0, 0, 0], [1, 1, 1]);
        check([3, 1, 1], [1, 0, 0], [2, 1, 1]);
        check([9, 1, 1], [10, 0, 0], [0, 0, 1]);
    }

    #[test]
    fn call_paths_that_come_later_are_learned() {
        let tree = SharedTree::new(RegionId(0), RegionId(1));
        let mut regions = Regions::default();
        regions.learn(&tree);
        let place = (0, LocationId(0));
        let one = tree.child(PROGRAM, WORK, place);
        let other = tree.child(TASKS, WORK, place);
        regions.learn(&tree);
        let of = |node| {
            let mut times = Times::default();
            times.add(node, 8);
            times
        };
        assert_eq!(regions.excess(&of(one), &of(other)), [(one, 0)]);
        assert_eq!(regions.excess(&of(one), &of(PROGRAM)), [(one, 8)]);
    }
}
