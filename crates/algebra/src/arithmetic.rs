//! Arithmetic on single values of any data type. Integers stay integers; what a type cannot do
//! (the difference of two histograms) it is not asked to do, see `combine`.

use pompeii_cubex::{DataType, TauAtomic, Value};

/// The value that changes nothing when it is added.
pub fn zero(data_type: &DataType) -> Value {
    match data_type {
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => Value::Int(0),
        DataType::Uint8 | DataType::Uint16 | DataType::Uint32 | DataType::Uint64 => Value::Uint(0),
        DataType::Double | DataType::MinDouble | DataType::MaxDouble => Value::Double(0.0),
        DataType::Complex => Value::Complex(0.0, 0.0),
        DataType::Rate => Value::Rate(0.0, 0.0),
        DataType::TauAtomic => Value::TauAtomic(TauAtomic::default()),
        DataType::Doubles(count) => Value::Doubles(vec![0.0; *count as usize]),
        DataType::Histogram(count) => {
            Value::Histogram { min: 0.0, max: 0.0, bins: vec![0.0; *count as usize] }
        }
        DataType::Other(_) => Value::Opaque(Vec::new()),
    }
}

/// True for what a data file need not store.
pub(crate) fn is_zero(value: &Value) -> bool {
    let none = |values: &[f64]| values.iter().all(|&value| value == 0.0);
    match value {
        Value::Int(value) => *value == 0,
        Value::Uint(value) => *value == 0,
        Value::Double(value) => *value == 0.0,
        Value::Complex(a, b) | Value::Rate(a, b) => none(&[*a, *b]),
        Value::TauAtomic(tau) => *tau == TauAtomic::default(),
        Value::Doubles(values) => none(values),
        Value::Histogram { min, max, bins } => none(&[*min, *max]) && none(bins),
        Value::Opaque(bytes) => bytes.iter().all(|&byte| byte == 0),
    }
}

/// The value as one number: a rate is its quotient; other composite types are not numbers.
pub fn number(value: &Value) -> Option<f64> {
    Some(match value {
        Value::Int(value) => *value as f64,
        Value::Uint(value) => *value as f64,
        Value::Double(value) => *value,
        Value::Rate(above, below) => {
            if *below == 0.0 {
                0.0
            } else {
                above / below
            }
        }
        _ => return None,
    })
}

/// The value as text, without blanks.
pub fn show(value: &Value) -> String {
    let list = |values: &[f64]| {
        let texts: Vec<String> = values.iter().map(f64::to_string).collect();
        texts.join(";")
    };
    match value {
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => value.to_string(),
        Value::Double(value) => value.to_string(),
        Value::Complex(re, im) => format!("({})", list(&[*re, *im])),
        Value::Rate(above, below) => format!("{above}/{below}"),
        Value::TauAtomic(tau) => {
            let numbers = list(&[tau.min, tau.max, tau.sum, tau.sum_of_squares]);
            format!("({};{numbers})", tau.count)
        }
        Value::Doubles(values) => format!("({})", list(values)),
        Value::Histogram { min, max, bins } => format!("({min}:{max};{})", list(bins)),
        Value::Opaque(bytes) => format!("<{} bytes>", bytes.len()),
    }
}

/// `a` and `b` together, as the metric's type aggregates: by addition, minimum, maximum, and each
/// part of a composite value in its own way.
pub(crate) fn add(data_type: &DataType, a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Value::Int(a.wrapping_add(*b)),
        (Value::Uint(a), Value::Uint(b)) => Value::Uint(a.wrapping_add(*b)),
        (Value::Double(a), Value::Double(b)) => Value::Double(match data_type {
            DataType::MinDouble => a.min(*b),
            DataType::MaxDouble => a.max(*b),
            _ => a + b,
        }),
        (Value::Complex(a, b), Value::Complex(c, d)) => Value::Complex(a + c, b + d),
        (Value::Rate(a, b), Value::Rate(c, d)) => Value::Rate(a + c, b + d),
        (Value::TauAtomic(a), Value::TauAtomic(b)) => Value::TauAtomic(together(a, b)),
        (Value::Doubles(a), Value::Doubles(b)) => {
            Value::Doubles(a.iter().zip(b).map(|(a, b)| a + b).collect())
        }
        (Value::Histogram { .. }, Value::Histogram { .. }) => histograms(a, b),
        // Types that nobody knows cannot be added: the first one counts.
        _ => a.clone(),
    }
}

