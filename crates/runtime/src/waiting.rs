//! What a taskwait waits for: the children of the waiting task that other threads execute. Whoever
//! has executed one to its end says where, and what is said last is what the time was for between
//! the waiting thread's last event and the taskwait's end.
//!
//! A child names its parent's place here by address. Where the parent has not waited for it and is
//! over, another task may wait in the same place; but that is younger than the child.

use crate::shared::AtomicU64;
use crate::shared::Ordering::Relaxed;

/// A task that waits for its children, or does not.
#[derive(Debug)]
pub struct Waiting {
    /// When the creation of the waiting task began, 0 for an implicit one.
    since: AtomicU64,
    /// Where a child was executed last, an opaque word; [`WAITS`] before the first, 0 where the
    /// task does not wait.
    last: AtomicU64,
}

/// No place has this word.
const WAITS: u64 = 1;

impl Waiting {
    /// It does not wait.
    #[cfg(not(loom))]
    pub const fn new() -> Self {
        Self { since: AtomicU64::new(0), last: AtomicU64::new(0) }
    }

    /// The same with the model's atomics, which are none of a constant.
    #[cfg(loom)]
    pub fn new() -> Self {
        Self { since: AtomicU64::new(0), last: AtomicU64::new(0) }
    }

    /// The task, which was created at `since`, waits from here on.
    #[inline(always)]
    pub fn begin(&self, since: u64) {
        self.since.store(since, Relaxed);
        self.last.store(WAITS, Relaxed);
    }

    /// It has waited. Returns where the last child was executed of those that other threads have
    /// executed meanwhile.
    #[inline(always)]
    pub fn end(&self) -> Option<u64> {
        let last = self.last.load(Relaxed);
        self.last.store(0, Relaxed);
        (last > WAITS).then_some(last)
    }

    /// Another thread has executed a child, created at `created`, to its end at `place`.
    pub fn executed(&self, created: u64, place: u64) {
        let waits = self.last.load(Relaxed) != 0;
        if waits && created >= self.since.load(Relaxed) {
            self.last.store(place, Relaxed);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_last_child_of_a_task_that_waits_is_what_it_waits_for() {
        let waiting = Waiting::new();
        waiting.executed(5, 128);
        waiting.begin(10);
        assert_eq!(waiting.end(), None);
        waiting.begin(10);
        waiting.executed(11, 128);
        waiting.executed(12, 256);
        // Of a task that was here before.
        waiting.executed(9, 512);
        assert_eq!(waiting.end(), Some(256));
        assert_eq!(waiting.end(), None);
    }
}
