//! Locks and critical sections: who held the lock that a thread waited for.
//!
//! The acquisitions of a lock are numbered, and a release has the number of its acquisition.
//! Acquisition n follows release n - 1, unless readers have the lock at the same time: a writer
//! follows the last release of all readers since the writer before, and a reader follows the last
//! writer with a lower number.
//!
//! If the clocks of two threads differ, a release may come later in the order of time: the
//! acquisition is kept until then. A gap in the numbers (visits without records, another writer's
//! filter) means that the holder is not known.

use std::collections::BTreeMap;

use pompeii_model::ProcessId;

use crate::compound::{Compound, LockVisit};
use crate::definitions::Definitions;
use crate::engine::matcher::{Found, Matcher};
use crate::engine::record::{Rec, What};
use crate::engine::topics::Topics;
use crate::hash::Table;
use crate::place::Place;
use crate::table::Kind;

/// All locks of the trace.
#[derive(Debug, Default)]
pub struct Locks {
    locks: Table<(ProcessId, u32), Lock>,
}

#[derive(Debug, Default)]
struct Lock {
    /// Acquisitions whose release has not come.
    held: BTreeMap<u32, Held>,
    /// What was given back, by the number of the first acquisition.
    released: BTreeMap<u32, Run>,
    /// Acquisitions of which it is not known what they follow.
    waiting: Vec<LockVisit>,
}

/// Where a lock was acquired.
#[derive(Clone, Copy, Debug)]
struct Held {
    at: Place,
    is_shared: bool,
}

/// A release: number of its acquisition, when, and where the lock had been acquired.
#[derive(Clone, Copy, Debug)]
struct Release {
    order: u32,
    time: u64,
    holder: Place,
}

/// Acquisitions with consecutive numbers that were given back: a writer, readers, or a writer and
/// the readers after it.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// Number of the last acquisition.
    last: u32,
    writer: Option<Release>,
    /// The last release of the readers.
    reader: Option<Release>,
}

/// A release that has not come after this number of later acquisitions is not in the trace. The
/// same number of releases is kept, and readers with consecutive numbers are one.
const KEPT: u32 = 32;

/// Acquisitions that are kept until they are released. Readers have a lock at the same time, and
/// there may be many of them.
const HELD_MAX: usize = 1_024;

impl Run {
    /// With the readers that follow.
    fn then(self, after: Run) -> Run {
        let readers = [self.reader, after.reader].into_iter().flatten();
        Run { last: after.last, reader: readers.max_by_key(|it| (it.time, it.order)), ..self }
    }
}

impl Lock {
    /// The release that an acquisition follows; `Some(None)` if it is the first one, or no writer
    /// was before a reader. `None` if that is not known, or not yet.
    fn before(&self, visit: &LockVisit) -> Option<Option<Release>> {
        let mut order = visit.order;
        while let Some(last) = order.checked_sub(1) {
            if let Some(held) = self.held.get(&last) {
                if !(visit.is_shared && held.is_shared) {
                    return None;
                }
                order = last;
                continue;
            }
            let run = self.released.range(..=last).next_back().filter(|(_, run)| run.last == last);
            match run {
                Some((first, run)) if run.writer.is_some() || *first <= 1 => {
                    let reader = run.reader.filter(|_| !visit.is_shared);
                    return Some(reader.or(run.writer));
                }
                Some((first, _)) if visit.is_shared => order = *first,
                None if last == 0 => break,
                _ => return None,
            }
        }
        Some(None)
    }

    fn acquire(&mut self, visit: LockVisit, found: Found<'_>) {
        if self.held.len() == HELD_MAX {
            self.held.pop_first();
        }
        self.held.insert(visit.order, Held { at: visit.at, is_shared: visit.is_shared });
        match self.before(&visit) {
            Some(before) => tell(visit, before, found),
            None => self.waiting.push(visit),
        }
    }

    fn release(&mut self, released: Release, is_shared: bool, found: Found<'_>) {
        let Release { order, holder, .. } = released;
        let holder = self.held.remove(&order).map_or(holder, |held| held.at);
        let released = Some(Release { holder, ..released });
        let (writer, reader) = if is_shared { (None, released) } else { (released, None) };
        let mut run = Run { last: order, writer, reader };
        let mut first = order;
        if is_shared
            && let Some((begin, before)) = self.released.range(..order).next_back()
            && before.last.checked_add(1) == Some(order)
        {
            (first, run) = (*begin, before.then(run));
        }
        let next = order.saturating_add(1);
        if self.released.get(&next).is_some_and(|after| after.writer.is_none())
            && let Some(after) = self.released.remove(&next)
        {
            run = run.then(after);
        }
        self.released.insert(first, run);
        while self.released.len() > KEPT as usize {
            self.released.pop_first();
        }
        self.settle(order, found);
    }

    /// Tells of acquisitions of which it is known now what they follow, or will not be known.
    fn settle(&mut self, newest: u32, found: Found<'_>) {
        if self.waiting.is_empty() {
            return;
        }
        for visit in std::mem::take(&mut self.waiting) {
            match self.before(&visit) {
                Some(before) => tell(visit, before, found),
                None if visit.order.saturating_add(KEPT) < newest => found(Compound::Lock(visit)),
                None => self.waiting.push(visit),
            }
        }
    }
}

fn tell(visit: LockVisit, before: Option<Release>, found: Found<'_>) {
    let follows = before.map_or(0, |it| it.order);
    let before = before.map(|it| (it.time, it.holder));
    found(Compound::Lock(LockVisit { before, follows, ..visit }));
}

impl Matcher for Locks {
    const TOPICS: Topics = Topics::LOCKS;
    const TABLES: &'static [Kind] = &[Kind::Locks, Kind::Waits];

    fn record(&mut self, definitions: &Definitions, record: &Rec, found: Found<'_>) {
        let &Rec { time, location, what, .. } = record;
        let (lock, at) =
            (|lock| (definitions.system.locations[location].process, lock), record.place());
        match what {
            What::Acquire { lock: number, order, since, is_shared } => {
                let (acquired, before, follows) = (time, None, 0);
                let lock = self.locks.entry(lock(number)).or_default();
                let visit = LockVisit {
                    at,
                    lock: number,
                    order,
                    is_shared,
                    since,
                    acquired,
                    before,
                    follows,
                };
                lock.acquire(visit, found);
                if is_shared {
                    lock.settle(order, found);
                }
            }
            What::Release { lock: number, order, is_shared } => {
                let lock = self.locks.entry(lock(number)).or_default();
                lock.release(Release { order, time, holder: at }, is_shared, found);
            }
            _ => {}
        }
    }

    fn end(&mut self, _: &Definitions, found: Found<'_>) -> u64 {
        let mut waiting: Vec<LockVisit> =
            self.locks.values_mut().flat_map(|lock| std::mem::take(&mut lock.waiting)).collect();
        waiting.sort_unstable_by_key(|visit| (visit.acquired, visit.at.location, visit.lock));
        waiting.into_iter().for_each(|visit| found(Compound::Lock(visit)));
        0
    }
}
