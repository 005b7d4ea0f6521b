//! Imbalance, exactly: how much of a waiting time comes back in each visit on the same member of a
//! team, and how much does not.
//!
//! Let W_i be the waiting time of member i of N, and m the member with the least. All members have
//! waited at least W_m, so N x W_m is the changing part: noise, alternation or preemption, which
//! hits each member in turn. The rest, the sum of (W_i - W_m), is the steady part: m has more work
//! than the others. Only the steady part can be redistributed: if the work is spread evenly, the
//! last member arrives earlier by mean W - W_m. The changing part is worth up to W_m more, if the
//! synchronisation is removed or if each visit is balanced.
//!
//! The same numbers describe threads at a barrier and ranks before a collective operation.

use pompeii_model::Ticks;

use super::Gain;
use super::fractions::{divide, most_of};

/// A difference is called steady if at least this share of the loss is: otherwise most of the loss
/// would stay after a perfect redistribution.
const STEADY_SHARE: f64 = 0.5;
/// Below this share the steady part is not worth a word.
const CHANGING_SHARE: f64 = 0.25;
/// From this number of visits on, a test tells chance from a cause. With fewer, no test of counts
/// can reach the limit for a few dozens of constructs.
pub(super) const ENOUGH_VISITS: i64 = 20;
/// Probability by which one program may get a wrong word by chance; each of its constructs has the
/// same part of it.
const CHANCE: f64 = 0.001;

/// The waiting of one team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// Members of the team.
    pub(super) members: i64,
    /// Position of the member with the least waiting.
    pub(super) late: usize,
    /// Its waiting, W_m.
    pub(super) least: Ticks,
    /// Waiting of all members.
    pub(super) sum: Ticks,
}

impl Parts {
    /// The parts of the waiting times of a team's members; `None` without members.
    pub(super) fn new(waits: &[Ticks]) -> Option<Self> {
        let (late, &least) = waits.iter().enumerate().min_by_key(|(_, ticks)| **ticks)?;
        Some(Self { members: waits.len() as i64, late, least, sum: waits.iter().sum() })
    }

    /// Of several teams: sums, and the late member of the team with the largest steady part. Since
    /// `least` is then a mean over all members, gains are those of the mean team.
    pub(super) fn of_teams(teams: impl Iterator<Item = Vec<Ticks>>) -> Self {
        let all: Vec<Self> = teams.filter_map(|waits| Self::new(&waits)).collect();
        let most = all.iter().rev().max_by_key(|parts| parts.steady());
        let changing = all.iter().map(|parts| parts.changing()).sum();
        let members = all.iter().map(|parts| parts.members).sum();
        Self {
            members,
            late: most.map_or(0, |parts| parts.late),
            least: divide(changing, members),
            sum: all.iter().map(|parts| parts.sum).sum(),
        }
    }

    /// What hits each member in turn.
    pub(super) fn changing(self) -> Ticks {
        self.members * self.least
    }

    /// What the late member causes in each visit.
    pub(super) fn steady(self) -> Ticks {
        self.sum - self.changing()
    }

    /// Mean waiting of a member.
    pub(super) fn mean(self) -> Ticks {
        divide(self.sum, self.members)
    }

    /// What an even spread of the work brings. The changing part is worth up to W_m more. It may
    /// also hide as much of the difference that was measured, but not more than half of it.
    pub(super) fn redistributed(self) -> Gain {
        let gain = self.mean() - self.least;
        Gain::between((gain - self.least).max(gain / 2), gain, self.mean())
    }

    /// What balancing each visit brings.
    pub(super) fn balanced(self) -> Gain {
        Gain::between(most_of(self.mean()), self.mean(), self.mean())
    }

    /// The word for it.
    pub(super) fn kind(self, lateness: Lateness, allocation: Ticks) -> Kind {
        let share = self.steady() as f64 / self.sum.max(1) as f64;
        // A steady part below one percent of the run is not worth a repair.
        let is_large = i128::from(self.steady()) * 100 >= i128::from(allocation);
        match lateness {
            _ if share < CHANGING_SHARE => Kind::Changing,
            Lateness::Chance => Kind::Both,
            _ if share >= STEADY_SHARE && is_large => Kind::Steady,
            _ => Kind::Both,
        }
    }
}

/// Which part of the waiting is to be repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The same member is late each time.
    Steady,
    /// The members are late in turn.
    Changing,
    /// Neither explains the loss alone, or the late member is not proven.
    Both,
}

