//! The end of a thread's part of a region, for its explicit tasks.

use super::abandon::abandon;
use crate::iteration::kept;
use crate::location::{Location, gate};

/// At the end of a thread's part of a region its implicit task is the current one.
pub fn abandon_all(thread: &mut Location) {
    if thread.gate & gate::ENDING != 0 {
        kept::end_last(thread);
    }
    while abandon(thread) {}
}
