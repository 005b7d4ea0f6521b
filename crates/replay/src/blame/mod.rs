//! Who is to blame: the waiting of all locations, divided among the activities that caused it.
//!
//! A wait has activities and other waits as causes, with weights. Its cost is its own time and what
//! later waits pass on to it. The cost is divided in proportion to the weights, in whole ticks such
//! that nothing is lost: all blame together is all waiting. Since a wait only refers to earlier
//! ones, one loop from the last to the first is enough. It runs whenever no later wait can refer to
//! the waits so far, so that memory follows the waits between two barriers.
//!
//! In a program without operations of all processes, any later wait may refer to any wait. There a
//! wait is given up as a cause after a number of further ones: what referred to it refers to its
//! main root instead, the activity that one finds from it along the largest causes.
//!
//! Cost keeps the call path at which it was waited, so each activity knows all places of waiting
//! that go back to it, also through other waits.
//!
//! Several ranks of the analysis have the waits of their own locations each (`blame/far.rs`). They
//! give up no wait.

pub mod classes;
mod doacross;
pub(crate) mod excess;
pub mod explain;
pub(crate) mod far;
mod holder;
mod intervals;
pub(crate) mod others;
#[cfg(test)]
mod trace_tests;

use std::collections::VecDeque;
use std::ops::AddAssign;

use pompeii_model::LocationId;

use crate::blame::classes::Classes;
use crate::blame::far::Far;
use crate::compound::MpiKind;
use crate::engine::tree::NodeId;
use crate::hash::Table;
use crate::path::Part;
use crate::place::Place;

/// A wait, by its number in the trace.
pub type WaitId = u64;

/// What caused a wait.
#[derive(Clone, Copy, Debug)]
enum Cause {
    Activity(Part),
    Wait(WaitId),
    /// The main root of a wait that is given up as a cause.
    Root(Part),
    /// A wait of another rank of the analysis, by its number there.
    Far(usize, WaitId),
}

/// Kinds of waiting whose delays are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Threads of a process wait for each other.
    Threads,
    /// A process waits in a call of MPI.
    Mpi(MpiKind),
}

/// Where a location waited, and in which way.
pub type At = (NodeId, Kind);

#[derive(Debug)]
struct Wait {
    at: At,
    on: LocationId,
    ticks: i64,
    /// The most that one later wait has passed on of its own time.
    passed: i64,
    /// Cost that later waits have passed on, by the call paths of its waiting.
    received: Vec<(At, i64)>,
    /// Causes with their weights, which are positive; at least one.
    causes: Vec<(Cause, i64)>,
    /// Its main root.
    root: Part,
}

impl Wait {
    /// The wait without its place among all.
    fn take(&mut self) -> Wait {
        let (received, causes) =
            (std::mem::take(&mut self.received), std::mem::take(&mut self.causes));
        Wait { received, causes, ..*self }
    }

    /// A later wait passes cost on to this one, of waiting at a place.
    fn receive(&mut self, at: At, share: Delay) {
        let Wait { received, at: own, passed, .. } = self;
        *passed = share.direct.max(*passed);
        let ticks = share.direct.saturating_add(share.indirect);
        let place = |at: At| received.iter().position(|(known, _)| *known == at);
        let (known, is_full) = (place(at), received.len() >= ORIGINS_MAX);
        let at = if known.is_none() && is_full { (own.0, at.1) } else { at };
        match known.or_else(|| place(at)) {
            Some(known) => received[known].1 = received[known].1.saturating_add(ticks),
            None => received.push((at, ticks)),
        }
    }
}

/// The waiting that an activity caused, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delay {
    /// Of locations that waited for it.
    pub direct: i64,
    /// Of locations that waited for those, and so on.
    pub indirect: i64,
}

impl AddAssign for Delay {
    fn add_assign(&mut self, other: Self) {
        self.direct = self.direct.saturating_add(other.direct);
        self.indirect = self.indirect.saturating_add(other.indirect);
    }
}

/// Places of waiting that the cost of a wait is kept for. If more places go back to it, their cost
/// counts as waited at the place of this wait, in its own way, so that the work for each wait has a
/// limit.
const ORIGINS_MAX: usize = 64;

/// If this number of waits has come since all processes were together, they are given up as
/// causes. They take about 50 MB. This is the same for all sizes of windows, because it counts
/// waits. Tests have fewer waits.
const REFERRED_MAX: u64 = if cfg!(test) { 50 } else { 250_000 };

