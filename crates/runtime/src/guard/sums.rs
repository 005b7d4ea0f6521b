//! What a location knows of its guarded call paths: their sums, and the visits that are not written
//! yet.

use pompeii_live::{Node, NodeOffset};

use super::short::Short;
use crate::sync::lock::Lock;

/// When a call path is guarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// From this number of visits on.
    pub visits: u64,
    /// Where most visits take less than this; those of a call of MPI, less than ten times as long.
    pub time_ns: u64,
}

/// Guarded call paths of one location: more are not looked for.
pub(super) const GUARDED_MAX: usize = 64;
/// A critical section is two regions, and two records of its lock; a region that polls may do so
/// several times, and is recorded where it does so more often than that.
pub(super) const LEVELS: usize = 2;
pub(super) const VISITS_MAX: usize = 16;
pub(super) const DEFERRED_MAX: usize = 2 * VISITS_MAX;

/// What a location knows about its guarded call paths.
#[derive(Default)]
pub struct Guard {
    pub(super) sums: Vec<Sums>,
    /// What is under way without a record.
    pub short: Short,
    /// A bit for each region around a guarded one, by its node: see [`Guard::concerns`].
    pub(super) around: u64,
    /// The same for each guarded one: see [`Guard::may_sum`].
    pub(super) inner: u64,
    /// Visits that are under way, or over while the one around is under way.
    pub(super) visits: [Visit; VISITS_MAX],
    pub(super) met: usize,
    pub(super) depth: usize,
    /// Their records.
    pub(super) deferred: [Deferred; DEFERRED_MAX],
    pub(super) waiting: usize,
}

/// What is done with visits of a call path.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum State {
    /// All are written.
    #[default]
    Recorded,
    /// All are written, and it is counted how many of them are short.
    Tried,
    /// Those that are short are summed.
    Summed,
}

/// A call path, and its visits that are not written yet.
#[derive(Default)]
pub(super) struct Sums {
    pub(super) node: NodeOffset,
    /// The same, or that of the construct whose body it is: they are tried and summed together.
    pub(super) whole: NodeOffset,
    pub(super) region: u32,
    /// Metric class of the region's sums.
    pub(super) class: u32,
    /// The region around that has records: here sums are written when it is left.
    pub(super) enclosing: NodeOffset,
    /// A visit is short that takes less.
    pub(super) bound_ticks: u64,
    pub(super) state: State,
    /// Since when, and whether the definitions say so: they do from the first summed visit on.
    pub(super) since: u64,
    pub(super) is_told: bool,
    pub(super) total: Totals,
    /// Visits since they were judged last, and those that were not short.
    pub(super) recent: u32,
    pub(super) long: u32,
    /// How many of them there were when a chunk was full last.
    pub(super) looked_at: u32,
    /// The node's visits when it was no longer guarded.
    pub(super) before: u64,
}

impl Sums {
    /// Whether visits are deferred.
    pub(super) fn is_guarded(&self) -> bool {
        self.state != State::Recorded
    }

    /// Whether it is a guarded construct with this node, or its body.
    pub(super) fn is_part(&self, whole: NodeOffset) -> bool {
        self.is_guarded() && self.whole == whole
    }
}

/// What visits sum to.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Totals {
    /// How many.
    pub visits: u64,
    // Not next to the number: two additions in memory are cheaper than one of a vector.
    pub(super) shortest: u64,
    pub(super) ticks: u64,
    pub(super) longest: u64,
}

impl Default for Totals {
    fn default() -> Self {
        Totals::NONE
    }
}

impl Totals {
    /// No visits.
    pub const NONE: Totals = Totals { visits: 0, ticks: 0, shortest: u64::MAX, longest: 0 };

    /// One more.
    #[inline(always)]
    pub fn add(&mut self, ticks: u64) {
        self.visits += 1;
        self.ticks += ticks;
        // Branches, since both are rare.
        if ticks < self.shortest {
            self.shortest = ticks;
        }
        if ticks > self.longest {
            self.longest = ticks;
        }
    }

