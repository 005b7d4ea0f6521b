//! A table from handles to numbers, which any thread may read and change without a lock and without
//! memory of its own: communicators and requests are looked up in every call.
//!
//! A handle may lie in any of the slots behind the one that its bits choose, up to [`WINDOW`]. So
//! what is taken out leaves no trace, and neither looking nor adding takes longer the longer a
//! program runs. Most tables have few handles: one that is not there is looked for as far only as
//! any has ever lain. Who changes an entry has to own its handle, as MPI demands of its callers
//! anyway.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Slots that a handle may lie in.
const WINDOW: usize = 32;
/// No handle: neither a pointer nor a handle of MPICH is 0.
const FREE: u64 = 0;
/// Being filled or emptied.
const CLAIMED: u64 = u64::MAX;

/// Slots with `N` words each beside the handle.
pub struct Table<const N: usize, const SLOTS: usize> {
    slots: [Slot<N>; SLOTS],
    /// The furthest that a handle has ever lain behind the slot that its bits choose.
    furthest: AtomicUsize,
}

struct Slot<const N: usize> {
    handle: AtomicU64,
    words: Words<N>,
}

/// What is known of a handle, of which only what is asked for is read.
pub struct Words<const N: usize>([AtomicU64; N]);

impl<const N: usize> Words<N> {
    /// One of them.
    #[inline(always)]
    pub fn at(&self, index: usize) -> u64 {
        self.0[index].load(Ordering::Relaxed)
    }
}

impl<const N: usize> Slot<N> {
    const fn empty() -> Self {
        Self { handle: AtomicU64::new(FREE), words: Words([const { AtomicU64::new(0) }; N]) }
    }

    fn read(&self) -> [u64; N] {
        std::array::from_fn(|index| self.words.at(index))
    }

    fn write(&self, words: [u64; N]) {
        for (place, word) in self.words.0.iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
    }
}

impl<const N: usize, const SLOTS: usize> Table<N, SLOTS> {
    /// An empty table.
    pub const fn new() -> Self {
        Self { slots: [const { Slot::empty() }; SLOTS], furthest: AtomicUsize::new(0) }
    }

