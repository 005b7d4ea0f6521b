//! Causes of waiting between ranks of the analysis. Each rank has the waits of its own locations.
//! The rank of the process that was waited for tells what this process did, and which of its waits
//! are causes (`blame/others.rs`). Cost goes back to these waits over the transport.
//!
//! A wait is settled when it is explained and all waits that refer to it have passed their cost on.
//! It takes what they have passed on in the order of a single rank, the last one first, so that
//! rounded shares are the same for all numbers of ranks.

use std::collections::VecDeque;

use pompeii_model::LocationId;

use crate::blame::{At, Blame, Cause, Delay, Kind, Wait, WaitId};
use crate::engine::record::Moment;
use crate::path::Part;
use crate::place::Place;

/// The place of a wait in the order of the waits of all ranks.
pub(crate) type Key = (Moment, WaitId);

/// Cost that a wait passes on to one of its causes.
#[derive(Clone, Debug)]
pub(crate) struct Passed {
    /// The cause, by its number on its rank.
    pub(crate) to: WaitId,
    pub(crate) by: Key,
    pub(crate) shares: Vec<(At, Delay)>,
}

/// A wait that is not settled.
#[derive(Debug)]
struct Unsettled {
    ended: Moment,
    /// Waits that refer to it and have passed nothing on.
    referring: usize,
    is_explained: bool,
    is_settled: bool,
    passed: Vec<(Key, Vec<(At, Delay)>)>,
}

/// What several ranks need.
#[derive(Debug)]
pub(crate) struct Far {
    /// Next to all waits.
    waits: VecDeque<Unsettled>,
    now: Moment,
    /// The wait whose cost is divided, and what one of its causes gets.
    by: Key,
    shares: Vec<(At, Delay)>,
    /// What other ranks get.
    out: Vec<(usize, Passed)>,
}

impl Far {
    /// A share of the present wait's cost.
    pub(super) fn share(&mut self, at: At, share: Delay) {
        self.shares.push((at, share));
    }

    fn push(&mut self, is_explained: bool) {
        let (ended, passed) = (self.now, Vec::new());
        self.waits.push_back(Unsettled {
            ended,
            referring: 0,
            is_explained,
            is_settled: false,
            passed,
        });
    }
}

impl Blame {
    /// Several ranks have the waits of the trace.
    pub(crate) fn share(&mut self) {
        let now = (0, LocationId(0));
        let (waits, shares, out) = (VecDeque::new(), Vec::new(), Vec::new());
        self.far = Some(Far { waits, now, by: (now, 0), shares, out });
    }

    /// The next waits end with this record.
    pub(crate) fn now(&mut self, now: Moment) {
        if let Some(far) = &mut self.far {
            far.now = now;
        }
    }

    /// The last wait has these causes.
    pub(super) fn note_causes(&mut self) {
        let Blame { waits, far: Some(far), first, .. } = self else { return };
        for (cause, _) in waits.back().into_iter().flat_map(|wait| &wait.causes) {
            if let Cause::Wait(id) = cause
                && let Some(known) = id.checked_sub(*first)
                && let Some(cause) = far.waits.get_mut(known as usize)
            {
                cause.referring += 1;
            }
        }
        far.push(true);
    }

    /// Adds a wait that another rank will explain.
    pub(crate) fn add_unexplained(
        &mut self,
        ((at, kind), ticks): ((Place, Kind), i64),
        otherwise: Part,
    ) -> WaitId {
        let (at, on) = ((at.node, kind), at.location);
        let (received, causes) = (Vec::new(), Vec::new());
        self.waits.push_back(Wait { at, on, ticks, passed: 0, received, causes, root: otherwise });
        if let Some(far) = &mut self.far {
            far.push(false);
        }
        self.next() - 1
    }

    /// Another rank explains a wait by activities and by waits of its own.
    pub(crate) fn explain(
        &mut self,
        (id, rank): (WaitId, usize),
        otherwise: Part,
        activities: Vec<(Part, i64)>,
        waits: &[(WaitId, i64)],
    ) {
        let Some(place) = id.checked_sub(self.first).map(|place| place as usize) else { return };
        let Some(wait) = self.waits.get_mut(place) else { return };
        let activities = activities.into_iter().map(|(at, ticks)| (Cause::Activity(at), ticks));
        let waits = waits.iter().map(|&(wait, ticks)| (Cause::Far(rank, wait), ticks));
        wait.causes = activities.chain(waits).filter(|(_, weight)| *weight > 0).collect();
        if wait.causes.is_empty() {
            wait.causes.push((Cause::Activity(otherwise), 1));
        }
        if let Some(wait) = self.far.as_mut().and_then(|far| far.waits.get_mut(place)) {
            wait.is_explained = true;
        }
    }

    /// A wait of another rank refers to one of this rank.
    pub(crate) fn refer(&mut self, id: WaitId) {
        let place = id.checked_sub(self.first).map(|place| place as usize);
        if let Some(far) = &mut self.far
            && let Some(wait) = place.and_then(|place| far.waits.get_mut(place))
        {
            wait.referring += 1;
        }
    }

