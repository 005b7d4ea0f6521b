//! The limit of a rule: a number with a unit, which must not be mistaken for another one. A number
//! without a unit is a count, or a share where a share is expected.

/// What a limit or a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A part of 1.
    Share,
    /// A time.
    Seconds,
    /// A size.
    Bytes,
    /// A number of occurrences.
    Number,
}

/// A limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The number in the basic unit: 0.05 for `5%`, 0.02 for `20 ms`.
    pub value: f64,
    /// What it is.
    pub quantity: Quantity,
    /// As it was written.
    pub text: String,
}

/// Units with what they are, and by what a number is multiplied and divided to be in the basic one:
/// two numbers, because a division by 100 is exact where a product with 0.01 is not.
const UNITS: [(&str, Quantity, f64, f64); 12] = [
    ("", Quantity::Number, 1.0, 1.0),
    ("%", Quantity::Share, 1.0, 1e2),
    ("s", Quantity::Seconds, 1.0, 1.0),
    ("ms", Quantity::Seconds, 1.0, 1e3),
    ("us", Quantity::Seconds, 1.0, 1e6),
    ("µs", Quantity::Seconds, 1.0, 1e6),
    ("ns", Quantity::Seconds, 1.0, 1e9),
    ("min", Quantity::Seconds, 60.0, 1.0),
    ("bytes", Quantity::Bytes, 1.0, 1.0),
    ("kB", Quantity::Bytes, 1e3, 1.0),
    ("MB", Quantity::Bytes, 1e6, 1.0),
    ("GB", Quantity::Bytes, 1e9, 1.0),
];

impl Limit {
    /// The limit that a text stands for: a number that is not negative, and its unit.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_number = |c: char| c.is_ascii_digit() || c == '.';
        let end = text.find(|c: char| !is_number(c)).unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let number: f64 = number.parse().ok()?;
        let unit = unit.trim();
        let &(_, quantity, times, per) = UNITS.iter().find(|(name, ..)| *name == unit)?;
        Some(Self { value: number * times / per, quantity, text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<(f64, Quantity)> {
        Limit::parse(text).map(|limit| (limit.value, limit.quantity))
    }

    #[test]
    fn a_limit_is_a_number_with_a_unit() {
        assert_eq!(parsed("5%"), Some((0.05, Quantity::Share)));
        assert_eq!(parsed("50 %"), Some((0.5, Quantity::Share)));
        assert_eq!(parsed("2 min"), Some((120.0, Quantity::Seconds)));
        assert_eq!(parsed("250ms"), Some((0.25, Quantity::Seconds)));
        assert_eq!(parsed("1.5 kB"), Some((1500.0, Quantity::Bytes)));
        assert_eq!(parsed("0"), Some((0.0, Quantity::Number)));
    }

    #[test]
    fn other_texts_are_none() {
        for text in ["", "%", "-1", "1e3", "1..2", "5 percent", "NaN", "inf"] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }
}
