//! One row of a timeline: a location's innermost regions (`flat`), or one level of its call stack.
//!
//! Intervals of a row do not overlap and arrive in order. Those of class j last from one bin of
//! level j to one bin of level j + 1, and are stored exactly, once. All shorter ones are summed in
//! the bins of level j; a bin becomes a *filler*, and alike neighbours are one run. A picture whose
//! columns are bins of level j has the intervals of class j and above, and the fillers of level j.
//!
//! An interval of class j is at least as long as a bin of level j, so the bin in which it begins
//! gets nothing after it. Therefore levels 0 to j are closed first, then the interval is added to
//! level j + 1, and no bin is written twice.

use crate::cell::{Cell, Exact, Filler, Kind};
use crate::shape::{Shape, bits};
use crate::state::{State, cell_region};
use crate::tally::Tally;

/// The intervals and fillers of a level.
#[derive(Clone, Debug, Default)]
pub(crate) struct Level {
    /// Intervals of this class, in the order of time.
    pub exact: Vec<Exact>,
    /// Runs of bins, in the order of time.
    pub fillers: Vec<Filler>,
    /// The number of the bin that is open.
    bin: u64,
    tally: Tally,
}

/// Makes a row of its intervals.
#[derive(Clone, Debug)]
pub(crate) struct RowBuilder {
    shape: Shape,
    kind: Kind,
    levels: Vec<Level>,
}

impl RowBuilder {
    pub fn new(shape: Shape, kind: Kind) -> RowBuilder {
        RowBuilder { shape, kind, levels: vec![Level::default(); usize::from(shape.levels)] }
    }

    /// Adds an interval, in units. It begins no earlier than the last one has ended. `cuts` tells
    /// which of its ends are not those of the visit.
    #[inline]
    pub fn add(&mut self, states: &[State], start: u64, end: u64, region: u32, cuts: u8) {
        let duration = end.saturating_sub(start);
        if duration == 0 {
            return;
        }
        let region = cell_region(region);
        let finest = u32::from(self.shape.finest_log2);
        let Some(above) = (bits(duration) - 1).checked_sub(finest) else {
            return self.fill(states, 0, (start, end), region);
        };
        let class = (above as usize / 2).min(self.levels.len() - 1);
        for level in 0..=class {
            self.close(states, level);
        }
        self.levels[class].exact.push(Exact { start, duration, region, cuts });
        if class + 1 < self.levels.len() {
            self.fill(states, class + 1, (start, end), region);
        }
    }

    /// Adds an interval that is shorter than a bin of the level to its bins.
    #[inline]
    fn fill(&mut self, states: &[State], level: usize, (start, end): (u64, u64), region: u16) {
        let bin_log2 = self.shape.bin_log2(level);
        let bin = start >> bin_log2;
        let border = (start | ((1 << bin_log2) - 1)).saturating_add(1);
        self.open(states, level, bin).add(region, end.min(border) - start);
        if end > border {
            self.open(states, level, bin + 1).add(region, end - border);
        }
    }

    /// The tally of a bin; the one before is closed.
    #[inline]
    fn open(&mut self, states: &[State], level: usize, bin: u64) -> &mut Tally {
        if self.levels[level].bin != bin {
            self.close(states, level);
            self.levels[level].bin = bin;
        }
        &mut self.levels[level].tally
    }

    /// Writes the open bin of a level, and adds it to the level above.
    fn close(&mut self, states: &[State], level: usize) {
        if self.levels[level].tally.is_empty() {
            return;
        }
        let bin_log2 = self.shape.bin_log2(level);
        let this = &mut self.levels[level];
        let (bin, mut tally) = (this.bin, std::mem::take(&mut this.tally));
        let cell = Cell::of(self.kind, states, &tally, bin_log2);
        match this.fillers.last_mut() {
            Some(last) if last.takes(bin, cell, self.kind) => last.length += 1,
            _ => this.fillers.push(Filler { bin, length: 1, cell }),
        }
        if level + 1 < self.levels.len() {
            let above = self.open(states, level + 1, bin >> 2);
            tally.entries().iter().for_each(|(region, ticks)| above.add(*region, *ticks));
        }
        // The next bin gets its memory.
        tally.clear();
        self.levels[level].tally = tally;
    }

    /// The levels, when all intervals have been added.
    pub fn finish(mut self, states: &[State]) -> Vec<Level> {
        for level in 0..self.levels.len() {
            self.close(states, level);
        }
        self.levels
    }
}
