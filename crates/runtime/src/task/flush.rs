//! Records that precede the next one: those of visits that the guard has deferred, and those that
//! are due of tasks.

use super::due;
use crate::guard;
use crate::location::Location;

/// Writes the records of a creation that turned out to be real.
pub(super) fn flush_creation(thread: &mut Location) {
    guard::flush(thread);
    due::write_due_creation(thread);
}

impl Location {
    /// Writes the records that were due.
    #[cold]
    #[inline(never)]
    pub fn flush_gate(&mut self, now: u64) {
        flush_creation(self);
        due::flush_switch(self, now);
    }
}
