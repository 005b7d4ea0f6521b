//! Who is to blame: the waiting of all locations, divided among the activities that caused it.
//!
//! A wait has activities and other waits as causes, with weights. Its cost is its own time and what
//! later waits pass on to it. The cost is divided in proportion to the weights, in whole ticks such
//! that nothing is lost: all blame together is all waiting. Since a wait only refers to earlier
//! ones, one loop from the last to the first is enough. It runs whenever no later wait can refer to
//! the waits so far, so that memory follows the waits between two barriers.

use std::collections::VecDeque;

use crate::hash::Table;
use crate::path::Part;

/// A wait, by its number in the trace.
pub type WaitId = u64;

/// What caused a wait.
#[derive(Clone, Copy, Debug)]
enum Cause {
    Activity(Part),
    Wait(WaitId),
}

#[derive(Debug)]
struct Wait {
    ticks: i64,
    /// Cost that later waits have passed on.
    received: i64,
    /// Causes with their weights, which are positive; at least one.
    causes: Vec<(Cause, i64)>,
}

/// The waiting that an activity caused, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delay {
    /// Of locations that waited for it.
    pub direct: i64,
    /// Of locations that waited for those, and so on.
    pub indirect: i64,
}

/// All waits that are not settled, and the delays of those that are.
#[derive(Debug, Default)]
pub struct Blame {
    waits: VecDeque<Wait>,
    /// Number of the first of them.
    first: WaitId,
    delays: Table<Part, Delay>,
}

impl Blame {
    /// Adds a wait. If nothing has a weight, `otherwise` is its cause.
    pub fn add(
        &mut self,
        ticks: i64,
        otherwise: Part,
        activities: impl IntoIterator<Item = (Part, i64)>,
        waits: &[(WaitId, i64)],
    ) -> WaitId {
        let activities = activities.into_iter().map(|(at, ticks)| (Cause::Activity(at), ticks));
        let waits = waits.iter().map(|&(wait, ticks)| (Cause::Wait(wait), ticks));
        let mut causes: Vec<(Cause, i64)> =
            activities.chain(waits).filter(|(_, weight)| *weight > 0).collect();
        if causes.is_empty() {
            causes.push((Cause::Activity(otherwise), 1));
        }
        self.waits.push_back(Wait { ticks, received: 0, causes });
        self.first + self.waits.len() as u64 - 1
    }

    /// Divides the cost of all waits that neither a later wait nor one that is kept refers to.
    /// `needed` is the first one that later waits may refer to.
    pub fn settle(&mut self, needed: Option<WaitId>) {
        let mut end = needed.unwrap_or(u64::MAX).clamp(self.first, self.next());
        for (place, wait) in self.waits.iter().enumerate().rev() {
            if self.first + place as u64 >= end {
                let refers = wait.causes.iter().filter_map(|(cause, _)| match cause {
                    Cause::Wait(wait) => Some(*wait),
                    Cause::Activity(_) => None,
                });
                end = refers.min().map_or(end, |first| first.clamp(self.first, end));
            }
        }
        let later = self.waits.split_off((end - self.first) as usize);
        while let Some(wait) = self.waits.pop_back() {
            self.divide(&wait);
        }
        (self.first, self.waits) = (end, later);
    }

    /// The number of the next wait.
    fn next(&self) -> WaitId {
        self.first + self.waits.len() as u64
    }

    fn divide(&mut self, wait: &Wait) {
        let sum: i128 = wait.causes.iter().map(|(_, weight)| i128::from(*weight)).sum();
        let (mut before, mut given) = (0_i128, (0_i64, 0_i64));
        for &(cause, weight) in &wait.causes {
            before += i128::from(weight);
            // Shares are differences of rounded sums, so they add up to the whole.
            let share = |ticks: i64| (i128::from(ticks) * before / sum) as i64;
            let up_to = (share(wait.ticks), share(wait.received));
            let (direct, indirect) = (up_to.0 - given.0, up_to.1 - given.1);
            given = up_to;
            match cause {
                Cause::Activity(at) => {
                    let delay = self.delays.entry(at).or_default();
                    delay.direct += direct;
                    delay.indirect += indirect;
                }
                Cause::Wait(id) => {
                    let place = id.checked_sub(self.first).map(|place| place as usize);
                    if let Some(earlier) = place.and_then(|place| self.waits.get_mut(place)) {
                        earlier.received += direct + indirect;
                    }
                }
            }
        }
    }

    /// The delays of all waits that are settled.
    pub fn delays(&self) -> &Table<Part, Delay> {
        &self.delays
    }

    /// Number of waits that are not settled.
    #[cfg(test)]
    pub fn unsettled(&self) -> usize {
        self.waits.len()
    }
}

#[cfg(test)]
mod tests {
    use pompeii_model::LocationId;

    use super::*;
    use crate::tree::NodeId;

    const A: Part = (NodeId(1), LocationId(0));
    const B: Part = (NodeId(2), LocationId(1));

    #[test]
    fn cost_goes_back_through_waits_and_nothing_is_lost() {
        let mut blame = Blame::default();
        let first = blame.add(10, A, [(A, 3), (B, 4)], &[]);
        let second = blame.add(7, B, [(B, 2)], &[(first, 1)]);
        blame.add(5, A, [], &[(second, 5)]);
        // The first one may be referred to: nothing is settled.
        blame.settle(Some(first));
        assert_eq!(blame.unsettled(), 3);
        blame.settle(None);
        // The third passes 5 on: the second gives 2/3 of 7 and of 5 to B, the rest to the first,
        // which gives 3/7 of its 10 and of what it received to A.
        let (direct, indirect) = (4 + 6, 3 + 3);
        assert_eq!(blame.delays()[&B], Delay { direct, indirect });
        let total: i64 = blame.delays().values().map(|delay| delay.direct + delay.indirect).sum();
        assert_eq!(total, 22);
        assert_eq!(blame.unsettled(), 0);
    }

    #[test]
    fn a_wait_that_a_kept_one_refers_to_is_kept() {
        let mut blame = Blame::default();
        let first = blame.add(10, A, [(A, 1)], &[]);
        blame.add(1, A, [(A, 1)], &[]);
        let third = blame.add(7, B, [], &[(first, 1)]);
        blame.settle(Some(third));
        assert_eq!(blame.unsettled(), 3);
        let fourth = blame.add(7, B, [(B, 1)], &[]);
        blame.settle(Some(fourth));
        assert_eq!((blame.unsettled(), blame.delays()[&A].indirect), (1, 7));
    }
}
