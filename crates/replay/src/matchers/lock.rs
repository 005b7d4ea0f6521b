//! Locks and critical sections: who held the lock that a thread waited for.
//!
//! The releases and acquisitions of a lock are numbered, so acquisition n follows release n - 1. If
//! the clocks of two threads differ, the release may come later in the order of time: the
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
    /// The last releases: when, and where the lock had been acquired.
    released: BTreeMap<u32, (u64, Place)>,
    /// Where acquisitions were made whose release has not come.
    held: BTreeMap<u32, Place>,
    /// Acquisitions whose release before has not come.
    waiting: Vec<LockVisit>,
}

/// A release that has not come after this number of later acquisitions is not in the trace.
const KEPT: u32 = 32;

impl Lock {
    fn acquire(&mut self, visit: LockVisit, found: Found<'_>) {
        keep_last(&mut self.held, visit.order);
        self.held.insert(visit.order, visit.at);
        match self.released.get(&visit.order.wrapping_sub(1)) {
            None if visit.order > 1 => self.waiting.push(visit),
            before => found(Compound::Lock(LockVisit { before: before.copied(), ..visit })),
        }
    }

    fn release(&mut self, order: u32, (time, at): (u64, Place), found: Found<'_>) {
        let holder = self.held.remove(&order).unwrap_or(at);
        keep_last(&mut self.released, order);
        self.released.insert(order, (time, holder));
        if self.waiting.is_empty() {
            return;
        }
        for visit in std::mem::take(&mut self.waiting) {
            if visit.order == order.wrapping_add(1) {
                found(Compound::Lock(LockVisit { before: Some((time, holder)), ..visit }));
            } else if visit.order.saturating_add(KEPT) < order {
                found(Compound::Lock(visit));
            } else {
                self.waiting.push(visit);
            }
        }
    }
}

/// Removes entries that are more than [`KEPT`] acquisitions older than this one.
fn keep_last<T>(of: &mut BTreeMap<u32, T>, order: u32) {
    while let Some(first) = of.first_entry().filter(|it| it.key().saturating_add(KEPT) < order) {
        first.remove();
    }
}

impl Matcher for Locks {
    const TOPICS: Topics = Topics::LOCKS;
    const TABLES: &'static [Kind] = &[Kind::Locks, Kind::Waits];

    fn record(&mut self, definitions: &Definitions, record: &Rec, found: Found<'_>) {
        let &Rec { time, location, what, .. } = record;
        let (lock, at) =
            (|lock| (definitions.system.locations[location].process, lock), record.place());
        match what {
            What::Acquire { lock: number, order, since } => {
                let (acquired, before) = (time, None);
                let visit = LockVisit { at, lock: number, order, since, acquired, before };
                self.locks.entry(lock(number)).or_default().acquire(visit, found);
            }
            What::Release { lock: number, order } => {
                self.locks.entry(lock(number)).or_default().release(order, (time, at), found);
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