    /// What goes to other ranks.
    pub(crate) fn take_passed(&mut self) -> Vec<(usize, Passed)> {
        self.far.as_mut().map(|far| std::mem::take(&mut far.out)).unwrap_or_default()
    }

    /// A wait of this or another rank has passed cost on to one of this rank.
    pub(crate) fn receive(&mut self, passed: Passed) {
        let place = passed.to.checked_sub(self.first).map(|place| place as usize);
        let Some(far) = &mut self.far else { return };
        let Some(wait) = place.and_then(|place| far.waits.get_mut(place)) else { return };
        wait.referring = wait.referring.saturating_sub(1);
        wait.passed.push((passed.by, passed.shares));
    }

    /// A cause of the present wait has got all its shares.
    pub(super) fn pass_on(&mut self, cause: Cause) {
        let Some(far) = &mut self.far else { return };
        let (by, shares) = (far.by, std::mem::take(&mut far.shares));
        match cause {
            Cause::Wait(to) => self.receive(Passed { to, by, shares }),
            Cause::Far(rank, to) => far.out.push((rank, Passed { to, by, shares })),
            Cause::Activity(_) | Cause::Root(_) => {}
        }
    }

    /// Divides the cost of all waits to which all cost has been passed on. `needed` is the first
    /// one that later waits may refer to.
    pub(crate) fn settle_known(&mut self, needed: Option<WaitId>) {
        let end = needed.unwrap_or(u64::MAX).clamp(self.first, self.next()) - self.first;
        for place in (0..end as usize).rev() {
            if let Some(wait) = self.take_known(place) {
                self.divide(&wait);
            }
        }
        let Some(far) = &mut self.far else { return };
        while far.waits.front().is_some_and(|wait| wait.is_settled) {
            far.waits.pop_front();
            self.waits.pop_front();
            self.first += 1;
        }
    }

    /// A wait whose cost is known, with what was passed on to it.
    fn take_known(&mut self, place: usize) -> Option<Wait> {
        let far = self.far.as_mut()?;
        let open = far.waits.get_mut(place)?;
        if open.is_settled || !open.is_explained || open.referring > 0 {
            return None;
        }
        open.is_settled = true;
        let mut passed = std::mem::take(&mut open.passed);
        far.by = (open.ended, self.first + place as u64);
        let mut wait = self.waits.get_mut(place)?.take();
        passed.sort_by(|(one, _), (other, _)| other.cmp(one));
        for (at, share) in passed.into_iter().flat_map(|(_, shares)| shares) {
            wait.receive(at, share);
        }
        Some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::record::VisitId;
    use crate::engine::tree::NodeId;

    const A: Part = (NodeId(1), LocationId(0));
    const B: Part = (NodeId(2), LocationId(1));

    fn of(node: u32, location: u32) -> (Place, Kind) {
        let (location, node) = (LocationId(location), NodeId(node));
        (Place { location, node, visit: VisitId::NONE }, Kind::Threads)
    }

    #[test]
    fn cost_that_two_ranks_settle_is_that_of_one() {
        // On one rank: the third wait passes on to the second, the second to the first.
        let mut alone = Blame::default();
        let first = alone.add_of((of(3, 0), 10), A, [(A, 3), (B, 4)], &[], &[]);
        let second = alone.add_of((of(4, 1), 7), B, [(B, 2)], &[], &[(first, 1)]);
        alone.add_of((of(3, 0), 5), A, [], &[], &[(second, 5)]);
        alone.settle(None);

        // Location 1 has a rank of its own, with the second wait only.
        let (mut zero, mut one) = (Blame::default(), Blame::default());
        zero.share();
        one.share();
        zero.now((1, LocationId(0)));
        let first = zero.add_of((of(3, 0), 10), A, [(A, 3), (B, 4)], &[], &[]);
        one.now((2, LocationId(1)));
        let second = one.add_unexplained((of(4, 1), 7), B);
        zero.refer(first);
        zero.now((3, LocationId(0)));
        let third = zero.add_unexplained((of(3, 0), 5), A);
        one.refer(second);
        zero.explain((third, 1), A, Vec::new(), &[(second, 5)]);
        one.settle_known(None);
        assert!(one.take_passed().is_empty(), "it is neither explained nor free");
        one.explain((second, 0), B, vec![(B, 2)], &[(first, 1)]);
        for _ in 0..3 {
            zero.settle_known(None);
            zero.take_passed().into_iter().for_each(|(_, passed)| one.receive(passed));
            one.settle_known(None);
            one.take_passed().into_iter().for_each(|(_, passed)| zero.receive(passed));
        }
        assert_eq!((zero.unsettled(), one.unsettled()), (0, 0));
        let mut roots = zero.roots().clone();
        for (key, delay) in one.roots() {
            *roots.entry(*key).or_default() += *delay;
        }
        assert_eq!(roots, *alone.roots());
        let mut classes = zero.classes().clone();
        classes.extend(one.classes());
        assert_eq!(classes, *alone.classes());
    }
}
