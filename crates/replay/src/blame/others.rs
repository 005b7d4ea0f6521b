//! Explanations of waits for a process that another rank of the analysis has. Both ranks know of
//! the wait, at the same place in the order of all records. The rank of the process that was waited
//! for tells what this process did since both were together last; the other rank compares it.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::blame::explain::Explanations;
use crate::blame::far::Passed;
use crate::blame::{Kind, WaitId};
use crate::compound::MpiWait;
use crate::engine::given::Known;
use crate::engine::record::{Rec, What};
use crate::engine::tree::NodeId;
use crate::path::Part;
use crate::times::Times;
use crate::transport::dealt::Dealt;

/// What a process did before another one waited for it.
#[derive(Debug)]
pub(crate) struct Explained {
    pub(crate) times: Vec<(NodeId, i64)>,
    /// Its waits, by their numbers on its rank.
    pub(crate) waits: Vec<(WaitId, i64)>,
}

/// A wait that another rank will explain.
#[derive(Debug)]
struct Expected {
    wait: WaitId,
    causer: Part,
    /// What the waiting process did in the same time.
    own: Times,
}

/// What goes to another rank.
#[derive(Debug, Default)]
pub(crate) struct Letter {
    /// In the order of the waits.
    pub(crate) explained: Vec<Explained>,
    pub(crate) passed: Vec<Passed>,
}

impl Letter {
    /// Whether there is nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.explained.is_empty() && self.passed.is_empty()
    }

    /// Replaces the numbers of nodes.
    pub(crate) fn renumber(&mut self, number: &dyn Fn(NodeId) -> NodeId) {
        let times = self.explained.iter_mut().flat_map(|explained| &mut explained.times);
        times.for_each(|(node, _)| *node = number(*node));
        let shares = self.passed.iter_mut().flat_map(|passed| &mut passed.shares);
        shares.for_each(|((node, _), _)| *node = number(*node));
    }
}

/// Several ranks explain waits together.
#[derive(Debug)]
pub(crate) struct Others {
    dealt: Arc<Dealt>,
    /// By rank, in the order of the waits.
    expected: Vec<VecDeque<Expected>>,
    explained: Vec<Vec<Explained>>,
    /// The first wait of this rank that later ones may refer to, at the end of the last window.
    needed: Option<WaitId>,
}

impl Explanations {
    /// Several ranks have the locations of the trace.
    pub(crate) fn share(&mut self, dealt: &Arc<Dealt>) {
        let expected = (0..dealt.ranks).map(|_| VecDeque::new()).collect();
        let explained = (0..dealt.ranks).map(|_| Vec::new()).collect();
        self.others = Some(Others { dealt: dealt.clone(), expected, explained, needed: None });
        self.blame.share();
        if let Some(intervals) = &mut self.intervals {
            intervals.share(dealt);
        }
    }

    /// A call of MPI of another rank begins or ends.
    pub(crate) fn other_record(&mut self, record: &Rec, known: &[(usize, Known)]) {
        if let Some(intervals) = &mut self.intervals {
            intervals.advance(record, &[]);
        }
        for (_, known) in known {
            if let Known::InCall(wait) = known {
                self.wait_in_call(record, wait);
            }
        }
        if let What::MpiLeave { .. } = record.what {
            self.leave(record);
        }
    }

    /// Why a location has waited in a call, if it is one of this rank.
    pub(super) fn explain_with_others(&mut self, wait: &MpiWait) -> Option<WaitId> {
        let Explanations { others: Some(others), intervals: Some(intervals), blame, .. } = self
        else {
            return None;
        };
        let dealt = &others.dealt;
        let rank_of = [wait.at, wait.causer].map(|at| dealt.of_location(at.location));
        let [is_own, is_causer] = rank_of.map(|rank| rank == dealt.rank);
        let causer = (wait.causer.node, wait.causer.location);
        let of = ((wait.at, Kind::Mpi(wait.kind)), wait.ticks());
        let bounds = intervals.bounds(wait);
        match (is_own, is_causer, bounds) {
            (false, false, _) | (false, true, None) => None,
            (true, true, _) | (true, false, None) => self.explain_in_call(wait),
            (true, false, Some([own, _])) => {
                let own = intervals.times(wait.at.location, own);
                let wait = blame.add_unexplained(of, causer);
                others.expected[rank_of[1]].push_back(Expected { wait, causer, own });
                Some(wait)
            }
            (false, true, Some([_, other])) => {
                let times = intervals.times(wait.causer.location, other).iter().collect();
                let mut waits = intervals.waits_of(wait.causer.location, other);
                waits.retain(|(_, ticks)| *ticks > 0);
                waits.iter().for_each(|(wait, _)| blame.refer(*wait));
                others.explained[rank_of[0]].push(Explained { times, waits });
                None
            }
        }
    }

    /// What goes to each rank.
    pub(crate) fn letters(&mut self) -> Vec<Letter> {
        let Some(others) = &mut self.others else { return Vec::new() };
        let explained = others.explained.iter_mut().map(std::mem::take);
        let letter = |explained| Letter { explained, passed: Vec::new() };
        let mut letters: Vec<Letter> = explained.map(letter).collect();
        for (rank, passed) in self.blame.take_passed() {
            letters[rank].passed.push(passed);
        }
        letters
    }

    /// Takes what a rank has sent.
    pub(crate) fn receive(&mut self, rank: usize, letter: Letter) {
        let Explanations { others: Some(others), regions, blame, .. } = self else { return };
        for explained in letter.explained {
            let Some(Expected { wait, causer, own }) = others.expected[rank].pop_front() else {
                return;
            };
            let mut times = Times::default();
            explained.times.iter().for_each(|(node, ticks)| times.add(*node, *ticks));
            let excess = regions.excess(&times, &own).into_iter();
            let activities = excess.map(|(node, ticks)| ((node, causer.1), ticks)).collect();
            blame.explain((wait, rank), causer, activities, &explained.waits);
        }
        letter.passed.into_iter().for_each(|passed| blame.receive(passed));
    }

    /// Settles what can be settled since other ranks have sent something.
    pub(crate) fn settle_again(&mut self) {
        if let Some(others) = &self.others {
            self.blame.settle_known(others.needed);
        }
    }

    /// A window is over: no later wait refers to those before `needed`.
    pub(super) fn settle_with_others(&mut self, needed: Option<WaitId>) {
        if let Some(others) = &mut self.others {
            others.needed = needed;
            self.blame.settle_known(needed);
        }
    }

    /// All records have come: no later wait refers to any.
    pub(crate) fn settle_all(&mut self) {
        self.settle_with_others(None);
    }
}
