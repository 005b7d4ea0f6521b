//! What is known of a lock, of a critical section, and of the turns of an ordered construct.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

use crate::addresses::{Addresses, Zeroed};
use crate::cause::Place;
use crate::events::{Fields, OPENMP, PTHREAD};

/// State of one lock or one named critical: a cache line that moves with it from holder to holder.
#[derive(Debug, Default)]
#[repr(align(64))]
pub struct Lock {
    /// Id in the trace.
    pub(super) id: AtomicU32,
    /// The id as the trace has it ([`Fields`]); zeros until it is known.
    fields: [AtomicU64; 2],
    /// Acquisitions so far; releases carry the number of theirs.
    pub(super) order: AtomicU32,
    /// When it was given back last.
    pub(super) released_ticks: AtomicU64,
    /// Since when its holder has it, of a lock of the routines.
    pub(super) taken_ticks: AtomicU64,
    /// [`Place`] of who has it or had it last: the node that asked for it.
    pub(super) holder: AtomicU64,
    /// Nested acquisitions of the holder.
    pub(super) depth: AtomicU32,
    /// Its acquisition was summed, so its release has no record.
    pub(super) silent: AtomicBool,
    /// It is a mutex of POSIX threads.
    is_posix: AtomicBool,
}

const _: () = assert!(size_of::<Lock>() == 64);

// SAFETY: numbers of 0, and `false`, which are the default values.
unsafe impl Zeroed for Lock {}

impl Lock {
    /// A lock with the next free id.
    pub fn new() -> Self {
        let lock = Self::default();
        lock.call(next_id());
        lock
    }

    /// The lock has this id from here on.
    fn call(&self, id: u32) {
        self.id.store(id, Relaxed);
        let words = Fields::lock(self.name().0, id).words();
        self.fields.iter().zip(words).for_each(|(field, word)| field.store(word, Relaxed));
    }

    /// What names it in the records of having it and of giving it back, but for the number of the
    /// acquisition.
    #[inline(always)]
    pub fn fields(&self) -> Fields {
        let [first, second] = &self.fields;
        Fields::from_words([first.load(Relaxed), second.load(Relaxed)])
    }

    /// Whether its id is known, and the acquisition that it is in, if any, is in the trace.
    #[inline(always)]
    pub fn is_recorded(&self) -> bool {
        self.fields[0].load(Relaxed) != 0 && !self.silent.load(Relaxed)
    }

    /// What names it in the trace: the paradigm and the id.
    #[inline(always)]
    pub fn name(&self) -> (u8, u32) {
        let model = if self.is_posix.load(Relaxed) { PTHREAD } else { OPENMP };
        (model, self.id.load(Relaxed))
    }

    /// The number of the acquisition that the lock is in.
    #[inline(always)]
    pub fn order(&self) -> u32 {
        self.order.load(Relaxed)
    }

    /// The number of the next acquisition.
    #[inline(always)]
    pub fn next(&self) -> u32 {
        self.order().wrapping_add(1)
    }

    /// Whether its holder's acquisition is not in the trace.
    #[inline(always)]
    pub fn is_silent(&self) -> bool {
        self.silent.load(Relaxed)
    }

    /// The number of an acquisition by a thread that shares the lock: other threads may get theirs
    /// at the same time.
    pub fn next_shared(&self) -> u32 {
        self.order.fetch_add(1, Relaxed).wrapping_add(1)
    }

    /// Its holder's acquisition is not in the trace.
    pub fn set_silent(&self) {
        self.silent.store(true, Relaxed);
    }

    /// Whether its holder's acquisition is not in the trace; the next one's may be.
    pub fn take_silent(&self) -> bool {
        let silent = self.silent.load(Relaxed);
        if silent {
            self.silent.store(false, Relaxed);
        }
        silent
    }
}

fn next_id() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Relaxed)
}

/// Where an ordered construct had its turn last: whoever waits for the next one waits for that. A
/// cache line of its own, since it lies next to what all threads read all the time.
#[derive(Debug, Default)]
#[repr(align(64))]
pub struct Turn(AtomicU64);

impl Turn {
    /// Who had it last.
    #[inline(always)]
    pub fn last(&self) -> Place {
        Place::from_word(self.0.load(Relaxed))
    }

    /// Who is in the construct has had it.
    #[inline(always)]
    pub fn passes(&self, place: Place) {
        self.0.store(place.word(), Relaxed);
    }
}

/// Locks by address.
pub struct LockTable {
    locks: Addresses<Lock>,
    /// They are mutexes of POSIX threads, and not locks of OpenMP.
    are_posix: bool,
}

impl LockTable {
    /// An empty table for locks of OpenMP.
    pub const fn new() -> Self {
        Self { locks: Addresses::new(), are_posix: false }
    }

    /// An empty table for mutexes of POSIX threads.
    pub const fn of_posix() -> Self {
        Self { locks: Addresses::new(), are_posix: true }
    }

    /// The lock at `address`, or `None` where there is no memory for it.
    pub fn find(&self, address: usize) -> Option<&Lock> {
        self.known(address).or_else(|| self.take(address))
    }

    /// The lock at `address`, if it was found before.
    #[inline(always)]
    pub fn known(&self, address: usize) -> Option<&Lock> {
        self.locks.known(address)
    }

    /// The same, if it is found at once.
    #[inline(always)]
    pub fn known_first(&self, address: usize) -> Option<&Lock> {
        self.locks.known_first(address)
    }

    #[cold]
    fn take(&self, address: usize) -> Option<&Lock> {
        let (lock, is_new) = self.locks.take(address)?;
        if is_new {
            lock.is_posix.store(self.are_posix, Relaxed);
            lock.call(next_id());
        }
        Some(lock)
    }

    /// The lock at `address` is new or gone: no thread has held it, and its place is free.
    pub fn forget(&self, address: usize) {
        self.locks.forget(address, |lock| {
            lock.released_ticks.store(0, Relaxed);
            lock.holder.store(0, Relaxed);
            lock.depth.store(0, Relaxed);
            lock.silent.store(false, Relaxed);
            lock.order.store(0, Relaxed);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    static TABLE: LockTable = LockTable::new();

    fn id(address: usize) -> Option<u32> {
        TABLE.find(address).map(|lock| lock.id.load(Relaxed))
    }

    /// Each of a million locks that are alive together has a place of its own, and keeps it.
    #[test]
    fn the_table_grows_and_places_are_used_again() {
        const LOCKS: usize = 1_000_000;
        let addresses = || (0x1000..).step_by(4).take(LOCKS);
        let ids: Vec<_> = addresses().map(id).collect();
        assert_eq!(ids.iter().flatten().collect::<HashSet<_>>().len(), LOCKS);
        assert!(addresses().map(id).eq(ids.iter().copied()));
        let place = |address| TABLE.find(address).map(std::ptr::from_ref);
        let before: HashSet<_> = addresses().map(place).collect();
        addresses().for_each(|address| TABLE.forget(address));
        assert!(addresses().all(|address| before.contains(&place(address))));
        assert_ne!(id(0x1000), ids[0]);
    }
}
