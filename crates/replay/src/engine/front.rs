//! The order in which waits are given to the critical path and to the explanations: each wait when
//! it ends. Matchers often find a wait of MPI later, because they must know the other ends of all
//! messages of a call, or that all processes have ended an operation. Therefore records are kept
//! until the calls that end with them are judged. This is a short time in most traces.
//!
//! A call may never be judged: its partner is not in the trace, because it was killed. A record is
//! kept until [`PATIENCE`] further records have come, and then goes on without its wait. This is
//! the same for all sizes of windows, because it counts records.

use std::collections::VecDeque;

use pompeii_model::{Id, LocationId};

use crate::blame::explain::Explanations;
use crate::compound::{Compound, MpiWait};
use crate::definitions::Definitions;
use crate::engine::matching::Window;
use crate::engine::open::Open;
use crate::engine::record::{Rec, What};
use crate::engine::tree::SharedTree;
use crate::outcome::Causes;
use crate::path::Paths;

/// The waiting of a call must be known when this number of further records has come.
const PATIENCE: u64 = 1_000_000;

/// A wait in a call of MPI.
#[derive(Clone, Copy, Debug)]
struct InCall {
    /// The number of the record at which it was found.
    found: u64,
    wait: MpiWait,
}

/// Records that are kept, and what gets them.
#[derive(Debug)]
pub(crate) struct Front {
    paths: Paths,
    explanations: Explanations,
    windows: VecDeque<Window>,
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
}

impl Front {
    /// Before the first record.
    pub(crate) fn new(definitions: &Definitions) -> Front {
        let locations = definitions.system.locations.len();
        Front {
            paths: Paths::new(locations),
            explanations: Explanations::new(definitions),
            windows: VecDeque::new(),
            place: 0,
            given: 0,
            come: 0,
            threads: VecDeque::new(),
            calls: (0..locations).map(|_| VecDeque::new()).collect(),
        }
    }

    /// Matchers have found a compound at the record that comes.
    pub(crate) fn note(&mut self, compound: &Compound) {
        match MpiWait::of(compound) {
            Some(wait) if wait.ticks() > 0 || wait.together.is_some() => {
                let calls = &mut self.calls[wait.at.location.index()];
                let later =
                    calls.iter().rev().take_while(|known| known.wait.end > wait.end).count();
                calls.insert(calls.len() - later, InCall { found: self.come, wait });
            }
            Some(_) => {}
            // Nothing follows from a message without waiting.
            None if matches!(compound, Compound::Delivery(_)) => {}
            None => self.threads.push_back((self.come, *compound)),
        }
    }

    /// Matchers have taken a record.
    pub(crate) fn next(&mut self) {
        self.come += 1;
    }

    /// Matchers have taken a window, and `open` is what they wait for.
    pub(crate) fn take(
        &mut self,
        (definitions, tree): (&Definitions, &SharedTree),
        window: Window,
        open: &Open,
    ) {
        self.explanations.learn(tree);
        self.windows.push_back(window);
        self.give(definitions, Some(open));
        let waits = self.calls.iter().flatten();
        let mut causing = Open::default();
        waits.for_each(|it| causing.causing(it.wait.causer.location, it.wait.until));
        causing.sort();
        let is_needed = |location: LocationId, time: u64| {
            open.has_causing(location, time) || causing.has_causing(location, time)
        };
        self.paths.compact(&is_needed);
        self.explanations.settle(&is_needed);
    }

    /// Gives all records on whose waits are known; all records, if nothing is open any more.
    fn give(&mut self, definitions: &Definitions, open: Option<&Open>) {
        while let Some(window) = self.windows.pop_front() {
            while let Some(record) = window.records.get(self.place) {
                if open.is_some_and(|open| self.is_early(record, open)) {
                    self.windows.push_front(window);
                    return;
                }
                self.give_one(definitions, &window, record);
            }
            self.place = 0;
        }
    }

    /// Whether the record ends a call that is not judged.
    fn is_early(&self, record: &Rec, open: &Open) -> bool {
        let What::MpiLeave { since, .. } = record.what else { return false };
        self.come - self.given <= PATIENCE && open.has_waiting(record.location, since, record.time)
    }

    fn give_one(&mut self, definitions: &Definitions, window: &Window, record: &Rec) {
        self.paths.advance(record, window.profile(record));
        self.explanations.advance(definitions, record, window.profile(record));
        while self.threads.front().is_some_and(|(found, _)| *found == self.given)
            && let Some((_, compound)) = self.threads.pop_front()
        {
            self.paths.wait(definitions, record, &compound);
            self.explanations.wait(definitions, record, &compound);
        }
        if let What::MpiLeave { since, .. } = record.what {
            for wait in self.waits_of(record, since) {
                if wait.ticks() > 0 {
                    self.paths.wait_in_call(record, &wait);
                }
                self.explanations.wait_in_call(record, &wait);
            }
            self.explanations.leave(record);
        }
        self.paths.snapshot(definitions, record);
        self.explanations.advanced(record);
        self.given += 1;
        self.place += 1;
    }

    /// The waits of a call that ends, in the order in which they were found. Those that are known
    /// too late have an unknown cause.
    fn waits_of(&mut self, record: &Rec, since: u64) -> Vec<MpiWait> {
        let calls = &mut self.calls[record.location.index()];
        let mut waits: Vec<InCall> = Vec::new();
        while calls.front().is_some_and(|known| known.wait.end <= record.time)
            && let Some(known) = calls.pop_front()
        {
            match known.wait.begin >= since && known.found <= self.given + PATIENCE {
                true => waits.push(known),
                false => self.explanations.wait_without_cause(&known.wait),
            }
        }
        waits.sort_by_key(|known| known.found);
        waits.into_iter().map(|known| known.wait).collect()
    }

    /// The trace ends.
    pub(crate) fn end(mut self, definitions: &Definitions) -> Causes {
        self.give(definitions, None);
        let late = self.calls.iter().flatten();
        late.for_each(|it| self.explanations.wait_without_cause(&it.wait));
        let blame = self.explanations.result();
        Causes {
            path: self.paths.result(definitions),
            roots: blame.roots().clone(),
            classes: blame.classes().clone(),
        }
    }
}
