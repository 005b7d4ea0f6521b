//! From the clock of one location to the common one of the archive, by the offsets between them
//! that were measured at several times.

use crate::definition::ClockOffset;

/// The clock of a location against the common one, at several times.
///
/// Between two offsets the correction is linear; outside, the nearest two continue. A single offset
/// holds at all times (the reference library silently ignores it).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClockCorrection {
    intervals: Vec<Interval>,
    last_offset: Option<ClockOffset>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    begin: u64,
    end: u64,
    offset: i64,
    slope: f64,
}

impl ClockCorrection {
    /// Adds an offset. `false`: its time is not later than that of the one before; it is ignored.
    pub fn add(&mut self, next: &ClockOffset) -> bool {
        if let Some(last) = &self.last_offset {
            let (begin, end) = (last.time.0, next.time.0);
            if end <= begin {
                return false;
            }
            let growth = next.offset.wrapping_sub(last.offset) as f64;
            let slope = growth / (end - begin) as f64;
            self.intervals.push(Interval { begin, end, offset: last.offset, slope });
        }
        self.last_offset = Some(next.clone());
        true
    }

    /// Changes no time.
    #[inline]
    pub fn is_identity(&self) -> bool {
        let offset = self.last_offset.as_ref().map_or(0, |last| last.offset);
        (!self.intervals.is_empty() || offset == 0)
            && self.intervals.iter().all(|interval| interval.offset == 0 && interval.slope == 0.0)
    }

    /// The common time of the location's time `time`, in ticks.
    pub fn correct(&self, time: u64) -> u64 {
        let index = self.intervals.partition_point(|interval| interval.end < time);
        let Some(interval) = self.intervals.get(index).or(self.intervals.last()) else {
            let offset = self.last_offset.as_ref().map_or(0, |last| last.offset);
            return time.wrapping_add_signed(offset);
        };
        let since = if time >= interval.begin {
            (time - interval.begin) as f64
        } else {
            -((interval.begin - time) as f64)
        };
        let drift = (interval.slope * since).round_ties_even() as i64;
        time.wrapping_add_signed(interval.offset.wrapping_add(drift))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Timestamp;

    fn correction(offsets: &[(u64, i64)]) -> ClockCorrection {
        let mut correction = ClockCorrection::default();
        for &(time, offset) in offsets {
            let time = Timestamp(time);
            assert!(correction.add(&ClockOffset { time, offset, standard_deviation: 0.0 }));
        }
        correction
    }

    #[test]
    fn interpolates_and_continues() {
        let correction = correction(&[(100, 10), (200, 20), (300, 0)]);
        let corrected = [0, 100, 150, 200, 250, 300, 400].map(|time| correction.correct(time));
        assert_eq!(corrected, [0, 110, 165, 220, 260, 300, 380]);
    }

    #[test]
    fn one_offset_holds_at_all_times() {
        let one = correction(&[(100, 10)]);
        assert_eq!([50, 150].map(|time| one.correct(time)), [60, 160]);
        assert!(!one.is_identity() && correction(&[(100, 0)]).is_identity());
        assert!(correction(&[(100, 0), (200, 0)]).is_identity());
    }

    #[test]
    fn times_must_increase() {
        let mut correction = correction(&[(100, 10)]);
        let again = ClockOffset { time: Timestamp(100), ..ClockOffset::default() };
        assert!(!correction.add(&again));
    }
}
