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
    pub late: Box<[i64]>,
}

/// Parts of ticks.
pub(super) fn units(ticks: u64) -> i64 {
    i64::try_from(ticks).unwrap_or(i64::MAX).saturating_mul(UNIT)
}

impl Clocks {
    /// The begin of time in this number of scenarios.
    pub fn new(scenarios: usize) -> Clocks {
        Clocks { time: 0, late: vec![0; scenarios].into_boxed_slice() }
    }

    /// The later one of two moments, in each scenario.
    pub fn join(&mut self, other: &Clocks) {
        self.time = join_late((self.time, &mut self.late), other);
    }

    /// When all locations of a meeting are there, in each scenario. In those of `even` all of them
    /// come at the mean of their times.
    pub fn meeting(own: &Clocks, others: &[&Clocks], even: &[usize]) -> Clocks {
        let mut all = own.clone();
        others.iter().for_each(|other| all.join(other));
        for &scenario in even {
            let late = |of: &Clocks| {
                i128::from(of.late[scenario]) - i128::from(units(all.time.saturating_sub(of.time)))
            };
            let sum = late(own) + others.iter().copied().map(&late).sum::<i128>();
            let mean = sum / (others.len() as i128 + 1);
            all.late[scenario] = i64::try_from(mean).unwrap_or(i64::MAX);
        }
        all
    }

    /// In these scenarios the location goes on as it does in the other moment.
    pub fn take(&mut self, other: &Clocks, scenarios: &[usize]) {
        for &scenario in scenarios {
            self.late[scenario] = other.late[scenario];
        }
    }
}

/// The later one of two moments, in each scenario, of which the first one is a time with its
/// differences. Returns the time.
pub(super) fn join_late((own, late): (u64, &mut [i64]), other: &Clocks) -> u64 {
    let time = own.max(other.time);
    let (own, others) = (units(time - own), units(time - other.time));
    for (late, other) in late.iter_mut().zip(&other.late) {
        *late = late.saturating_sub(own).max(other.saturating_sub(others));
    }
    time
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

    /// The moments are 10, 16 and 4; in the second scenario 10, 12 and 8.
    #[test]
    fn a_meeting_is_at_the_last_moment_or_at_their_mean() {
        let (own, late, early) = (at(10, &[0, 0]), at(16, &[0, -4]), at(4, &[0, 4]));
        let all = [&late, &early];
        assert_eq!(Clocks::meeting(&own, &all, &[]), at(16, &[0, -4]));
        let even = Clocks::meeting(&own, &all, &[0, 1]);
        assert_eq!(even, at(16, &[-6, -6]));
        let mut clocks = at(16, &[0, -4]);
        clocks.take(&even, &[0]);
        assert_eq!(clocks, at(16, &[-6, -4]));
        assert_eq!(Clocks::meeting(&own, &[], &[0]), own);
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
