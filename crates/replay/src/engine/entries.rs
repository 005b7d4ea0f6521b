//! Entries of the call tree for task instances ([`Options::task_instances`]): below a scheduling
//! point they take the place of the entry that stands for all instances of their construct, and
//! take its values. So all sums stay the same.
//!
//! [`Options::task_instances`]: crate::Options::task_instances

use std::collections::{BTreeMap, BTreeSet};

use pompeii_model::{CallId, IndexVec, LocationId, Region, RegionId};

use crate::engine::instances::{Executed, Instances, Places};
use crate::engine::summary::Summary;
use crate::engine::tree::{NodeId, Values};
use crate::hash::Table;
use crate::outcome::Entry;

/// What the locations have executed of an instance, or of those that have no entry of their own.
type ByLocation = Vec<(LocationId, Executed)>;

/// The entries of a trace.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    /// By the node of the construct below the scheduling point, in the order of the entries.
    at: BTreeMap<NodeId, Vec<(RegionId, ByLocation)>>,
    /// Nodes that have other values, too: they stay in the call tree.
    stay: BTreeSet<NodeId>,
}

impl Entries {
    /// Takes them out of what the locations have found. Each instance gets a region that is like
    /// that of its construct but has the name of the instance.
    pub(crate) fn take(
        most: usize,
        summaries: &mut [Summary],
        regions: &mut IndexVec<RegionId, Region>,
    ) -> Entries {
        let mut instances = Instances::new(most);
        for summary in &mut *summaries {
            instances.join(summary.location, std::mem::take(&mut summary.instances));
        }
        let mut entries = Entries::default();
        for (construct, name, places) in instances.named() {
            let region = regions.push(Region { name, ..regions[construct].clone() });
            entries.add(region, places);
        }
        entries.leave(summaries);
        entries
    }

    fn add(&mut self, region: RegionId, places: Places) {
        for ((node, location), executed) in places {
            let entries = self.at.entry(node).or_default();
            match entries.last_mut() {
                Some((last, of)) if *last == region => of.push((location, executed)),
                _ => entries.push((region, vec![(location, executed)])),
            }
        }
    }

    /// Takes their values from the nodes of the constructs.
    fn leave(&mut self, summaries: &mut [Summary]) {
        let mut moved: Table<(NodeId, LocationId), Executed> = Table::default();
        for (node, entries) in &self.at {
            for (location, more) in entries.iter().flat_map(|(_, of)| of) {
                moved.entry((*node, *location)).or_default().add(*more);
            }
        }
        for summary in summaries {
            for (node, values) in &mut summary.values {
                let Some(moved) = moved.get(&(*node, summary.location)) else { continue };
                values.task_ticks = values.task_ticks.saturating_sub(moved.ticks);
                values.fragments = values.fragments.saturating_sub(moved.fragments);
                if *values != Values::default() {
                    self.stay.insert(*node);
                }
            }
            summary.values.retain(|(_, values)| *values != Values::default());
        }
    }

    /// The regions of the entries that stand for a node, and whether it stays next to them.
    pub(crate) fn of(&self, node: NodeId) -> (Vec<RegionId>, bool) {
        match self.at.get(&node) {
            Some(entries) => {
                let regions = entries.iter().map(|(region, _)| *region);
                (regions.collect(), self.stay.contains(&node))
            }
            None => (Vec::new(), true),
        }
    }

    /// The values of all entries. `first` is the call path of the first entry of each node; those
    /// of its further entries follow it.
    pub(crate) fn values(self, first: &Table<NodeId, CallId>) -> Vec<Entry> {
        let mut all = Vec::new();
        for (node, entries) in self.at {
            let Some(first) = first.get(&node) else { continue };
            for (number, (_, executed)) in (first.0..).zip(entries) {
                let call = CallId(number);
                all.extend(executed.into_iter().map(
                    |(location, Executed { ticks, fragments })| {
                        let values = Values { task_ticks: ticks, fragments, ..Values::default() };
                        Entry { call, location, values }
                    },
                ));
            }
        }
        all
    }
}