    pub(super) fn add_all(&mut self, more: &Totals) {
        self.visits += more.visits;
        self.ticks += more.ticks;
        self.shortest = self.shortest.min(more.shortest);
        self.longest = self.longest.max(more.longest);
    }
}

/// A visit that is not written yet.
#[derive(Clone, Copy, Default)]
pub struct Visit {
    /// What it is added to.
    pub sums: usize,
    /// When it began.
    pub enter: u64,
    /// How long it took.
    pub ticks: u64,
}

/// A record that is not written yet.
#[derive(Clone, Copy, Default)]
pub enum Deferred {
    /// None.
    #[default]
    None,
    /// Of entering this region at this time.
    Enter(u32, u64),
    /// Of leaving it.
    Leave(u32, u64),
    /// Of having a lock: which one, the acquisition's number, and when.
    Acquire(*const Lock, u32, u64),
    /// Whether the acquisition was summed, too.
    Release(*const Lock, u32, u64, bool),
}

impl Guard {
    /// Whether a visit is under way.
    #[inline(always)]
    pub fn is_open(&self) -> bool {
        self.depth > 0 || self.short.is_open()
    }

    /// Whether sums may have to be written when the region of this node is left.
    #[inline(always)]
    pub fn concerns(&self, node: NodeOffset) -> bool {
        self.around & bit_of(node) != 0
    }

    /// Whether a visit of this node may have to be summed.
    #[inline(always)]
    pub fn may_sum(&self, node: NodeOffset) -> bool {
        self.inner & bit_of(node) != 0
    }

    /// Defers a record.
    pub fn defer(&mut self, record: Deferred) {
        if let Some(place) = self.deferred.get_mut(self.waiting) {
            *place = record;
            self.waiting += 1;
        }
    }

    /// Begins a visit, whose record is deferred.
    pub fn open(&mut self, visit: Visit) {
        self.visits[self.met] = visit;
        self.met += 1;
        self.depth += 1;
        self.defer(Deferred::Enter(self.sums[visit.sums].region, visit.enter));
    }

    /// Ends the innermost visit at `now`, which has begun; its record is deferred.
    pub fn close(&mut self, now: u64) {
        let visit = &mut self.visits[self.innermost()];
        visit.ticks = now - visit.enter;
        let sums = visit.sums;
        self.depth -= 1;
        self.defer(Deferred::Leave(self.sums[sums].region, now));
    }

    /// Takes over what fast ways have summed.
    pub(super) fn settle(&mut self) {
        let sums = &mut self.sums;
        self.short.take_totals(|of, totals| {
            sums[of].total.add_all(totals);
            sums[of].recent += u32::try_from(totals.visits).unwrap_or(u32::MAX);
        });
    }

    /// Whether there is a place for this number of records, and for the Leaves of visits under way.
    pub(super) fn has_place(&self, records: usize) -> bool {
        self.waiting + records + self.depth <= DEFERRED_MAX
    }

    /// Whether another visit and its records have room.
    pub(super) fn has_room(&self) -> bool {
        self.met < VISITS_MAX && self.depth < LEVELS && self.has_place(2)
    }

    /// Which of the visits is the innermost one that is not over.
    pub(super) fn innermost(&self) -> usize {
        if self.depth < LEVELS { 0 } else { self.met - 1 }
    }

    pub(super) fn of(&self, node: NodeOffset) -> Option<usize> {
        self.sums.iter().position(|sums| sums.node == node && sums.is_guarded())
    }

    /// The sums of the visit that is under way, or was not forgotten yet.
    pub(super) fn outermost(&self) -> Option<usize> {
        (self.met > 0).then(|| self.visits[0].sums)
    }
}

/// One of 64 bits for a node.
pub(super) fn bit_of(node: NodeOffset) -> u64 {
    1 << (node / size_of::<Node>() as u32 % 64)
}
