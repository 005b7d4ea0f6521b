//! Severities of one call path on all locations. Most properties are zero at most call paths, and
//! many are all of their only part, or what was measured as it is: so a row of zeros takes no
//! memory, and equal rows may share theirs.

use std::sync::Arc;

use crate::{Id, LocationId};

/// A value by location.
#[derive(Clone, Debug, Default)]
pub struct Row(Option<Arc<Stored>>);

/// Values that are not all 0. Reports ask for their sum much more often than for each of them.
#[derive(Clone, Debug)]
struct Stored {
    values: Box<[i64]>,
    sum: i128,
}

impl Row {
    /// One value per location.
    pub fn new(values: Vec<i64>) -> Self {
        if values.iter().all(|&value| value == 0) {
            return Self::default();
        }
        let sum = values.iter().map(|&value| i128::from(value)).sum();
        Self(Some(Arc::new(Stored { values: values.into(), sum })))
    }

    /// The values by location; empty where all are 0.
    pub fn values(&self) -> &[i64] {
        self.0.as_ref().map_or(&[], |stored| &stored.values)
    }

    /// The sum of the values. One that is too large becomes the largest number.
    pub fn sum(&self) -> i64 {
        let Some(stored) = &self.0 else { return 0 };
        stored.sum.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    /// Whether nothing is stored, since all values are 0.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// One value.
    pub fn get(&self, location: LocationId) -> i64 {
        self.values().get(location.index()).copied().unwrap_or(0)
    }

    /// Both rows together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (_, true) => self.clone(),
            (true, false) => other.clone(),
            _ => self.with(other, i64::saturating_add),
        }
    }

    /// This row without the other one.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (_, true) => self.clone(),
            (true, false) => {
                Self::new(other.values().iter().map(|value| value.saturating_neg()).collect())
            }
            _ => self.with(other, i64::saturating_sub),
        }
    }

    fn with(&self, other: &Self, both: impl Fn(i64, i64) -> i64) -> Self {
        Self::new(self.values().iter().zip(other.values()).map(|(a, b)| both(*a, *b)).collect())
    }

    /// Adds to the value of one of `width` locations. A sum that is too large becomes the largest
    /// number.
    ///
    /// # Panics
    /// Panics where there is no such location.
    pub(crate) fn add(&mut self, location: LocationId, value: i64, width: usize) {
        let zeros = || Arc::new(Stored { values: vec![0; width].into(), sum: 0 });
        let Stored { values, sum } = Arc::make_mut(self.0.get_or_insert_with(zeros));
        let place = &mut values[location.index()];
        let old = std::mem::replace(place, place.saturating_add(value));
        *sum += i128::from(*place) - i128::from(old);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_take_nothing_and_sums_with_them_are_shared() {
        let (zeros, row) = (Row::new(vec![0, 0]), Row::new(vec![3, -1]));
        assert!(zeros.is_empty() && row.minus(&row).is_empty());
        assert_eq!(row.plus(&zeros).values().as_ptr(), row.values().as_ptr());
        assert_eq!(row.minus(&zeros).values().as_ptr(), row.values().as_ptr());
        assert_eq!(zeros.plus(&row).values(), [3, -1]);
        assert_eq!(zeros.minus(&row).values(), [-3, 1]);
        assert_eq!(row.plus(&row).values(), [6, -2]);
        assert_eq!((row.get(LocationId(1)), zeros.get(LocationId(1))), (-1, 0));
        assert_eq!((row.sum(), zeros.sum()), (2, 0));
        let large = Row::new(vec![i64::MAX, i64::MIN]);
        assert_eq!((large.sum(), large.minus(&row).sum()), (-1, -3));
        assert_eq!(Row::new(vec![i64::MAX, 1]).sum(), i64::MAX);
        assert_eq!(large.plus(&row).values(), [i64::MAX, i64::MIN]);
        assert_eq!(zeros.minus(&large).values(), [-i64::MAX, i64::MAX]);
        assert_eq!(row.minus(&large).values(), [3 - i64::MAX, i64::MAX]);
    }

    #[test]
    fn what_is_added_is_not_added_to_those_that_share_it() {
        let row = Row::new(vec![3, -1]);
        let mut other = row.clone();
        other.add(LocationId(1), 5, 2);
        assert_eq!((row.values(), other.values()), (&[3, -1][..], &[3, 4][..]));
        assert_eq!((row.sum(), other.sum()), (2, 7));
        // The values are no larger than the largest number, and their sum is exact in between.
        other.add(LocationId(0), i64::MAX, 2);
        assert_eq!(other.sum(), i64::MAX);
        other.add(LocationId(0), -5, 2);
        assert_eq!((other.values(), other.sum()), (&[i64::MAX - 5, 4][..], i64::MAX - 1));
    }
}
