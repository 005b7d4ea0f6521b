//! The order in which waits are given to the critical path and to the explanations: each wait when
//! it ends. Matchers often find a wait of MPI later, because they must know the other ends of all
//! messages of a call, or that all processes have ended an operation. Therefore records are kept
//! until the calls that end with them are judged. This is a short time in most traces.
//!
//! A call may never be judged: its partner is not in the trace, because it was killed. A record is
//! kept until [`PATIENCE`] further records have come, and then goes on without its wait. This is
//! the same for all sizes of windows, because it counts records.

use std::collections::VecDeque;
use std::sync::Arc;

use pompeii_model::{Id, LocationId};

use crate::compound::{Compound, MpiWait};
use crate::definitions::Definitions;
use crate::engine::given::{Given, Known};
use crate::engine::mail::Mail;
use crate::engine::matching::Window;
use crate::engine::open::Open;
use crate::engine::record::{Rec, What};
use crate::transport::dealt::Dealt;

/// The waiting of a call must be known when this number of further records has come.
const PATIENCE: u64 = 1_000_000;

/// A wait in a call of MPI.
#[derive(Clone, Copy, Debug)]
struct InCall {
    /// The number of the record at which it was found.
    found: u64,
    wait: MpiWait,
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
    away: Vec<MpiWait>,
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
        for wait in self.away.drain(..) {
            mail[dealt.of_location(wait.at.location)].waits.push(wait);
        }
    }

    /// The record before which all records have been given.
    pub(crate) fn upto(&self) -> Option<(u64, LocationId)> {
        let record = self.windows.front()?.records.get(self.place)?;
        Some((record.time, record.location))
    }

    /// Matchers have found a compound at the record that comes.
    pub(crate) fn note(&mut self, compound: &Compound) {
        match MpiWait::of(compound) {
            Some(wait) if wait.ticks() > 0 || wait.together.is_some() => self.note_wait(wait),
            Some(_) => {}
            // Nothing follows from a message without waiting, or from a task that is done.
            None if matches!(compound, Compound::Delivery(_) | Compound::Task(_)) => {}
            None => self.threads.push_back((self.come, *compound)),
        }
    }

    /// A wait in a call of MPI.
    pub(crate) fn note_wait(&mut self, wait: MpiWait) {
        if !self.has(wait.at.location) {
            self.away.push(wait);
            return;
        }
        let calls = &mut self.calls[wait.at.location.index()];
        let later = calls.iter().rev().take_while(|known| known.wait.end > wait.end).count();
        calls.insert(calls.len() - later, InCall { found: self.come, wait });
    }

    /// Matchers have taken a record.
    pub(crate) fn next(&mut self) {
        self.come += 1;
    }

    /// Matchers have taken a window, and `open` is what they wait for. Returns the records that
    /// have all their waits now.
    pub(crate) fn take(&mut self, window: Window, mut open: Open) -> Given {
        self.windows.push_back(Arc::new(window));
        let mut given = self.give(Some(&open));
        let waits = self.calls.iter().flatten().map(|it| &it.wait).chain(&self.away);
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
            && self.come - self.given <= PATIENCE
            && open.has_waiting(record.location, since, record.time)
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
            match known.wait.begin >= since && known.found <= self.given + PATIENCE {
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
