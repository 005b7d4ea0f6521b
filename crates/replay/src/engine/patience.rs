//! How long a record waits for the waits that end with it. A call of MPI may never be judged: its
//! partner is not in the trace, because it was killed. Then its record goes on after about a
//! million further records, without its wait.
//!
//! All ranks of the analysis must come to the same result, and so must windows of all sizes.
//! Therefore each location has a milestone at each [`EVERY`]-th of its records, and the ranks tell
//! each other where theirs are. A wait counts as known in time if no more than [`PATIENCE`]
//! milestones of all locations lie between the end of its call and the record at which it is found.
//! In this time there are at most `PATIENCE * EVERY` records, and [`EVERY`] for each location.

use std::collections::VecDeque;

use crate::engine::record::{Moment, Rec};

/// Records of a location from one milestone to the next one. Tests have fewer records.
pub(crate) const EVERY: u32 = if cfg!(test) { 8 } else { 100 };

/// The waiting of a call must be known when this number of milestones has come.
pub(crate) const PATIENCE: usize = if cfg!(test) { 20 } else { 10_000 };

/// The way of a location to its next milestone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// Records up to it.
    left: u32,
}

impl Default for Way {
    fn default() -> Way {
        Way { left: EVERY }
    }
}

impl Way {
    /// The next record of the location. Returns its milestone, if it is one.
    #[inline]
    pub(crate) fn record(&mut self, record: &Rec) -> Option<Moment> {
        self.left -= 1;
        if self.left > 0 {
            return None;
        }
        self.left = EVERY;
        Some(record.moment())
    }
}

/// The milestones of all locations since the first record that is kept.
#[derive(Debug, Default)]
pub(crate) struct Milestones {
    all: VecDeque<Moment>,
}

impl Milestones {
    /// Adds those of a window, in their order.
    pub(crate) fn add(&mut self, moments: Vec<Moment>) {
        self.all.extend(moments);
    }

    /// Whether what is found at a record comes too late for another one.
    pub(crate) fn is_too_late(&self, record: Moment, found: Moment) -> bool {
        // So it is in all traces but those of killed programs.
        if self.all.len() <= PATIENCE {
            return false;
        }
        let up_to = |end: Moment| self.all.partition_point(|milestone| *milestone <= end);
        up_to(found).saturating_sub(up_to(record)) > PATIENCE
    }

    /// Forgets the milestones up to a record, because no earlier record is kept.
    pub(crate) fn forget(&mut self, end: Moment) {
        while self.all.front().is_some_and(|milestone| *milestone <= end) {
            self.all.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use pompeii_model::LocationId;

    use super::*;
    use crate::engine::record::{VisitId, What};
    use crate::engine::tree::PROGRAM;
    use crate::text;

    const HERE: LocationId = LocationId(3);

    fn record(time: u64) -> Rec {
        let (location, node, visit, profile) = (HERE, PROGRAM, VisitId::NONE, (0, 0));
        Rec { time, location, node, visit, what: What::End, profile }
    }

    #[test]
    fn each_location_has_milestones_of_its_own() {
        let mut way = Way::default();
        let all: Vec<Moment> =
            (1..=3 * u64::from(EVERY) + 2).filter_map(|time| way.record(&record(time))).collect();
        let every = u64::from(EVERY);
        assert_eq!(all, [(every, HERE), (2 * every, HERE), (3 * every, HERE)]);
    }

    #[test]
    fn what_is_found_after_many_milestones_is_too_late() {
        let mut milestones = Milestones::default();
        let last = 3 * PATIENCE as u64;
        milestones.add((1..=last).map(|time| (10 * time, HERE)).collect());
        let after = |record: u64| (record + 10 * PATIENCE as u64, HERE);
        for end in [5, 95] {
            assert!(!milestones.is_too_late((end, HERE), after(end)));
            assert!(milestones.is_too_late((end, HERE), after(end + 10)));
        }
        // A milestone counts if it is the record at which the wait is found, not the end itself.
        assert!(!milestones.is_too_late((10, HERE), after(10)));
        assert!(!milestones.is_too_late((10, LocationId(2)), (0, HERE)), "found before the end");
        milestones.forget((10, HERE));
        assert!(milestones.is_too_late((10, HERE), after(20)));
        milestones.forget((10 * last, HERE));
        assert!(!milestones.is_too_late((10, HERE), (u64::MAX, HERE)), "all is forgotten");
    }

    /// Rank 1 waits 10 ticks for the root of a broadcast, because that works. This is known when
    /// rank 2 has ended its part, after `calls` further calls of rank 0.
    fn broadcast(calls: usize) -> text::TextTrace {
        let mut trace = "end 9000
             comm W = 0 1 2
             0 0.0 program; + work
             0 1.0 program
             0 2.0 program
             10 1.0 + MPI_Bcast; begin
             20 0.0 -; + MPI_Bcast; begin; end BCAST W 0 16 8; -
             21 1.0 end BCAST W 0 0 8; -
             22 2.0 + MPI_Bcast; begin"
            .to_owned();
        for call in 0..calls {
            trace += &format!("\n{} 0.0 + MPI_Wtime; -", 30 + call);
        }
        text::parse(&(trace + "\n8000 2.0 end BCAST W 0 0 8; -")).unwrap()
    }

    #[test]
    fn a_wait_has_its_cause_as_long_as_there_are_few_milestones_for_all_ranks_and_windows() {
        // Rank 0 has 4 records of the broadcast, and 2 of each call.
        let last = (PATIENCE * EVERY as usize - 4) / 2;
        let known = "program/work on 0.0: 10 direct, 0 indirect\n";
        let unknown = "program/MPI_Bcast on 0.0: 10 direct, 0 indirect\n";
        for (calls, expected) in
            [(0, known), (last, known), (last + EVERY as usize / 2, unknown), (3 * last, unknown)]
        {
            let trace = broadcast(calls);
            // With all combinations of ranks, threads and windows.
            assert_eq!(text::analyse_blame(&trace).unwrap(), expected, "{calls} calls");
            text::analyse_path(&trace).unwrap();
        }
    }
}
