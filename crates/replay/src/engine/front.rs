//! The order in which waits are given to the critical path and to the explanations: each wait when
//! it ends. Matchers often find a wait of MPI later, because they must know the other ends of all
//! messages of a call, or that all processes have ended an operation. Therefore records are kept
//! until the calls that end with them are judged. This is a short time in most traces.
//!
//! A call may never be judged: its partner is not in the trace, because it was killed. Its record
//! is kept until about a million further records have come, and then goes on without its wait
//! (`engine/patience.rs`).

use std::collections::VecDeque;
use std::sync::Arc;

use pompeii_model::{Id, LocationId};

use crate::compound::{Compound, MpiWait};
use crate::definitions::Definitions;
use crate::engine::given::{Given, Known};
use crate::engine::mail::Mail;
use crate::engine::open::Open;
use crate::engine::patience::Milestones;
use crate::engine::record::{LAST, Moment, Rec, What};
use crate::engine::records::Window;
use crate::transport::dealt::Dealt;

/// A wait in a call of MPI.
#[derive(Clone, Copy, Debug)]
struct InCall {
    /// The record at which it was found.
    found: Moment,
    wait: MpiWait,
}

/// Neither the critical path nor the causes follow from a message without waiting, from a task that
/// is done, or from a time without a task in which nothing was waited for. The last one is found
/// before nearly each task that a thread executes in a barrier.
fn has_no_consequence(compound: &Compound) -> bool {
    match compound {
        Compound::Delivery(_) | Compound::Task(_) => true,
        Compound::TaskWait(visit) => visit.cause.is_none() && visit.over.is_none(),
        _ => false,
    }
}

/// Records that are kept until their waits are known.
#[derive(Debug)]
pub(crate) struct Front {
    windows: VecDeque<Arc<Window>>,
    /// Records of the first window that have been given on.
    place: usize,
    /// Records that have been given on, and those that have come.
    given: u64,
    come: u64,
    /// Waits that end at the record at which they are found, with its number.
    threads: VecDeque<(u64, Compound)>,
    /// Waits in calls of MPI by location, in the order of their ends: a window has many of them,
    /// and a call that ends has to do with the first ones only.
    calls: Vec<VecDeque<InCall>>,
    /// Several ranks have the locations of the trace, and waits that other ranks must know.
    dealt: Option<Arc<Dealt>>,
    away: Vec<(MpiWait, Moment)>,
    milestones: Milestones,
    /// Where the last two windows ended. What another rank finds in a window comes with the next
    /// one, and an answer to a question with the one after that.
    ends: [Moment; 2],
}

impl Front {
    /// Before the first record.
    pub(crate) fn new(definitions: &Definitions) -> Front {
        let locations = definitions.system.locations.len();
        Front {
            windows: VecDeque::new(),
            place: 0,
            given: 0,
            come: 0,
            threads: VecDeque::new(),
            calls: (0..locations).map(|_| VecDeque::new()).collect(),
            dealt: None,
            away: Vec::new(),
            milestones: Milestones::default(),
            ends: [(0, LocationId(0)); 2],
        }
    }

    /// Several ranks have the locations of the trace.
    pub(crate) fn share(&mut self, dealt: &Arc<Dealt>) {
        self.dealt = Some(dealt.clone());
    }

    fn has(&self, location: LocationId) -> bool {
        self.dealt.as_ref().is_none_or(|dealt| dealt.of_location(location) == dealt.rank)
    }

    /// Waits of locations of other ranks, by rank.
    pub(crate) fn send(&mut self, mail: &mut Mail) {
        let Some(dealt) = &self.dealt else { return };
        for (wait, found) in self.away.drain(..) {
            mail[dealt.of_location(wait.at.location)].waits.push((wait, found));
        }
    }

    /// The record before which all records have been given.
    pub(crate) fn upto(&self) -> Option<(u64, LocationId)> {
        Some(self.windows.front()?.records.get(self.place)?.moment())
    }

    /// Matchers have found a compound at a record: the one that comes, or an earlier one of which
    /// another rank has told.
    pub(crate) fn note(&mut self, found: Moment, compound: &Compound) {
        match MpiWait::of(compound) {
            Some(wait) if wait.ticks() > 0 || wait.together.is_some() => {
                self.note_wait(wait, found);
            }
            Some(_) => {}
            None if has_no_consequence(compound) => {}
            None => self.threads.push_back((self.come, *compound)),
        }
    }

