//! What scenarios change, by region.

use pompeii_model::{Id, LocationId, RegionId};

use super::clocks::{Clocks, units};
use super::{Scenario, UNIT};
use crate::engine::tree::{NodeId, SharedTree};

/// A scenario changes the time in a region.
#[derive(Clone, Copy, Debug)]
struct Change {
    scenario: usize,
    /// The only location that it changes; `None` stands for all.
    location: Option<LocationId>,
    /// What is added for each tick.
    per_tick: i64,
}

/// The changes of all scenarios.
#[derive(Debug, Default)]
pub(super) struct Rules {
    /// By region.
    changes: Vec<Vec<Change>>,
    /// By region: scenarios in which no thread waits there.
    free: Vec<Vec<usize>>,
    /// By region: scenarios in which all locations arrive there at the mean of their times.
    even: Vec<Vec<usize>>,
    /// Scenarios with a region of the list before.
    some_even: Vec<usize>,
    /// Scenarios in which messages take no time.
    ideal: Vec<usize>,
    /// Scenarios in which waiting for locks keeps its length.
    keeps_lock_waits: Vec<usize>,
    /// The regions of nodes, as far as they were needed.
    regions: Vec<Option<RegionId>>,
}

impl Rules {
    /// Those of these scenarios.
    pub fn new(scenarios: &[Scenario], regions: usize) -> Rules {
        let mut rules = Rules {
            changes: vec![Vec::new(); regions],
            free: vec![Vec::new(); regions],
            even: vec![Vec::new(); regions],
            ..Rules::default()
        };
        for (number, scenario) in scenarios.iter().enumerate() {
            for scaled in &scenario.scaled {
                let (location, per_tick) = (scaled.location, scaled.share.saturating_sub(UNIT));
                let change = Change { scenario: number, location, per_tick };
                if let Some(changes) = rules.changes.get_mut(scaled.region.index()) {
                    changes.push(change);
                }
            }
            let lists =
                [(&scenario.without_waiting, &mut rules.free), (&scenario.even, &mut rules.even)];
            for (regions, of) in lists {
                for region in regions {
                    of.get_mut(region.index()).into_iter().for_each(|all| all.push(number));
                }
            }
            if !scenario.even.is_empty() {
                rules.some_even.push(number);
            }
            if scenario.has_ideal_network {
                rules.ideal.push(number);
            }
            if scenario.keeps_lock_waits {
                rules.keeps_lock_waits.push(number);
            }
        }
        rules
    }

    /// Scenarios in which all locations arrive in a region at the mean of their times.
    pub fn even(&self, region: RegionId) -> &[usize] {
        self.even.get(region.index()).map(Vec::as_slice).unwrap_or_default()
    }

    /// A worker follows the fork of its master. In a scenario in which the master arrives somewhere
    /// at a mean time, possibly before recorded work of its team, the worker goes with it.
    pub fn fork(&self, clocks: &mut Clocks, fork: &Clocks) {
        clocks.join(fork);
        if clocks.time == fork.time {
            clocks.take(fork, &self.some_even);
        }
    }

    /// The region of a node.
    pub fn region(&mut self, tree: &SharedTree, node: NodeId) -> RegionId {
        let place = node.0 as usize;
        if self.regions.len() <= place {
            self.regions.resize(place + 1, None);
        }
        *self.regions[place].get_or_insert_with(|| tree.region(node))
    }

    /// A location works for some time at call paths; less than none takes it back.
    pub fn work(
        &mut self,
        tree: &SharedTree,
        (location, clocks): (LocationId, &mut Clocks),
        times: &[(NodeId, i64)],
    ) {
        for &(node, ticks) in times {
            let region = self.region(tree, node);
            for change in self.changes.get(region.index()).into_iter().flatten() {
                if change.location.is_none_or(|only| only == location) {
                    let late = &mut clocks.late[change.scenario];
                    *late = late.saturating_add(ticks.saturating_mul(change.per_tick));
                }
            }
        }
    }

    /// A location waits at a call path for a moment on another one.
    pub fn wait(&mut self, tree: &SharedTree, (node, clocks): (NodeId, &mut Clocks), to: &Clocks) {
        let region = self.region(tree, node);
        let free = self.free.get(region.index()).map(Vec::as_slice).unwrap_or_default();
        let kept: Vec<i64> = free.iter().map(|scenario| clocks.late[*scenario]).collect();
        let begin = clocks.time;
        clocks.join(to);
        let waited = units(clocks.time - begin);
        for (scenario, late) in free.iter().zip(kept) {
            clocks.late[*scenario] = late.saturating_sub(waited);
        }
    }

    /// A location waits at a call path for the last release of a lock.
    pub fn wait_for_lock(
        &mut self,
        tree: &SharedTree,
        (node, clocks): (NodeId, &mut Clocks),
        to: &Clocks,
    ) {
        let region = self.region(tree, node);
        let is_kept = |scenario: &usize| {
            let free = self.free.get(region.index());
            !free.is_some_and(|free| free.contains(scenario))
        };
        let kept = self.keeps_lock_waits.iter().copied().filter(is_kept);
        let kept: Vec<(usize, i64)> = kept.map(|of| (of, clocks.late[of])).collect();
        self.wait(tree, (node, clocks), to);
        kept.into_iter().for_each(|(scenario, late)| clocks.late[scenario] = late);
    }

    /// A call of MPI with nothing to wait for any more ends at a time.
    pub fn transfer(&self, clocks: &mut Clocks, end: u64) {
        let rest = units(end.saturating_sub(clocks.time));
        for scenario in &self.ideal {
            clocks.late[*scenario] = clocks.late[*scenario].saturating_sub(rest);
        }
    }
}
