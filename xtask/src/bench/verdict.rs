//! Whether one program took longer than another, as far as a few runs of each can tell: a
//! machine's noise can be greater than what is compared, and medians alone would then say who was
//! lucky.
//!
//! The test is that of Mann and Whitney, which wants nothing of how times are distributed: of all
//! pairs of a run here and a run there, in how many did this one take longer? It is one-sided and
//! at five per cent, so of forty rows in which nothing differs two are wrong.

/// What the runs say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// These took less.
    Below,
    /// The runs cannot tell them apart.
    Equal,
    /// These took more.
    Above,
}

impl Verdict {
    /// How a table says it.
    pub fn sign(self) -> char {
        match self {
            Self::Below => '<',
            Self::Equal => '=',
            Self::Above => '>',
        }
    }
}

/// The normal distribution's value for five per cent on one side.
const FIVE_PER_CENT: f64 = 1.645;

/// Compares these times with those of something else.
pub fn compare(these: &[f64], others: &[f64]) -> Verdict {
    let longer = |this: f64, other: f64| match this.total_cmp(&other) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    let pairs = these.iter().flat_map(|this| others.iter().map(|other| longer(*this, *other)));
    let count: f64 = pairs.sum();
    let (n, m) = (these.len() as f64, others.len() as f64);
    let deviation = (n * m * (n + m + 1.0) / 12.0).sqrt();
    match (count - n * m / 2.0) / deviation {
        z if z > FIVE_PER_CENT => Verdict::Above,
        z if z < -FIVE_PER_CENT => Verdict::Below,
        _ => Verdict::Equal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_overlaps_differs() {
        let (low, high) = ([1.0, 1.2, 1.1, 1.3, 1.0], [2.0, 1.9, 2.2, 2.1, 2.0]);
        assert_eq!(compare(&low, &high), Verdict::Below);
        assert_eq!(compare(&high, &low), Verdict::Above);
        // Three runs each can tell, too, but only where none overlaps.
        assert_eq!(compare(&low[..3], &high[..3]), Verdict::Below);
        assert_eq!(compare(&[1.0, 1.1, 2.0], &[1.9, 2.1, 2.2]), Verdict::Equal);
    }

    /// The table of critical values for five runs each: 21 pairs of 25, with one side at 5 %.
    #[test]
    fn what_overlaps_a_little_differs_as_the_tables_say() {
        let others = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!(compare(&[5.5, 6.0, 7.0, 8.0, 1.5], &others), Verdict::Above); // 21
        assert_eq!(compare(&[5.5, 6.0, 7.0, 8.0, 0.5], &others), Verdict::Equal); // 20
    }

    #[test]
    fn the_same_and_nothing_are_equal() {
        assert_eq!(compare(&[1.0; 5], &[1.0; 5]), Verdict::Equal);
        assert_eq!(compare(&[], &[1.0]), Verdict::Equal);
        assert_eq!(compare(&[], &[]), Verdict::Equal);
    }
}
