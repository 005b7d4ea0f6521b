//! The records of a window: those of all locations in one order, with the times between them.

use std::sync::Arc;

use crate::engine::merge::Merge;
use crate::engine::patience::Way;
use crate::engine::record::{Moment, Rec};
use crate::engine::spare::Spare;
use crate::engine::tree::NodeId;
use crate::location::Profile;
use crate::table::Batch;

/// The records of a window in their order, and the times between them.
#[derive(Debug, Default)]
pub(crate) struct Window {
    pub(crate) records: Vec<Rec>,
    pub(crate) profile: Profile,
    /// Rows of tables that the locations have made by themselves.
    pub(crate) batches: Vec<Batch>,
    /// All records before this time have come; `None` if all have.
    pub(crate) horizon: Option<u64>,
    /// Milestones of the locations (`engine/patience.rs`), in their order.
    pub(crate) milestones: Vec<Moment>,
    /// Where its memory goes to.
    spare: Option<Arc<Spare>>,
}

/// Records of a location in their order, and all its times.
pub(crate) type Sorted<'a> = (&'a [Rec], &'a [(NodeId, i64)]);

impl Drop for Window {
    fn drop(&mut self) {
        if let Some(spare) = self.spare.take() {
            spare.give_back((std::mem::take(&mut self.records), std::mem::take(&mut self.profile)));
        }
    }
}

/// Room for further values, and a little more: the next window that gets this memory may be a
/// little longer.
fn make_room<T>(values: &mut Vec<T>, more: usize) {
    if values.capacity() - values.len() < more {
        values.reserve_exact(more + more / 8);
    }
}

impl Window {
    /// A window without records, with the memory of one that is over.
    pub(crate) fn with(spare: &Arc<Spare>, horizon: Option<u64>) -> Window {
        let (records, profile) = spare.take();
        let (batches, milestones, spare) = (Vec::new(), Vec::new(), Some(spare.clone()));
        Window { records, profile, batches, horizon, milestones, spare }
    }

    /// These records, without times.
    pub(crate) fn of(records: Vec<Rec>) -> Window {
        let (profile, batches, milestones) = (Vec::new(), Vec::new(), Vec::new());
        Window { records, profile, batches, horizon: None, milestones, spare: None }
    }

    /// Adds records of locations, which come in the order of their numbers. Each location has a way
    /// to its next milestone.
    pub(crate) fn merge(&mut self, locations: &[Sorted<'_>], ways: &mut [Way]) {
        let is_sorted = |(records, _): &Sorted<'_>| records.is_sorted_by_key(|record| record.time);
        debug_assert!(locations.iter().all(is_sorted), "a location goes back in time");
        let Window { records, profile, milestones, .. } = self;
        make_room(records, locations.iter().map(|(records, _)| records.len()).sum());
        let times = |(records, _): &Sorted<'_>| {
            records.last().map_or(0, |last| (last.profile.0 + last.profile.1) as usize)
        };
        make_room(profile, locations.iter().map(times).sum());
        let time = |(records, _): &Sorted<'_>| records.first().map(|record| record.time);
        let mut order = Merge::new(locations.iter().map(time));
        let mut rest: Vec<&[Rec]> = locations.iter().map(|(records, _)| *records).collect();
        while let Some(next) = order.first() {
            let Some((record, later)) = rest[next].split_first() else { return };
            let (begin, length) = (record.profile.0 as usize, record.profile.1 as usize);
            let of_record = (profile.len() as u32, record.profile.1);
            profile.extend_from_slice(&locations[next].1[begin..begin + length]);
            records.push(Rec { profile: of_record, ..*record });
            milestones.extend(ways[next].record(record));
            rest[next] = later;
            order.go_on(later.first().map(|record| record.time));
        }
    }

    /// Puts the records into their order. Those of a location keep theirs.
    pub(crate) fn sort(&mut self) {
        self.records.sort_by_key(|record| (record.time, record.location));
    }

    /// The times of a location up to a record, since its record before.
    pub(crate) fn profile(&self, record: &Rec) -> &[(NodeId, i64)] {
        let (begin, length) = (record.profile.0 as usize, record.profile.1 as usize);
        self.profile.get(begin..begin + length).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::record::{VisitId, What};
    use pompeii_model::LocationId;

    fn record(time: u64, location: u32, profile: (u32, u32)) -> Rec {
        let (location, node, visit) = (LocationId(location), NodeId(0), VisitId::NONE);
        Rec { time, location, node, visit, what: What::End, profile }
    }

    #[test]
    fn records_of_locations_are_merged_with_their_times() {
        let times = |ticks: &[i64]| -> Vec<(NodeId, i64)> {
            ticks.iter().map(|ticks| (NodeId(9), *ticks)).collect()
        };
        let first = ([record(5, 0, (0, 2)), record(7, 0, (2, 0))], times(&[1, 2]));
        let second = ([record(5, 1, (0, 1)), record(6, 1, (1, 1))], times(&[3, 4, 5]));
        let mut window = Window::with(&Arc::default(), Some(8));
        let mut ways = vec![Way::default(); 3];
        let locations: [Sorted<'_>; 3] = [(&first.0, &first.1), (&second.0, &second.1), (&[], &[])];
        window.merge(&locations, &mut ways);
        let merged: Vec<(Moment, Vec<i64>)> = window
            .records
            .iter()
            .map(|record| {
                let profile = window.profile(record).iter().map(|(_, ticks)| *ticks);
                (record.moment(), profile.collect())
            })
            .collect();
        let at = |time: u64, location: u32| (time, LocationId(location));
        assert_eq!(
            merged,
            [(at(5, 0), vec![1, 2]), (at(5, 1), vec![3]), (at(6, 1), vec![4]), (at(7, 0), vec![])]
        );
    }
}