/// The part of some ticks that has this share of a sum, rounded down.
fn part(ticks: i64, share: i128, sum: i128) -> i64 {
    (i128::from(ticks) * share / sum) as i64
}

/// All waits that are not settled, and the delays of those that are.
#[derive(Debug, Default)]
pub struct Blame {
    waits: VecDeque<Wait>,
    /// Number of the first of them.
    first: WaitId,
    /// Waits before this one are given up as causes.
    given_up: WaitId,
    /// The first wait since then, or since all processes were together.
    since: WaitId,
    roots: Table<(At, Part), Delay>,
    classes: Table<(At, LocationId), Classes>,
    /// Several ranks have waits.
    far: Option<Far>,
}

impl Blame {
    /// Adds a wait of a thread for another one, of some ticks at a place. If nothing has a
    /// weight, `otherwise` is its cause.
    pub fn add(
        &mut self,
        (at, ticks): (Place, i64),
        otherwise: Part,
        activities: impl IntoIterator<Item = (Part, i64)>,
        waits: &[(WaitId, i64)],
    ) -> WaitId {
        self.add_of(((at, Kind::Threads), ticks), otherwise, activities, &[], waits)
    }

    /// Adds a wait of any kind, likewise. Waits that are given up as causes come as their main
    /// roots.
    pub fn add_of(
        &mut self,
        ((at, kind), ticks): ((Place, Kind), i64),
        otherwise: Part,
        activities: impl IntoIterator<Item = (Part, i64)>,
        roots: &[(Part, i64)],
        waits: &[(WaitId, i64)],
    ) -> WaitId {
        let activities = activities.into_iter().map(|(at, ticks)| (Cause::Activity(at), ticks));
        let roots = roots.iter().map(|&(root, ticks)| (Cause::Root(root), ticks));
        let waits = waits.iter().map(|&(wait, ticks)| (Cause::Wait(wait), ticks));
        let mut causes: Vec<(Cause, i64)> =
            activities.chain(roots).chain(waits).filter(|(_, weight)| *weight > 0).collect();
        if causes.is_empty() {
            causes.push((Cause::Activity(otherwise), 1));
        }
        let root = self.main_root(&causes).unwrap_or(otherwise);
        let (at, on, received) = ((at.node, kind), at.location, Vec::new());
        self.waits.push_back(Wait { at, on, ticks, passed: 0, received, causes, root });
        self.note_causes();
        self.first + self.waits.len() as u64 - 1
    }

    /// The activity to which the largest cause goes back; the first of equal ones.
    fn main_root(&self, causes: &[(Cause, i64)]) -> Option<Part> {
        let (largest, _) = causes.iter().rev().max_by_key(|(_, weight)| *weight)?;
        match *largest {
            Cause::Activity(part) | Cause::Root(part) => Some(part),
            Cause::Wait(wait) => self.get(wait).map(|wait| wait.root),
            Cause::Far(..) => None,
        }
    }

    fn get(&self, wait: WaitId) -> Option<&Wait> {
        self.waits.get(wait.checked_sub(self.first)? as usize)
    }

    /// The main root of a wait that is given up as a cause; `None` if it is not.
    pub fn root_instead(&self, wait: WaitId) -> Option<Part> {
        let given_up = Some(wait).filter(|wait| *wait < self.given_up)?;
        self.get(given_up).map(|wait| wait.root)
    }

    /// All processes were together: what comes refers to few of the waits so far.
    pub fn together(&mut self) {
        self.since = self.next();
    }

    /// Gives up all waits so far as causes if they are many.
    pub fn give_up_if_many(&mut self) {
        if self.next() - self.since >= REFERRED_MAX {
            self.since = self.next();
            self.given_up = self.next();
        }
    }

