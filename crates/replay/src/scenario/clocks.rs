//! The clocks of a moment on a location: when it was, and how much later it would be in each
//! scenario. Only the differences are kept. Therefore a recorded run without changes has its
//! recorded times exactly, whatever is wrong with the trace.

use super::UNIT;

/// A moment in all scenarios.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Clocks {
    /// When it was in the recorded run.
    pub time: u64,
    /// By scenario: how much later it would be, in parts of a tick ([`UNIT`]).
    pub late: Vec<i64>,
}

/// Parts of ticks.
pub(super) fn units(ticks: u64) -> i64 {
    i64::try_from(ticks).unwrap_or(i64::MAX).saturating_mul(UNIT)
}

impl Clocks {
    /// The begin of time in this number of scenarios.
    pub fn new(scenarios: usize) -> Clocks {
        Clocks { time: 0, late: vec![0; scenarios] }
    }

    /// The later one of two moments, in each scenario.
    pub fn join(&mut self, other: &Clocks) {
        let time = self.time.max(other.time);
        let (own, others) = (units(time - self.time), units(time - other.time));
        for (late, other) in self.late.iter_mut().zip(&other.late) {
            *late = late.saturating_sub(own).max(other.saturating_sub(others));
        }
        self.time = time;
    }
}

/// Joins a moment to another one, if there is one.
pub(super) fn join(to: &mut Option<Clocks>, clocks: &Clocks) {
    match to {
        Some(known) => known.join(clocks),
        None => *to = Some(clocks.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: u64, late: &[i64]) -> Clocks {
        Clocks { time, late: late.iter().map(|ticks| ticks * UNIT).collect() }
    }

    /// In the scenarios the moments are 10 and 12, 4 and 12, 10 and 9, 4 and 5.
    #[test]
    fn the_later_moment_counts_in_each_scenario() {
        let mut clocks = at(10, &[0, -6, 0, -6]);
        clocks.join(&at(12, &[0, 0, -3, -7]));
        assert_eq!(clocks, at(12, &[0, 0, -2, -7]));
        // The order makes no difference.
        let mut clocks = at(12, &[0, 0, -3, -7]);
        clocks.join(&at(10, &[0, -6, 0, -6]));
        assert_eq!(clocks, at(12, &[0, 0, -2, -7]));
    }

    #[test]
    fn times_that_do_not_fit_are_the_largest_ones() {
        let mut clocks = at(0, &[0]);
        clocks.join(&at(u64::MAX, &[-1]));
        assert_eq!(clocks, at(u64::MAX, &[-1]));
        let mut none = None;
        join(&mut none, &clocks);
        join(&mut none, &at(3, &[5]));
        assert_eq!(none, Some(clocks));
    }
}
