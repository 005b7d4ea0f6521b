//! Recording is switched off and on: the time in between goes to a region that stands for it, and
//! what the thread passes over meanwhile is counted (`location/passing.rs`).

use pompeii_live::{Key, encode};

use crate::location::{Location, gate};

impl Location {
    /// Passes over an exit, unless it is that of a region around.
    pub fn skip_exit(&mut self, region: u32, now: u64) {
        if !self.unskip() {
            self.exit_while_off(region, now);
        }
    }

    /// Leaves a region that was entered before recording was switched off in it.
    fn exit_while_off(&mut self, region: u32, now: u64) {
        if self.passing.off == self.off_place() && self.is_open(Key::Region(region).encode()) {
            self.switch_recording(true, now);
            self.exit(region, now);
            self.switch_recording(false, now);
        }
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
            (self.passing.off, self.passing.skipped) = (self.off_place(), 0);
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
        if self.gate & gate::OFF != 0 && self.passing.off == self.off_place() {
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