    /// So many slots that the handle may lie in.
    #[inline(always)]
    fn window(&self, handle: u64, slots: usize) -> impl Iterator<Item = &Slot<N>> {
        // The upper bits of a product depend on all bits of a factor (Fibonacci hashing).
        let first = (handle.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
        (0..slots).map(move |step| &self.slots[(first + step) % SLOTS])
    }

    /// The slots that the handle lies in: one, but where several were added.
    #[inline(always)]
    fn all(&self, handle: u64) -> impl Iterator<Item = &Slot<N>> {
        let is_one = handle != FREE && handle != CLAIMED;
        let slots = if is_one { self.furthest.load(Ordering::Acquire) + 1 } else { 0 };
        let is_it = move |slot: &&Slot<N>| slot.handle.load(Ordering::Acquire) == handle;
        self.window(handle, slots).filter(is_it)
    }

    #[inline(always)]
    fn find(&self, handle: u64) -> Option<&Slot<N>> {
        self.all(handle).next()
    }

    /// What is known of the handle.
    #[inline]
    pub fn get(&self, handle: u64) -> Option<[u64; N]> {
        self.find(handle).map(Slot::read)
    }

    /// The same where it was added several times: of the first that is preferred, or else the
    /// first.
    #[inline]
    pub fn get_preferred(
        &self,
        handle: u64,
        preferred: impl Fn(&Words<N>) -> bool,
    ) -> Option<[u64; N]> {
        let mut first = None;
        for slot in self.all(handle) {
            if preferred(&slot.words) {
                return Some(slot.read());
            }
            first = first.or(Some(slot));
        }
        first.map(Slot::read)
    }

    /// Changes what is known of the handle, where that is what was expected.
    pub fn set_if(
        &self,
        handle: u64,
        expected: impl Fn(&Words<N>) -> bool,
        words: [u64; N],
    ) -> bool {
        let found = self.all(handle).find(|slot| expected(&slot.words));
        found.inspect(|slot| slot.write(words)).is_some()
    }

    /// Adds a handle, or changes what is known of it; false where there is no room.
    pub fn set(&self, handle: u64, words: [u64; N]) -> bool {
        match self.find(handle) {
            Some(slot) => {
                slot.write(words);
                true
            }
            None => self.add(handle, words),
        }
    }

    /// Adds a handle, whether or not it is there; false where there is no room.
    pub fn add(&self, handle: u64, words: [u64; N]) -> bool {
        let claim = |slot: &&Slot<N>| {
            let claimed =
                slot.handle.compare_exchange(FREE, CLAIMED, Ordering::Acquire, Ordering::Relaxed);
            claimed.is_ok()
        };
        if handle == FREE || handle == CLAIMED {
            return false;
        }
        let mut window = self.window(handle, WINDOW).enumerate();
        let Some((step, slot)) = window.find(|(_, slot)| claim(slot)) else { return false };
        self.furthest.fetch_max(step, Ordering::AcqRel);
        slot.write(words);
        slot.handle.store(handle, Ordering::Release);
        true
    }

    /// All handles that are there.
    pub fn handles(&self) -> impl Iterator<Item = u64> {
        let handles = self.slots.iter().map(|slot| slot.handle.load(Ordering::Acquire));
        handles.filter(|&handle| handle != FREE && handle != CLAIMED)
    }

    /// Takes a handle out, with what was known of it.
    pub fn take(&self, handle: u64) -> Option<[u64; N]> {
        self.take_if(handle, |_| true)
    }

    /// The same, where what is known of it is what was expected.
    #[inline(always)]
    pub fn take_if(&self, handle: u64, expected: impl Fn(&Words<N>) -> bool) -> Option<[u64; N]> {
        let slot = self.claim(handle, expected)?;
        let words = slot.read();
        slot.handle.store(FREE, Ordering::Release);
        Some(words)
    }

    /// Takes a handle out, where what is known of it is what was expected; whether that is so.
    #[inline(always)]
    pub fn remove_if(&self, handle: u64, expected: impl Fn(&Words<N>) -> bool) -> bool {
        let slot = self.claim(handle, expected);
        slot.inspect(|slot| slot.handle.store(FREE, Ordering::Release)).is_some()
    }

    /// The slot of a handle, which is nobody else's any more.
    #[inline(always)]
    fn claim(&self, handle: u64, expected: impl Fn(&Words<N>) -> bool) -> Option<&Slot<N>> {
        let slot = self.all(handle).find(|slot| expected(&slot.words))?;
        let claimed =
            slot.handle.compare_exchange(handle, CLAIMED, Ordering::Acquire, Ordering::Relaxed);
        claimed.is_ok().then_some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_come_and_go_without_end() {
        let table: Table<2, 64> = Table::new();
        for handle in 1..100_000 {
            assert!(table.set(handle, [handle, 7]));
            assert_eq!(table.get(handle), Some([handle, 7]));
            if handle > 8 {
                assert_eq!(table.take(handle - 8), Some([handle - 8, 7]));
                assert_eq!(table.take(handle - 8), None);
            }
        }
    }

    #[test]
    fn a_full_window_refuses_and_changes_nothing() {
        let table: Table<1, 16> = Table::new();
        let kept = (1..=16).filter(|&handle| table.set(handle, [handle])).count();
        assert_eq!((kept, table.set(17, [17]), table.get(17)), (16, false, None));
        let mut handles: Vec<u64> = table.handles().collect();
        handles.sort_unstable();
        assert_eq!(handles, (1..=16).collect::<Vec<u64>>());
        assert!(table.set(3, [30]));
        assert_eq!((table.get(3), table.get(0), table.set(0, [0])), (Some([30]), None, false));
    }

    #[test]
    fn threads_find_their_own() {
        static TABLE: Table<1, 1024> = Table::new();
        std::thread::scope(|scope| {
            for thread in 1..5_u64 {
                scope.spawn(move || {
                    for round in 0..20_000 {
                        let handle = (thread << 32) | (round % 100 + 1);
                        assert!(TABLE.set(handle, [thread]));
                        assert_eq!(TABLE.take(handle), Some([thread]));
                    }
                });
            }
        });
    }
}
