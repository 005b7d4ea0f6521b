//! The own values of timers: those of call paths, and what is left of the sums over call paths.

use std::collections::HashMap;

use super::file::Timer;
use super::folder::Place;
use super::timers::Timers;

/// What a timer has on a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// The thread.
    pub place: Place,
    /// Number of the metric.
    pub metric: usize,
    /// Number of the timer.
    pub timer: usize,
    /// Visits.
    pub calls: i64,
    /// Ticks, or what the metric counts.
    pub amount: i64,
}

/// The sum over call paths with the same end.
#[derive(Default)]
struct Sum {
    paths: i64,
    calls: i64,
    amount: i64,
}

/// The values of the timers of a file. `scale` is the number of ticks of a microsecond.
///
/// Each number of the file is rounded, so a sum over n call paths may differ from the timer's value
/// by n ticks. A rest that is not larger belongs to no call path.
pub fn own_values(
    timers: &Timers,
    lines: &[(usize, &Timer<'_>)],
    (place, metric): (Place, usize),
    scale: f64,
) -> Vec<Value> {
    let mut sums: HashMap<usize, Sum> = HashMap::new();
    let mut values: Vec<Value> = Vec::with_capacity(lines.len());
    let value = |timer: usize, line: &Timer<'_>| {
        let (calls, amount) = (line.calls.round() as i64, (line.exclusive * scale).round() as i64);
        Value { place, metric, timer, calls, amount }
    };
    for (timer, line) in lines.iter().filter(|(timer, _)| timers.is_path(*timer)) {
        let value = value(*timer, line);
        let sum = sums.entry(timers.leaf(*timer)).or_default();
        sum.paths += 1;
        sum.calls = sum.calls.saturating_add(value.calls);
        sum.amount = sum.amount.saturating_add(value.amount);
        values.push(value);
    }
    for (timer, line) in lines.iter().filter(|(timer, _)| !timers.is_path(*timer)) {
        let mut value = value(*timer, line);
        if let Some(sum) = sums.get(&timers.leaf(*timer)) {
            let amount = value.amount.saturating_sub(sum.amount);
            value.amount = if amount > sum.paths { amount } else { 0 };
            value.calls = value.calls.saturating_sub(sum.calls).max(0);
            if (value.amount, value.calls) == (0, 0) {
                continue;
            }
        }
        values.push(value);
    }
    values
}