/// What was measured about when a member arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Delays {
    /// Visits of the member.
    pub(super) visits: i64,
    /// Its arrivals minus the mean arrivals of its team, in microseconds.
    pub(super) sum_us: f64,
    /// Their squares.
    pub(super) squares_us: f64,
}

/// Sums of squares are rounded to units of 100 square microseconds.
const ROUNDED_US: f64 = 50.0;

impl Delays {
    /// Probability that a member which is not late on average has such a mean delay or a larger one
    /// (one-sided t test).
    fn chance(self) -> f64 {
        let n = self.visits as f64;
        let mean = self.sum_us / n;
        if n < 2.0 || mean <= 0.0 {
            return 1.0;
        }
        let variance = ((self.squares_us + ROUNDED_US - n * mean * mean) / (n - 1.0)).max(0.0);
        match variance / n {
            0.0 => 0.0,
            of_mean => student_tail(mean / of_mean.sqrt(), n - 1.0),
        }
    }
}

/// What is known of the late member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lateness {
    /// It was last in all of a few visits, or significantly often in many.
    Always,
    /// There are too few visits for a test, and others were last too, or the counts are not known.
    NotTested,
    /// It was last as often as chance would have it.
    Chance,
}

impl Lateness {
    /// Of a member that was last in `late` of `visits` of a team, in a program with this number of
    /// constructs: a t test of its `delays`. Where they were not measured, a test of the counts:
    /// of `members` that are equal, each is last with probability 1/N.
    pub(super) fn new(
        (late, visits): (i64, i64),
        members: i64,
        constructs: usize,
        delays: Option<Delays>,
    ) -> Self {
        let limit = CHANCE / constructs.max(1) as f64;
        let chance = || match delays {
            Some(delays) => delays.chance(),
            None => at_least(late, visits, 1.0 / members.max(1) as f64),
        };
        match visits {
            0 => Self::NotTested,
            1..ENOUGH_VISITS if late == visits => Self::Always,
            1..ENOUGH_VISITS => Self::NotTested,
            _ if chance() < limit => Self::Always,
            _ => Self::Chance,
        }
    }
}

/// Probability of `t` or more in Student's distribution with `freedom` degrees of freedom; `t` > 0.
fn student_tail(t: f64, freedom: f64) -> f64 {
    0.5 * incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t))
}

/// The regularised incomplete beta function, by its continued fraction (Lentz's method), which
/// converges fast for x < (a + 1) / (a + b + 2); the rest follows from I_x(a, b) = 1 - I_1-x(b, a).
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln();
    let away_from_0 = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let (mut c, mut d) = (1.0, 1.0 / away_from_0(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for step in 1..10_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        for term in [even, odd] {
            d = 1.0 / away_from_0(1.0 + term * d);
            c = away_from_0(1.0 + term / c);
            fraction *= d * c;
        }
        if (d * c - 1.0).abs() < 1e-12 {
            break;
        }
    }
    (front + fraction.ln()).exp() / a
}

/// Natural logarithm of the gamma function for x > 0.
fn ln_gamma(x: f64) -> f64 {
    // Stirling's series is exact enough from 20 on, and gamma(x + 1) = x gamma(x).
    let (mut x, mut before) = (x, 0.0);
    while x < 20.0 {
        before += x.ln();
        x += 1.0;
    }
    ln_factorial(x) - x.ln() - before
}

/// Probability of `successes` or more in `trials`, each with probability `p` (binomial).
fn at_least(successes: i64, trials: i64, p: f64) -> f64 {
    if successes <= 0 || p >= 1.0 {
        return 1.0;
    }
    let (k, n) = (successes as f64, trials as f64);
    // Below the mean the tail is more than any limit; above it the terms fall geometrically.
    if k <= n * p {
        return 1.0;
    }
    let choose = ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k);
    let mut term = (choose + k * p.ln() + (n - k) * (1.0 - p).ln()).exp();
    let (mut sum, mut at) = (0.0, k);
    while term > sum * 1e-12 && at <= n {
        sum += term;
        term *= (n - at) / (at + 1.0) * p / (1.0 - p);
        at += 1.0;
    }
    sum
}