/// `a` without `b`. Integers wrap; the difference of unsigned numbers is signed where `combine`
/// has made the type signed.
pub(crate) fn subtract(a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Value::Int(a.wrapping_sub(*b)),
        (Value::Uint(a), Value::Uint(b)) => Value::Uint(a.wrapping_sub(*b)),
        (Value::Double(a), Value::Double(b)) => Value::Double(a - b),
        (Value::Complex(a, b), Value::Complex(c, d)) => Value::Complex(a - c, b - d),
        (Value::Rate(a, b), Value::Rate(c, d)) => Value::Rate(a - c, b - d),
        (Value::Doubles(a), Value::Doubles(b)) => {
            Value::Doubles(a.iter().zip(b).map(|(a, b)| a - b).collect())
        }
        _ => a.clone(),
    }
}

/// The value divided by a number, for means.
pub(crate) fn divide(value: &Value, by: f64) -> Value {
    match value {
        Value::Double(value) => Value::Double(value / by),
        Value::Complex(re, im) => Value::Complex(re / by, im / by),
        Value::Rate(above, below) => Value::Rate(above / by, below / by),
        Value::Doubles(values) => Value::Doubles(values.iter().map(|value| value / by).collect()),
        Value::Histogram { min, max, bins } => {
            let bins = bins.iter().map(|bin| bin / by).collect();
            Value::Histogram { min: *min, max: *max, bins }
        }
        other => other.clone(),
    }
}

/// The value in another type of number; composite values stay as they are.
pub(crate) fn convert(value: Value, to: &DataType) -> Value {
    let double = matches!(to, DataType::Double | DataType::MinDouble | DataType::MaxDouble);
    match value {
        Value::Int(number) if double => Value::Double(number as f64),
        Value::Uint(number) if double => Value::Double(number as f64),
        Value::Int(number) if *to == DataType::Uint64 => Value::Uint(number as u64),
        Value::Uint(number) if *to == DataType::Int64 => Value::Int(number as i64),
        other => other,
    }
}

/// Statistics over the events of both.
fn together(a: &TauAtomic, b: &TauAtomic) -> TauAtomic {
    if a.count == 0 || b.count == 0 {
        return if a.count == 0 { *b } else { *a };
    }
    TauAtomic {
        count: a.count.saturating_add(b.count),
        min: a.min.min(b.min),
        max: a.max.max(b.max),
        sum: a.sum + b.sum,
        sum_of_squares: a.sum_of_squares + b.sum_of_squares,
    }
}

/// A histogram over the range of both. Where the ranges differ, a bin is spread evenly over the
/// bins that it overlaps, so that the sum of all bins stays what it was.
fn histograms(a: &Value, b: &Value) -> Value {
    let (
        Value::Histogram { min, max, bins },
        Value::Histogram { min: other_min, max: other_max, bins: other_bins },
    ) = (a, b)
    else {
        return a.clone();
    };
    if is_zero(a) || is_zero(b) {
        return if is_zero(a) { b.clone() } else { a.clone() };
    }
    let (low, high) = (min.min(*other_min), max.max(*other_max));
    let mut sum = vec![0.0; bins.len()];
    spread(&mut sum, (low, high), (*min, *max), bins);
    spread(&mut sum, (low, high), (*other_min, *other_max), other_bins);
    Value::Histogram { min: low, max: high, bins: sum }
}

