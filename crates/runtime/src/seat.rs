//! What other threads may touch of a location, apart from the location itself: a location is
//! changed by its own thread only, so everything that threads share about it is here, and atomic.

use crate::addresses::Zeroed;
use crate::shared::{AtomicPtr, LocationHeader, Ordering};
use crate::task::instance::Task;
use std::ptr::null_mut;

#[cfg(not(loom))]
const PAGES: usize = 64;
#[cfg(not(loom))]
const SEATS_PER_PAGE: usize = 64;
/// The model follows each single one.
#[cfg(loom)]
const PAGES: usize = 2;
#[cfg(loom)]
const SEATS_PER_PAGE: usize = 2;

/// In the place of a location that could not be made: it is not tried for each region again.
pub const REFUSED: *mut LocationHeader = std::ptr::without_provenance_mut(1);

type Page = [AtomicPtr<LocationHeader>; SEATS_PER_PAGE];

/// The threads of the teams of one nesting level that a location forks.
struct Level {
    level: u32,
    next: *mut Level,
    pages: [AtomicPtr<Page>; PAGES],
}

/// A location's seat: where it is, who works for it, and what is given back to it. Each has a cache
/// line for itself, because threads give tasks back to several locations at the same time.
#[derive(Default)]
#[repr(align(64))]
pub struct Seat {
    /// The location, which begins with its header; null before it was made.
    pub location: AtomicPtr<LocationHeader>,
    levels: AtomicPtr<Level>,
    returned: AtomicPtr<Task>,
}

// SAFETY: null pointers are the default.
unsafe impl Zeroed for Seat {}

impl Seat {
    /// The place of thread `thread` of this location's teams at nesting level `level`; a thread's
    /// path of numbers is what makes it one location. `None`: too many threads.
    pub fn worker(&self, level: u32, thread: u32) -> Option<&AtomicPtr<LocationHeader>> {
        let level = self.level(level);
        let (page, place) = (thread as usize / SEATS_PER_PAGE, thread as usize % SEATS_PER_PAGE);
        let page = level.pages.get(page)?;
        let mut known = page.load(Ordering::Acquire);
        if known.is_null() {
            known = publish(page, Box::new(std::array::from_fn(|_| AtomicPtr::new(null_mut()))));
        }
        // SAFETY: pages are never freed once they are published.
        Some(unsafe { &(*known)[place] })
    }

    fn level(&self, level: u32) -> &Level {
        loop {
            let head = self.levels.load(Ordering::Acquire);
            let mut at = head;
            // SAFETY: levels are never freed, and only `levels` itself changes.
            while let Some(known) = unsafe { at.as_ref() } {
                if known.level == level {
                    return known;
                }
                at = known.next;
            }
            let pages = std::array::from_fn(|_| AtomicPtr::new(null_mut()));
            let fresh = Box::into_raw(Box::new(Level { level, next: head, pages }));
            let order = (Ordering::AcqRel, Ordering::Acquire);
            if self.levels.compare_exchange(head, fresh, order.0, order.1).is_err() {
                // SAFETY: it was made just above and published nowhere.
                drop(unsafe { Box::from_raw(fresh) });
            }
        }
    }

    /// Gives back a task instance that this location made.
    ///
    /// # Safety
    /// Nobody else may name the instance any more.
    pub unsafe fn give_back(&self, task: *mut Task) {
        let mut head = self.returned.load(Ordering::Relaxed);
        loop {
            // SAFETY: the caller's promise.
            unsafe { (*task).below = head };
            let order = (Ordering::Release, Ordering::Relaxed);
            match self.returned.compare_exchange_weak(head, task, order.0, order.1) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }

    /// All instances that were given back, chained; null for none.
    pub fn take_returned(&self) -> *mut Task {
        if self.returned.load(Ordering::Relaxed).is_null() {
            return null_mut();
        }
        self.returned.swap(null_mut(), Ordering::Acquire)
    }
}

fn publish<T>(place: &AtomicPtr<T>, fresh: Box<T>) -> *mut T {
    let fresh = Box::into_raw(fresh);
    match place.compare_exchange(null_mut(), fresh, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => fresh,
        Err(other) => {
            // SAFETY: `fresh` comes from `into_raw` just above and was published nowhere.
            drop(unsafe { Box::from_raw(fresh) });
            other
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn places_are_one_per_level_and_number() {
        let seat = Seat::default();
        let place = |level, thread| seat.worker(level, thread).map(std::ptr::from_ref);
        assert_eq!(place(1, 3), place(1, 3));
        assert_ne!(place(1, 3), place(2, 3));
        assert_ne!(place(1, 3), place(1, 4 + SEATS_PER_PAGE as u32));
        assert_eq!(place(1, (PAGES * SEATS_PER_PAGE) as u32), None);
    }
}
