//! Medians of ratios and how sure they are, by order statistics, so that no distribution is assumed
//! and a run that something disturbed does not count for more than one.

/// A median and the interval that has the true one in it with a probability of 95 % or more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Median {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// How far the interval's ends may be from the median. A ratio is a share of the faulty run, so
/// this is a share of that run too, like the gains that are compared with it: a repair that makes
/// a run ten times as fast need not be known to 0.3 % of the run.
const WIDTH_MAX: f64 = 0.03;

impl Median {
    /// Needs 6 values: of fewer, not even the smallest and the largest enclose the median with
    /// 95 %.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        let rank = lower_rank(values.len())?;
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (low, high) = (sorted[rank - 1], sorted[sorted.len() - rank]);
        Some(Self { value: middle(&sorted), low, high })
    }

    /// Whether both sides are narrow enough for a verdict.
    pub(super) fn is_decided(&self) -> bool {
        self.is_known(WIDTH_MAX)
    }

    /// Whether both sides are at most this wide.
    pub(super) fn is_known(&self, to: f64) -> bool {
        self.high - self.value <= to && self.value - self.low <= to
    }
}

/// The median of some values, 0 of none.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    if sorted.is_empty() { 0.0 } else { middle(&sorted) }
}

fn middle(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 }
}

/// The largest k for which the k-th smallest and the k-th largest of n values enclose the median
/// with at least 95 %: P(B <= k - 1) <= 0.025 for B binomial with n and 1/2.
fn lower_rank(n: usize) -> Option<usize> {
    let mut term = 0.5_f64.powi(i32::try_from(n).ok()?);
    let mut below = term;
    let mut rank = 0;
    while below <= 0.025 && rank < n {
        rank += 1;
        term *= (n - rank + 1) as f64 / rank as f64;
        below += term;
    }
    (rank > 0).then_some(rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_the_tables() {
        // Conover, Practical Nonparametric Statistics: binomial tables for p = 1/2.
        let known = [(5, None), (6, Some(1)), (8, Some(1)), (9, Some(2)), (12, Some(3))];
        for (n, rank) in known.into_iter().chain([(20, Some(6)), (41, Some(14))]) {
            assert_eq!(lower_rank(n), rank, "{n}");
        }
    }

    #[test]
    fn an_interval_is_of_order_statistics() {
        let values = [1.0, 9.0, 1.02, 0.98, 1.01, 0.99, 0.2, 1.025, 0.975];
        let median = Median::of(&values).unwrap();
        assert_eq!(median, Median { value: 1.0, low: 0.975, high: 1.025 });
        assert!(median.is_decided(), "two runs far off do not count");
        assert!(!Median { low: 0.96, ..median }.is_decided());
        assert!(!Median { high: 1.04, ..median }.is_decided());
        let fast = Median { value: 0.1, low: 0.08, high: 0.12 };
        assert!(fast.is_decided(), "2 % of the faulty run, though 20 % of the ratio");
        assert_eq!(Median::of(&values[..5]), None);
    }

    #[test]
    fn an_even_number_has_the_mean_of_two() {
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(&[]), 0.0);
    }
}
