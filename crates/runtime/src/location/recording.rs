//! What a thread passes over: everything while recording is off, and what lies below a call path
//! that could not be made. Enters are counted until their exits, so that both find their end, and
//! the time goes to a region that stands for it, or to the node where it began.

use std::ptr::null_mut;

use pompeii_live::{Key, encode};

use crate::location::{Location, gate};
use crate::task::instance::Task;

/// Where recording was switched off: it is back on when that part of the program ends.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Off {
    depth: u32,
    task: *mut Task,
}

/// What is passed over, and since where.
pub struct Passing {
    /// Regions that were entered meanwhile and not left yet.
    skipped: u32,
    off: Off,
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

    /// Passes over an exit, unless it is that of a region around.
    pub fn skip_exit(&mut self, region: u32, now: u64) {
        if !self.unskip() {
            self.exit_while_off(region, now);
        }
    }

    /// Leaves a region that was entered before recording was switched off in it.
    fn exit_while_off(&mut self, region: u32, now: u64) {
        if self.passing.off == self.place() && self.is_open(Key::Region(region).encode()) {
            self.switch_recording(true, now);
            self.exit(region, now);
            self.switch_recording(false, now);
        }
    }

    fn place(&self) -> Off {
        Off { depth: self.contexts.depth(), task: self.tasks.current() }
    }

    /// Turns recording on this thread on or off. While it is off, time goes to a region that
    /// stands for that, so that sums stay true; regions met meanwhile are passed over.
    #[cold]
    pub fn switch_recording(&mut self, on: bool, now: u64) {
        let is_on = self.gate & gate::OFF == 0;
        if on == is_on || self.gate & gate::SKIPPING != 0 {
            return;
        }
        let region = self.process.off_region();
        // It is switched already: a window has no say in the events of that.
        let watched = self.gate & gate::WINDOW;
        self.gate &= !watched;
        if on {
            self.gate &= !gate::OFF;
            self.passing.skipped = 0;
            self.record_mode(now, 1);
            self.exit(region, now);
        } else {
            let now = self.enter(region, now);
            self.record_mode(now, 2);
            (self.passing.off, self.passing.skipped) = (self.place(), 0);
            self.gate |= gate::OFF;
        }
        self.gate |= watched;
    }

    fn record_mode(&mut self, now: u64, mode: u8) {
        if self.tracing {
            self.event(now, |room, last| encode::measurement_on_off(room, last, now, mode));
        }
    }

    /// Recording goes on where it was switched off by what ends here.
    pub fn end_off(&mut self, now: u64) {
        if self.gate & gate::OFF != 0 && self.passing.off == self.place() {
            self.switch_recording(true, now);
        }
    }

    /// A task or a thread's part of a region ends here: what is passed over in it ends with it.
    #[cold]
    pub fn resynchronise(&mut self, now: u64) {
        self.end_off(now);
        if self.gate & gate::OFF == 0 {
            self.passing.skipped = 0;
            self.gate &= !gate::SKIPPING;
        }
        self.flush_gate(now);
    }
}