/// Natural logarithm of n!, by Stirling's series from 20 on (error below 1e-9).
fn ln_factorial(n: f64) -> f64 {
    if n < 20.0 {
        return (2..=n as i64).map(|i| (i as f64).ln()).sum();
    }
    n * n.ln() - n + 0.5 * (2.0 * std::f64::consts::PI * n).ln() + 1.0 / (12.0 * n)
        - 1.0 / (360.0 * n.powi(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_steady_part_is_redistributed() {
        let parts = Parts::new(&[10, 90, 80, 60]).unwrap();
        assert_eq!((parts.late, parts.changing(), parts.steady()), (0, 40, 200));
        assert_eq!(parts.redistributed(), Gain::between(40, 50, 60));
        assert_eq!(parts.balanced(), Gain::between(36, 60, 60));
        assert_eq!(Parts::new(&[]), None);
    }

    /// Reports may have sums of up to 2^61.
    #[test]
    fn large_times_fit() {
        let parts = Parts::new(&[0, 1 << 61]).unwrap();
        assert_eq!(parts.kind(Lateness::Always, 1 << 61), Kind::Steady);
        assert_eq!(parts.balanced().low_ticks, (1 << 60) / 5 * 3);
        let text = format!(
            "wall={0} locations=2
             a                                         0  time={0}
             a/parallel@a.c:2                          0  time={0}
             a/parallel@a.c:2/for@a.c:3                0  time={0}
             a/parallel@a.c:2/implicit barrier@a.c:9   1  time={0} omp_ibarrier_wait={0}",
            1_i64 << 58
        );
        let cube = crate::derive(&crate::notation::cube(&text).unwrap());
        assert!(!crate::findings(&cube).is_empty());
    }

    #[test]
    fn steady_changing_and_both() {
        let kind = |waits: &[Ticks], lateness| Parts::new(waits).unwrap().kind(lateness, 2000);
        assert_eq!(kind(&[10, 400], Lateness::Always), Kind::Steady);
        assert_eq!(kind(&[10, 400], Lateness::NotTested), Kind::Steady);
        assert_eq!(kind(&[10, 400], Lateness::Chance), Kind::Both);
        assert_eq!(kind(&[100, 120], Lateness::Always), Kind::Changing);
        assert_eq!(kind(&[100, 220], Lateness::Always), Kind::Both);
        // Less than one percent of the run.
        assert_eq!(kind(&[0, 19], Lateness::Always), Kind::Both);
    }

    /// The tail of the binomial distribution, against values of a table.
    #[test]
    fn chance_has_its_probability() {
        let close = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-6;
        assert!(close(at_least(8, 10, 0.5), 56.0 / 1024.0));
        assert!(close(at_least(20, 20, 0.25), 0.25_f64.powi(20)));
        assert!(close(at_least(60, 100, 0.5), 0.028_443_966_820_5));
        assert!(at_least(50, 100, 0.5) > 0.5);
        assert_eq!(at_least(1, 30, 0.0), 0.0);
    }

    #[test]
    fn a_coin_is_not_late() {
        // 60 % of 200 visits with 2 threads and 30 constructs may be chance; 96 % is not.
        let of = |counts, constructs| Lateness::new(counts, 2, constructs, None);
        assert_eq!(of((120, 200), 30), Lateness::Chance);
        assert_eq!(of((192, 200), 30), Lateness::Always);
        assert_eq!(of((3, 3), 30), Lateness::Always);
        assert_eq!(of((2, 3), 30), Lateness::NotTested);
        assert_eq!(of((0, 0), 30), Lateness::NotTested);
        assert_eq!(of((90_000, 128_000), 1), Lateness::Always);
    }

    /// The tail of Student's distribution, against values of a table.
    #[test]
    fn a_mean_has_its_probability() {
        let close = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-3;
        assert!(close(student_tail(1.0, 1.0), 0.25));
        assert!(close(student_tail(2.086, 20.0), 0.025));
        assert!(close(student_tail(3.552, 20.0), 0.001));
        assert!(close(student_tail(3.174, 100.0), 0.001));
        assert!(close(student_tail(3.0902, 1e7), 0.001));
        assert!((student_tail(1e-9, 5.0) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn how_late_a_member_is_counts_and_not_how_often() {
        let of = |visits: i64, delays: &[f64]| {
            let each = delays.iter().cycle().take(visits as usize);
            let sum_us = each.clone().sum();
            let squares_us = each.map(|delay| delay * delay).sum();
            let delays = Delays { visits, sum_us, squares_us };
            Lateness::new((visits / 2, visits), 2, 30, Some(delays))
        };
        // Late by the same in each visit; in every second visit, by far more than it is early.
        assert_eq!(of(200, &[40.0]), Lateness::Always);
        assert_eq!(of(200, &[100.0, -20.0]), Lateness::Always);
        assert_eq!(of(200, &[100.0, -100.0]), Lateness::Chance);
        // One visit of many is very late: a preemption.
        let mut once = vec![0.0; 200];
        once[7] = 10_000.0;
        assert_eq!(of(200, &once), Lateness::Chance);
        assert_eq!(of(200, &[-40.0]), Lateness::Chance);
    }
}