    /// Divides the cost of all waits that neither a later wait nor one that is kept refers to.
    /// `needed` is the first one that later waits may refer to.
    pub fn settle(&mut self, needed: Option<WaitId>) {
        let mut end = needed.unwrap_or(u64::MAX).clamp(self.first, self.next());
        if end == self.first {
            return;
        }
        for (place, wait) in self.waits.iter().enumerate().rev() {
            if self.first + place as u64 >= end {
                let refers = wait.causes.iter().filter_map(|(cause, _)| match cause {
                    Cause::Wait(wait) => Some(*wait),
                    Cause::Activity(_) | Cause::Root(_) | Cause::Far(..) => None,
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
        // Shares are differences of rounded sums, so they add up to the whole: over the causes as
        // well as over the places of waiting.
        let (mut before, mut direct, mut indirect) = (0_i128, 0, 0);
        let mut given: Vec<i64> = vec![0; wait.received.len()];
        for &(cause, weight) in &wait.causes {
            before += i128::from(weight);
            let up_to = part(wait.ticks, before, sum);
            if let Cause::Wait(_) | Cause::Root(_) | Cause::Far(..) = cause {
                indirect += up_to - direct;
            }
            self.give(cause, wait.at, Delay { direct: up_to - direct, indirect: 0 });
            direct = up_to;
            let (mut received, mut earlier) = (0_i64, 0);
            for (&(at, ticks), given) in wait.received.iter().zip(&mut given) {
                received = received.saturating_add(ticks);
                let up_to = part(received, before, sum);
                let share = up_to - *given;
                self.give(cause, at, Delay { direct: 0, indirect: share - earlier });
                (earlier, *given) = (share, up_to);
            }
            self.pass_on(cause);
        }
        let (direct, propagating) = (wait.ticks - indirect, wait.passed.min(wait.ticks));
        let classes = self.classes.entry((wait.at, wait.on)).or_default();
        *classes += Classes { direct, indirect, propagating };
    }

    /// Gives a cause its share of what was waited at a call path.
    fn give(&mut self, cause: Cause, at: At, share: Delay) {
        if share == Delay::default() {
            return;
        }
        match cause {
            Cause::Activity(part) => *self.roots.entry((at, part)).or_default() += share,
            Cause::Root(part) => {
                let indirect = share.direct.saturating_add(share.indirect);
                *self.roots.entry((at, part)).or_default() += Delay { direct: 0, indirect };
            }
            Cause::Wait(_) | Cause::Far(..) if self.far.is_some() => {
                self.far.iter_mut().for_each(|far| far.share(at, share));
            }
            Cause::Wait(id) => {
                let place = id.checked_sub(self.first).map(|place| place as usize);
                let earlier = place.and_then(|place| self.waits.get_mut(place));
                earlier.into_iter().for_each(|wait| wait.receive(at, share));
            }
            Cause::Far(..) => {}
        }
    }

    /// All waits that are settled: for each call path of waiting and each activity, the delay.
    pub fn roots(&self) -> &Table<(At, Part), Delay> {
        &self.roots
    }

    /// All waits that are settled: for each place of waiting, the time of each class.
    pub fn classes(&self) -> &Table<(At, LocationId), Classes> {
        &self.classes
    }

    /// Number of waits that are not settled.
    #[cfg(test)]
    pub fn unsettled(&self) -> usize {
        self.waits.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::record::VisitId;
    use crate::engine::tree::NodeId;

    const A: Part = (NodeId(1), LocationId(0));
    const B: Part = (NodeId(2), LocationId(1));
    const X: Place = place(3);
    const Y: Place = place(4);

    const fn place(node: u32) -> Place {
        Place { location: LocationId(0), node: NodeId(node), visit: VisitId::NONE }
    }

    /// The delays that an activity caused.
    fn delay(blame: &Blame, part: Part) -> Delay {
        let mut sum = Delay::default();
        let of = blame.roots().iter().filter(|((_, by), _)| *by == part);
        of.for_each(|(_, delay)| sum += *delay);
        sum
    }

    #[test]
    fn cost_goes_back_through_waits_and_nothing_is_lost() {
        let mut blame = Blame::default();
        let first = blame.add((X, 10), A, [(A, 3), (B, 4)], &[]);
        let second = blame.add((Y, 7), B, [(B, 2)], &[(first, 1)]);
        blame.add((X, 5), A, [], &[(second, 5)]);
        // The first one may be referred to: nothing is settled.
        blame.settle(Some(first));
        assert_eq!(blame.unsettled(), 3);
        blame.settle(None);
        // The third passes 5 on: the second gives 2/3 of 7 and of 5 to B, the rest to the first,
        // which gives 3/7 of its 10 and of what it received to A.
        let (direct, indirect) = (4 + 6, 3 + 3);
        assert_eq!(delay(&blame, B), Delay { direct, indirect });
        let total: i64 = blame.roots().values().map(|delay| delay.direct + delay.indirect).sum();
        assert_eq!(total, 22);
        // The 10 and 5 ticks at X go to both, and the 7 at Y, too.
        let at = |place: Place, part| blame.roots()[&((place.node, Kind::Threads), part)];
        assert_eq!(at(X, A), Delay { direct: 4, indirect: 1 });
        assert_eq!(at(X, B), Delay { direct: 6, indirect: 4 });
        assert_eq!(at(Y, A), Delay { direct: 0, indirect: 1 });
        assert_eq!(at(Y, B), Delay { direct: 4, indirect: 2 });
        // The second gives 3 of its 7 to the first, and the third its 5 to the second.
        let classes =
            |place: Place| blame.classes()[&((place.node, Kind::Threads), place.location)];
        assert_eq!(classes(X), Classes { direct: 10, indirect: 5, propagating: 3 });
        assert_eq!(classes(Y), Classes { direct: 4, indirect: 3, propagating: 5 });
        assert_eq!(blame.unsettled(), 0);
    }

    #[test]
    fn the_cost_of_many_places_is_kept_as_a_whole() {
        let mut blame = Blame::default();
        let first = blame.add((X, 10), A, [(A, 1)], &[]);
        for node in 0..200 {
            blame.add((place(10 + node), 3), B, [], &[(first, 1)]);
        }
        blame.settle(None);
        assert_eq!(delay(&blame, A), Delay { direct: 10, indirect: 600 });
        assert_eq!(blame.roots().len(), ORIGINS_MAX + 1);
    }

    #[test]
    fn a_wait_passes_on_no_more_than_its_own_time() {
        let mut blame = Blame::default();
        let first = blame.add((X, 2), A, [(A, 1)], &[]);
        blame.add((Y, 7), B, [], &[(first, 2)]);
        blame.settle(None);
        let classes =
            |place: Place| blame.classes()[&((place.node, Kind::Threads), place.location)];
        assert_eq!(classes(X), Classes { direct: 2, indirect: 0, propagating: 2 });
        assert_eq!(classes(Y), Classes { direct: 0, indirect: 7, propagating: 0 });
    }

    #[test]
    fn a_wait_that_a_kept_one_refers_to_is_kept() {
        let mut blame = Blame::default();
        let first = blame.add((X, 10), A, [(A, 1)], &[]);
        blame.add((X, 1), A, [(A, 1)], &[]);
        let third = blame.add((Y, 7), B, [], &[(first, 1)]);
        blame.settle(Some(third));
        assert_eq!(blame.unsettled(), 3);
        let fourth = blame.add((Y, 7), B, [(B, 1)], &[]);
        blame.settle(Some(fourth));
        assert_eq!((blame.unsettled(), delay(&blame, A).indirect), (1, 7));
    }

    #[test]
    fn waits_that_are_given_up_stay_as_their_main_roots() {
        let mut blame = Blame::default();
        let first = blame.add((X, 10), A, [(A, 3), (B, 4)], &[]);
        let second = blame.add((Y, 7), A, [(A, 2)], &[(first, 5)]);
        assert_eq!(blame.root_instead(second), None);
        while blame.next() < REFERRED_MAX {
            blame.give_up_if_many();
            blame.add((Y, 1), A, [], &[]);
        }
        assert_eq!(blame.root_instead(second), None, "they are not too many");
        blame.give_up_if_many();
        assert_eq!((blame.root_instead(first), blame.root_instead(second)), (Some(B), Some(B)));
        let next = blame.add_of(((X, Kind::Threads), 8), A, [], &[(B, 7)], &[]);
        assert_eq!(blame.root_instead(next), None);
        // Only the new one is needed.
        blame.settle(Some(next));
        assert_eq!(blame.unsettled(), 1);
        let before = delay(&blame, B);
        blame.settle(None);
        let Delay { direct, indirect } = delay(&blame, B);
        assert_eq!((direct - before.direct, indirect - before.indirect), (0, 8));
    }

    #[test]
    fn where_all_processes_were_together_counting_begins_anew() {
        let mut blame = Blame::default();
        for _ in 0..3 * REFERRED_MAX {
            blame.give_up_if_many();
            let wait = blame.add((X, 1), A, [], &[]);
            if wait % (REFERRED_MAX / 2) == 0 {
                blame.together();
            }
        }
        assert_eq!(blame.root_instead(0), None);
    }
}