    /// A wait in a call of MPI, found at a record.
    pub(crate) fn note_wait(&mut self, wait: MpiWait, found: Moment) {
        if !self.has(wait.at.location) {
            self.away.push((wait, found));
            return;
        }
        let calls = &mut self.calls[wait.at.location.index()];
        let later = calls.iter().rev().take_while(|known| known.wait.end > wait.end).count();
        calls.insert(calls.len() - later, InCall { found, wait });
    }

    /// Matchers have taken a record.
    pub(crate) fn next(&mut self) {
        self.come += 1;
    }

    /// Matchers have taken a window, and `open` is what they wait for. Returns the records that
    /// have all their waits now.
    pub(crate) fn take(&mut self, mut window: Window, mut open: Open) -> Given {
        let end = window.horizon.map_or(LAST, |time| (time, LocationId(0)));
        self.milestones.add(std::mem::take(&mut window.milestones));
        self.windows.push_back(Arc::new(window));
        let mut given = self.give(Some(&open));
        self.milestones.forget(self.upto().unwrap_or(end));
        self.ends = [self.ends[1], end];
        let away = self.away.iter().map(|(wait, _)| wait);
        let waits = self.calls.iter().flatten().map(|it| &it.wait).chain(away);
        waits.for_each(|wait| open.causing(wait.causer.location, wait.until));
        open.sort();
        given.needed = open;
        given
    }

    /// Gives all records on whose waits are known; all records, if nothing is open any more.
    fn give(&mut self, open: Option<&Open>) -> Given {
        let mut given = Given::default();
        while let Some(window) = self.windows.pop_front() {
            while let Some(record) = window.records.get(self.place) {
                if open.is_some_and(|open| self.is_early(record, open)) {
                    self.windows.push_front(window);
                    return given;
                }
                self.give_one(record, &mut given);
                given.add(&window, self.place..self.place + 1);
                self.place += 1;
            }
            self.place = 0;
        }
        given
    }

    /// Whether the record ends a call that is not judged.
    fn is_early(&self, record: &Rec, open: &Open) -> bool {
        let What::MpiLeave { since, .. } = record.what else { return false };
        self.has(record.location)
            && open.has_waiting(record.location, since, record.time)
            && !self.milestones.is_too_late(record.moment(), self.known_upto())
    }

    /// What was found at the records before this one is known.
    fn known_upto(&self) -> Moment {
        if self.dealt.is_some() { self.ends[0] } else { LAST }
    }

    fn give_one(&mut self, record: &Rec, given: &mut Given) {
        while self.threads.front().is_some_and(|(found, _)| *found == self.given)
            && let Some((_, compound)) = self.threads.pop_front()
        {
            given.know(Known::Threads(compound));
        }
        if let What::MpiLeave { since, .. } = record.what {
            self.end_call(record, since, given);
        }
        self.given += 1;
    }

    /// The waits of a call that ends. Their order does not depend on when they were found. Those
    /// that are known too late have an unknown cause.
    fn end_call(&mut self, record: &Rec, since: u64, given: &mut Given) {
        if !self.has(record.location) {
            return;
        }
        let calls = &mut self.calls[record.location.index()];
        let mut waits: Vec<InCall> = Vec::new();
        while calls.front().is_some_and(|known| known.wait.end <= record.time)
            && let Some(known) = calls.pop_front()
        {
            let is_late = self.milestones.is_too_late(record.moment(), known.found);
            match known.wait.begin >= since && !is_late {
                true => waits.push(known),
                false => given.know(Known::Late(known.wait)),
            }
        }
        waits.sort_by_key(|known| {
            let MpiWait { until, begin, kind, causer, .. } = known.wait;
            (until, begin, kind, causer.location)
        });
        waits.into_iter().for_each(|known| given.know(Known::InCall(known.wait)));
    }

    /// The trace ends: the last records.
    pub(crate) fn end(mut self) -> Given {
        let mut given = self.give(None);
        given.late = self.calls.into_iter().flatten().map(|it| it.wait).collect();
        given
    }
}
