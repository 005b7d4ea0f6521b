//! Quotients and fractions of times, in ticks: rounded to whole ticks, without an overflow.

use pompeii_model::Ticks;

/// Rounded quotient of non-negative integers.
pub(super) fn divide(ticks: i64, by: i64) -> i64 {
    (ticks + by / 2) / by.max(1)
}

/// What a repair brings at least that removes most of the waits, but not all.
pub(super) fn most_of(ticks: Ticks) -> Ticks {
    fraction(ticks, 3, 5)
}

/// A fraction of a time. It is at most the whole, so it fits although the product may not.
pub(super) fn fraction(ticks: Ticks, parts: i64, of: i64) -> Ticks {
    (i128::from(ticks) * i128::from(parts) / i128::from(of.max(1))) as Ticks
}

#[cfg(test)]
mod tests {
    use super::{divide, fraction};

    /// Reports may have sums of up to 2^61.
    #[test]
    fn large_times_fit() {
        assert_eq!((fraction(i64::MAX, 3, 4), fraction(10, 1, 0)), (i64::MAX / 4 * 3 + 2, 10));
    }

    #[test]
    fn quotients_are_rounded() {
        assert_eq!([(9, 2), (8, 3), (7, 3), (5, 0)].map(|(a, b)| divide(a, b)), [5, 3, 2, 5]);
    }
}