fn spread(sum: &mut [f64], range: (f64, f64), own: (f64, f64), bins: &[f64]) {
    if range == own || sum.is_empty() {
        sum.iter_mut().zip(bins).for_each(|(sum, bin)| *sum += bin);
        return;
    }
    let last = sum.len() - 1;
    let width = (range.1 - range.0) / sum.len() as f64;
    let own_width = (own.1 - own.0) / bins.len() as f64;
    let index = |at: f64| (((at - range.0) / width) as usize).min(last);
    for (number, &bin) in bins.iter().enumerate() {
        let from = own.0 + number as f64 * own_width;
        let to = from + own_width;
        if bin == 0.0 || own_width.is_nan() || own_width <= 0.0 {
            sum[index(from)] += bin;
            continue;
        }
        let first = index(from);
        let end = index(to).max(first);
        let mut rest = bin;
        for (target, sum) in sum.iter_mut().enumerate().take(end + 1).skip(first) {
            let lower = from.max(range.0 + target as f64 * width);
            let upper = to.min(range.0 + (target + 1) as f64 * width);
            let share = bin * ((upper - lower).max(0.0) / own_width);
            // The last bin takes what rounding has left.
            let share = if target == end { rest } else { share.min(rest) };
            *sum += share;
            rest -= share;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(data_type: &str, a: Value, b: Value, expect: Expect) {
        let data_type = DataType::parse(data_type);
        let sum = add(&data_type, &a, &b);
        let text = format!("{} {}", show(&sum), show(&subtract(&a, &b)));
        expect.assert_eq(&text);
        // Zero changes nothing, but to a minimum or a maximum it is a number like any other.
        if !matches!(data_type, DataType::MinDouble | DataType::MaxDouble) {
            assert_eq!(add(&data_type, &a, &zero(&data_type)), a);
            assert_eq!(add(&data_type, &zero(&data_type), &b), b);
        }
        assert!(is_zero(&zero(&data_type)));
        assert!(!is_zero(&a));
    }

    #[test]
    fn each_type_adds_in_its_own_way() {
        check("UINT64", Value::Uint(5), Value::Uint(3), expect!["8 2"]);
        check("INT8", Value::Int(-5), Value::Int(3), expect!["-2 -8"]);
        check("DOUBLE", Value::Double(1.5), Value::Double(0.5), expect!["2 1"]);
        check("MINDOUBLE", Value::Double(1.5), Value::Double(0.5), expect!["0.5 1"]);
        check("MAXDOUBLE", Value::Double(1.5), Value::Double(0.5), expect!["1.5 1"]);
        check(
            "COMPLEX",
            Value::Complex(1.0, 2.0),
            Value::Complex(0.5, 4.0),
            expect!["(1.5;6) (0.5;-2)"],
        );
        check("RATE", Value::Rate(6.0, 2.0), Value::Rate(3.0, 1.0), expect!["9/3 3/1"]);
        check(
            "NDOUBLES(2)",
            Value::Doubles(vec![1.0, 2.0]),
            Value::Doubles(vec![3.0, 5.0]),
            expect!["(4;7) (-2;-3)"],
        );
        let tau = |count, min, max, sum, sum_of_squares| {
            Value::TauAtomic(TauAtomic { count, min, max, sum, sum_of_squares })
        };
        check(
            "TAU_ATOMIC",
            tau(2, 1.0, 3.0, 4.0, 10.0),
            tau(1, 0.5, 0.5, 0.5, 0.25),
            expect!["(3;0.5;3;4.5;10.25) (2;1;3;4;10)"],
        );
    }

    #[test]
    fn histograms_of_one_range_and_of_two() {
        let histogram = |min, max, bins: &[f64]| Value::Histogram { min, max, bins: bins.to_vec() };
        check(
            "HISTOGRAM(2)",
            histogram(0.0, 4.0, &[1.0, 2.0]),
            histogram(0.0, 4.0, &[10.0, 20.0]),
            expect!["(0:4;11;22) (0:4;1;2)"],
        );
        // 0..2 and 2..4 become 0..4; 4..6 and 6..8 become 4..8.
        check(
            "HISTOGRAM(2)",
            histogram(0.0, 4.0, &[1.0, 2.0]),
            histogram(4.0, 8.0, &[10.0, 20.0]),
            expect!["(0:8;3;30) (0:4;1;2)"],
        );
        // 3..5 is spread over both halves of 0..8.
        check(
            "HISTOGRAM(2)",
            histogram(0.0, 8.0, &[1.0, 1.0]),
            histogram(1.0, 5.0, &[3.0, 4.0]),
            expect!["(0:8;6;3) (0:8;1;1)"],
        );
    }

    #[test]
    fn rates_are_quotients() {
        assert_eq!(number(&Value::Rate(3.0, 2.0)), Some(1.5));
        assert_eq!(number(&Value::Rate(3.0, 0.0)), Some(0.0));
        assert_eq!(number(&Value::Complex(3.0, 0.0)), None);
    }
}
