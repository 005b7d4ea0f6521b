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
use super::barriers::divide;

/// A difference is called steady if at least this share of the loss is: otherwise most of the loss
/// would stay after a perfect redistribution.
const STEADY_SHARE: f64 = 0.5;
/// Below this share the steady part is not worth a word.
const CHANGING_SHARE: f64 = 0.25;
/// From so many visits on, chance is told from a cause by a test. With fewer, no test of counts can
/// reach the limit for a few dozens of constructs.
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
        let is_large = self.steady() * 100 >= allocation;
        match lateness {
            _ if share < CHANGING_SHARE => Kind::Changing,
            Lateness::Chance => Kind::Both,
            _ if share >= STEADY_SHARE && is_large => Kind::Steady,
            _ => Kind::Both,
        }
    }
}

/// What a repair brings at least that removes most of the waits, but not all.
pub(super) fn most_of(ticks: Ticks) -> Ticks {
    ticks * 3 / 5
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

/// What the counts of last arrivals say about the late member.
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
    /// Of a member that was last in `late` of `visits` of a team, in a program with so many
    /// constructs. The test is on counts: with `members` that are equal, each is last with
    /// probability 1/N. It does not see by how much a member is late. For the exact test (a t test
    /// of its delay, arrival minus the team's mean arrival) the profile would need the sum and the
    /// sum of squares of this delay, per thread and construct.
    pub(super) fn new(late: i64, visits: i64, members: i64, constructs: usize) -> Self {
        let limit = CHANCE / constructs.max(1) as f64;
        match visits {
            0 => Self::NotTested,
            1..ENOUGH_VISITS if late == visits => Self::Always,
            1..ENOUGH_VISITS => Self::NotTested,
            _ if at_least(late, visits, 1.0 / members.max(1) as f64) < limit => Self::Always,
            _ => Self::Chance,
        }
    }
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
        assert_eq!(Lateness::new(120, 200, 2, 30), Lateness::Chance);
        assert_eq!(Lateness::new(192, 200, 2, 30), Lateness::Always);
        assert_eq!(Lateness::new(3, 3, 2, 30), Lateness::Always);
        assert_eq!(Lateness::new(2, 3, 2, 30), Lateness::NotTested);
        assert_eq!(Lateness::new(0, 0, 2, 30), Lateness::NotTested);
        assert_eq!(Lateness::new(90_000, 128_000, 2, 1), Lateness::Always);
    }
}
