//! How the time of a trace is divided: into bins that are powers of two long, in levels whose bins
//! are four times as long as those of the level below.
//!
//! The finest bins have about ten events each. Finer pictures are made from the events themselves.
//! The coarsest level has about as many bins as a screen has columns.

/// Events per bin of the finest level, at most.
const EVENTS_PER_BIN: u64 = 16;
/// The coarsest level has at least this number of bins, as a power of two.
const COARSEST_BINS_LOG2: u32 = 9;
/// Levels with at most this number of bins are read with each picture of the whole run.
const COARSE_BINS_MAX: u64 = 8192;
/// Bits of the number of a bin.
pub(crate) const BIN_BITS: u32 = 28;
/// Bits of a time or a duration of an interval.
pub(crate) const TIME_BITS: u32 = 48;

/// The division of time of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The earliest time, in ticks.
    pub origin: u64,
    /// Ticks from the origin to the end.
    pub length: u64,
    /// Rows count time in units of this power of two of ticks. It is 0 for all traces that are
    /// shorter than 2^48 ticks.
    pub unit_log2: u8,
    /// Length of a bin of the finest level, as a power of two of units.
    pub finest_log2: u8,
    /// Number of levels, at least 1.
    pub levels: u8,
}

impl Shape {
    /// The shape for a trace from `origin` to `end` ticks, whose locations have this number of
    /// events on average.
    pub fn new(origin: u64, end: u64, events_per_location: u64) -> Shape {
        let length = end.saturating_sub(origin).max(1);
        let unit_log2 = bits(length).saturating_sub(TIME_BITS);
        let units = length >> unit_log2;
        let per_bin = u128::from(units) * u128::from(EVENTS_PER_BIN);
        let finest_ticks = per_bin / u128::from(events_per_location.max(1));
        let wanted = bits(u64::try_from(finest_ticks).unwrap_or(u64::MAX)).saturating_sub(1);
        // All bins have a number, and there is at least one.
        let least = bits(units).saturating_sub(BIN_BITS);
        let finest_log2 = wanted.clamp(least, bits(units).saturating_sub(1).max(least));
        let above = bits(units).saturating_sub(finest_log2 + COARSEST_BINS_LOG2 + 1);
        Shape {
            origin,
            length,
            unit_log2: unit_log2 as u8,
            finest_log2: finest_log2 as u8,
            levels: (above / 2 + 1) as u8,
        }
    }

    /// A time in units after the origin. Times outside of the trace are at its border.
    #[inline]
    pub fn units(&self, time: u64) -> u64 {
        time.saturating_sub(self.origin).min(self.length) >> self.unit_log2
    }

    /// Ticks since the origin.
    #[inline]
    pub(crate) fn ticks(&self, time: u64) -> u64 {
        time.saturating_sub(self.origin)
    }

    /// Length of a bin of a level, as a power of two of units.
    #[inline]
    pub fn bin_log2(&self, level: usize) -> u32 {
        u32::from(self.finest_log2) + 2 * level as u32
    }

    /// Whether a picture of the whole run reads this level.
    pub(crate) fn is_coarse(&self, level: usize) -> bool {
        (self.length >> self.unit_log2) >> self.bin_log2(level) <= COARSE_BINS_MAX
    }

    /// The coarsest level whose bins are not longer than 2^`ticks_log2` ticks; `None` if the bins
    /// of all levels are longer.
    pub fn level_for(&self, ticks_log2: u32) -> Option<usize> {
        let finest_ticks_log2 = u32::from(self.finest_log2) + u32::from(self.unit_log2);
        let above = ticks_log2.checked_sub(finest_ticks_log2)?;
        Some((above as usize / 2).min(usize::from(self.levels) - 1))
    }
}

/// Bits that a number needs.
pub(crate) fn bits(number: u64) -> u32 {
    u64::BITS - number.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finest_bins_have_8_to_16_events() {
        for (length, events) in [(1_000_000, 5000), (32_000_000_000, 1_640_000), (1 << 40, 100_000)]
        {
            let shape = Shape::new(1000, 1000 + length, events);
            let bins = (length as f64) / f64::from(1u32 << shape.finest_log2);
            let per_bin = events as f64 / bins;
            assert!((8.0..=16.0).contains(&per_bin), "{per_bin} in {shape:?}");
            let coarsest = length >> shape.bin_log2(usize::from(shape.levels) - 1);
            let is_whole = shape.levels == 1 || coarsest >= 512;
            assert!(is_whole && coarsest < 4096, "{coarsest} in {shape:?}");
        }
    }

    #[test]
    fn any_trace_has_a_shape() {
        let numbers = [0, 1, 2, 1000, 1 << 27, 1 << 28, 1 << 47, 1 << 48, 1 << 63, u64::MAX];
        for (origin, end) in numbers.iter().flat_map(|a| numbers.map(|b| (*a, b))) {
            for events in numbers {
                let shape = Shape::new(origin, end, events);
                let last = shape.units(u64::MAX);
                assert!(bits(last) <= TIME_BITS, "{shape:?}");
                assert!(bits(last >> shape.finest_log2) <= BIN_BITS, "{shape:?}");
                assert!(shape.levels >= 1 && shape.bin_log2(usize::from(shape.levels)) < 64);
                let coarsest = shape.bin_log2(usize::from(shape.levels) - 1);
                assert!(coarsest + u32::from(shape.unit_log2) < 64, "{shape:?}");
            }
        }
    }

    #[test]
    fn levels_are_a_factor_of_4_apart() {
        let shape = Shape { origin: 0, length: 1 << 30, unit_log2: 0, finest_log2: 10, levels: 5 };
        let levels = [9, 10, 11, 12, 18, 19, 40].map(|ticks_log2| shape.level_for(ticks_log2));
        assert_eq!(levels, [None, Some(0), Some(0), Some(1), Some(4), Some(4), Some(4)]);
    }
}
