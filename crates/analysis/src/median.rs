//! The median: the value of several runs that one disturbed run does not change.

/// The middle value, or the mean of the two in the middle; 0 of none.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match (values.get(half), values.len() % 2) {
        (None, _) => 0.0,
        (Some(middle), 1) => *middle,
        (Some(upper), _) => f64::midpoint(values[half - 1], *upper),
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_middle_of_odd_and_even_numbers_of_values() {
        let of = |values: &[f64]| median(values.iter().copied());
        assert_eq!([of(&[]), of(&[3.0]), of(&[3.0, 1.0])], [0.0, 3.0, 2.0]);
        assert_eq!([of(&[9.0, 1.0, 2.0]), of(&[4.0, 1.0, 100.0, 2.0])], [2.0, 3.0]);
    }
}
