//! What a thread passes over: everything while recording is off, and what lies below a call path
//! that could not be made. Enters are counted until their exits, so that both find their end.

use std::ptr::null_mut;

use crate::location::{Location, gate};
use crate::task::instance::Task;

/// Where recording was switched off: it is back on when that part of the program ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Off {
    depth: u32,
    task: *mut Task,
}

/// Which events of a thread are ignored at present.
pub struct Passing {
    /// Regions that were entered meanwhile and not left yet.
    pub skipped: u32,
    /// Where recording was switched off last.
    pub off: Off,
}

impl Default for Passing {
    fn default() -> Self {
        Self { skipped: 0, off: Off { depth: 0, task: null_mut() } }
    }
}

impl Location {
    /// Whether events are passed over at present.
    #[inline(always)]
    pub fn is_passing(&self) -> bool {
        self.gate & (gate::SKIPPING | gate::OFF) != 0
    }

    /// Passes over the begin of a task as if it was the enter of a region.
    pub fn skip(&mut self) {
        self.passing.skipped += 1;
    }

    /// The end of what [`Location::skip`] has passed over.
    pub fn unskip(&mut self) -> bool {
        if !self.is_passing() || self.passing.skipped == 0 {
            return false;
        }
        self.passing.skipped -= 1;
        if self.passing.skipped == 0 {
            self.gate &= !gate::SKIPPING;
        }
        true
    }

    /// A call path cannot be made: passes over its visit, and what is in it.
    #[cold]
    pub fn skip_inside(&mut self) {
        self.passing.skipped = 1;
        self.gate |= gate::SKIPPING;
    }

    /// Passes over an enter.
    pub fn skip_enter(&mut self) {
        self.skip();
        if self.gate & gate::SKIPPING != 0 {
            self.process.lost(1, 0);
        }
    }

    /// Where recording is switched off, if it is now.
    pub fn off_place(&self) -> Off {
        Off { depth: self.contexts.depth(), task: self.tasks.current() }
    }
}
