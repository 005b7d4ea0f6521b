//! The test of Mann and Whitney: how probable it is by chance alone that two samples lie as far
//! apart as they do. It compares ranks, so no shape of the noise is assumed. (Mann, Whitney: *On a
//! Test of Whether one of Two Random Variables is Stochastically Larger than the Other*, 1947.)
//!
//! With ties the distribution is that of all ways to divide the ranks that there are, each rank the
//! mean of those that equal values share.

/// Up to this many values in both samples are counted exactly; of more, the sum of ranks is taken
/// as normally distributed, which differs by less than 0.005 then.
const EXACT_MAX: usize = 24;

/// The smallest probability that samples of these sizes can have: if they do not overlap.
pub(super) fn smallest(before: usize, after: usize) -> f64 {
    let all = before + after;
    // The number of ways to choose the first sample's ranks.
    let ways = (1..=before).fold(1.0, |ways, k| ways * (all - before + k) as f64 / k as f64);
    (2.0 / ways).min(1.0)
}

/// The probability of such a difference by chance, two-sided.
pub(super) fn probability(before: &[f64], after: &[f64]) -> f64 {
    let mut all: Vec<(f64, bool)> = before.iter().map(|&value| (value, true)).collect();
    all.extend(after.iter().map(|&value| (value, false)));
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ranks = doubled_ranks(&all);
    let own = all.iter().zip(&ranks).filter(|((_, is_first), _)| *is_first);
    let sum: usize = own.map(|(_, rank)| rank).sum();
    match ranks.len() <= EXACT_MAX {
        true => exact(&ranks, before.len(), sum),
        false => normal(&ranks, before.len(), sum),
    }
}

/// Twice the rank of each value; equal ones share the mean of theirs.
fn doubled_ranks(sorted: &[(f64, bool)]) -> Vec<usize> {
    let mut ranks = Vec::with_capacity(sorted.len());
    while let Some((value, _)) = sorted.get(ranks.len()) {
        let first = ranks.len();
        let equal = sorted[first..].iter().take_while(|(other, _)| other == value).count().max(1);
        // Ranks from `first + 1` to `first + equal`.
        ranks.extend(std::iter::repeat_n(2 * first + equal + 1, equal));
    }
    ranks
}

/// Counts the choices of `chosen` ranks whose sum is at most, and at least, `sum`.
fn exact(ranks: &[usize], chosen: usize, sum: usize) -> f64 {
    let most: usize = ranks.iter().sum();
    // By number of chosen ranks and their sum: the number of choices.
    let mut choices = vec![vec![0.0_f64; most + 1]; chosen + 1];
    choices[0][0] = 1.0;
    for &rank in ranks {
        for number in (1..=chosen).rev() {
            for total in (rank..=most).rev() {
                choices[number][total] += choices[number - 1][total - rank];
            }
        }
    }
    let all: f64 = choices[chosen].iter().sum();
    let low: f64 = choices[chosen][..=sum].iter().sum();
    let high: f64 = choices[chosen][sum..].iter().sum();
    (2.0 * low.min(high) / all).min(1.0)
}

fn normal(ranks: &[usize], chosen: usize, sum: usize) -> f64 {
    let (all, chosen) = (ranks.len() as f64, chosen as f64);
    let mean = chosen * (all + 1.0) / 2.0;
    // The variance of ranks that are drawn without returning them; ties make it smaller.
    let middle = (all + 1.0) / 2.0;
    let spread: f64 = ranks.iter().map(|&rank| (rank as f64 / 2.0 - middle).powi(2)).sum();
    let variance = chosen * (all - chosen) / (all * (all - 1.0)) * spread;
    if variance == 0.0 {
        return 1.0;
    }
    // Half a rank, because sums are whole numbers.
    let distance = ((sum as f64 / 2.0 - mean).abs() - 0.5).max(0.0) / variance.sqrt();
    complementary_error(distance / std::f64::consts::SQRT_2).min(1.0)
}

/// The complementary error function of a number that is not negative, with an error below 2e-7
/// (Abramowitz, Stegun: *Handbook of Mathematical Functions*, 7.1.26).
fn complementary_error(x: f64) -> f64 {
    const PARTS: [f64; 5] =
        [0.254_829_592, -0.284_496_736, 1.421_413_741, -1.453_152_027, 1.061_405_429];
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let sum = PARTS.iter().rev().fold(0.0, |sum, part| (sum + part) * t);
    sum * (-x * x).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64, error: f64) {
        assert!((a - b).abs() <= error, "{a} is not {b}");
    }

    #[test]
    fn samples_apart_have_the_smallest_probability() {
        // Of 4 values out of 8 there are 70 choices, of 3 out of 6 there are 20.
        near(smallest(4, 4), 2.0 / 70.0, 1e-12);
        near(smallest(3, 3), 0.1, 1e-12);
        near(smallest(1, 1), 1.0, 1e-12);
        near(probability(&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0]), 2.0 / 70.0, 1e-12);
        near(probability(&[5.0, 6.0, 7.0, 8.0], &[1.0, 2.0, 3.0, 4.0]), 2.0 / 70.0, 1e-12);
    }

    #[test]
    fn overlaps_and_ties_are_counted() {
        // Ranks 1 and 3 of 4: sums 3, 4, 5, 5, 6, 7, of which 4 or less are two of six.
        near(probability(&[1.0, 3.0], &[2.0, 4.0]), 4.0 / 6.0, 1e-12);
        // Ranks 1.5, 1.5, 3.5, 3.5: the sums are 3, 5 four times, and 7.
        near(probability(&[1.0, 1.0], &[2.0, 2.0]), 2.0 / 6.0, 1e-12);
        near(probability(&[1.0, 1.0], &[1.0, 1.0]), 1.0, 1e-12);
    }

    #[test]
    fn many_values_are_nearly_normal() {
        let of = |from: usize, step: usize| -> Vec<f64> {
            (0..12).map(|at| (from + at * step) as f64).collect()
        };
        let ranks = doubled_ranks(&(0..24).map(|at| (at as f64, false)).collect::<Vec<_>>());
        // The even numbers against the odd ones: a sum of ranks of 144 in place of 150.
        near(probability(&of(0, 2), &of(1, 2)), exact(&ranks, 12, 288), 1e-12);
        near(normal(&ranks, 12, 288), exact(&ranks, 12, 288), 5e-3);
        near(normal(&ranks, 12, 222), exact(&ranks, 12, 222), 5e-3);
        near(complementary_error(0.0), 1.0, 2e-7);
        near(complementary_error(1.0), 0.157_299_207, 2e-7);
    }
}
