//! Distributions in constant memory: moments, and a histogram with a bin for each power of two.

use std::str::FromStr;

use crate::{CallId, Id, LocationId, RegionId};

/// Number, extremes, sum and sum of squares of values, clock ticks as a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Number of values.
    pub count: u64,
    /// Smallest; `i64::MAX` without values.
    pub min: i64,
    /// Largest; `i64::MIN` without values.
    pub max: i64,
    /// Sum.
    pub sum: i64,
    /// Sum of squares.
    pub sum_of_squares: f64,
}

impl Default for Moments {
    fn default() -> Self {
        Self { count: 0, min: i64::MAX, max: i64::MIN, sum: 0, sum_of_squares: 0.0 }
    }
}

/// 2 to a power; infinity from 1024 on. The mathematical library has a function for that, but a
/// program with the measurement library need not be linked with it.
pub(crate) fn power_of_two(exponent: u32) -> f64 {
    // The sum is the exponent as a double has it, and all bits of the fraction are 0.
    f64::from_bits(u64::from(exponent.saturating_add(1023).min(2047)) << 52)
}

impl Moments {
    /// Joins the values of `other`.
    pub fn join(&mut self, other: &Moments) {
        self.count = self.count.saturating_add(other.count);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum = self.sum.saturating_add(other.sum);
        self.sum_of_squares += other.sum_of_squares;
    }

    /// The mean; 0 without values.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum as f64 / self.count as f64 }
    }

    /// The standard deviation: the root of the mean of squares less the square of the mean.
    pub fn deviation(&self) -> f64 {
        let mean = self.mean();
        let squares = self.sum_of_squares / (self.count.max(1) as f64);
        (squares - mean * mean).max(0.0).sqrt()
    }
}

/// Moments with a histogram.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distribution {
    /// The moments.
    pub moments: Moments,
    /// How many values have so many binary digits: bin `b` is for `2^(b-1)` to `2^b - 1`.
    pub bins: Vec<u64>,
}

impl Distribution {
    /// Adds a value. One below 0, which only a clock error makes, counts as 0.
    pub fn add(&mut self, value: i64) {
        let value = value.max(0);
        let digits = (i64::BITS - value.leading_zeros()) as usize;
        if self.bins.len() <= digits {
            self.bins.resize(digits + 1, 0);
        }
        self.bins[digits] = self.bins[digits].saturating_add(1);
        let sum_of_squares = value as f64 * value as f64;
        let one = Moments { count: 1, min: value, max: value, sum: value, sum_of_squares };
        self.moments.join(&one);
    }

    /// Joins the values of `other`.
    pub fn join(&mut self, other: &Distribution) {
        self.moments.join(&other.moments);
        self.bins.resize(self.bins.len().max(other.bins.len()), 0);
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            *bin = bin.saturating_add(*more);
        }
    }

    /// The bins that are not empty: smallest value, first value beyond it, and number of values.
    pub fn histogram(&self) -> impl Iterator<Item = (f64, f64, u64)> + '_ {
        let bounds = |digits: usize| match u32::try_from(digits) {
            Ok(0) => 0.0,
            Ok(digits) => power_of_two(digits - 1),
            Err(_) => f64::INFINITY,
        };
        let bins = self.bins.iter().enumerate().filter(|(_, count)| **count > 0);
        bins.map(move |(digits, &count)| (bounds(digits), bounds(digits + 1), count))
    }
}

impl Moments {
    /// The numbers, with blanks between; [`Moments::parse`] reads them.
    fn write(&self) -> String {
        let Moments { count, min, max, sum, sum_of_squares } = self;
        format!("{count} {min} {max} {sum} {sum_of_squares}")
    }

    fn parse(fields: [&str; 5]) -> Option<Moments> {
        let [count, min, max, sum, sum_of_squares] = fields;
        Some(Moments {
            count: number(count)?,
            min: number(min)?,
            max: number(max)?,
            sum: number(sum)?,
            sum_of_squares: number(sum_of_squares)?,
        })
    }
}

/// Name of the list in a `profile.cubex`, a further file there.
pub const VISITS_FILE: &str = "pompeii-visits.txt";

/// Inclusive times of the visits of a call path on one location.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VisitTimes {
    /// The call path.
    pub call: CallId,
    /// The location.
    pub location: LocationId,
    /// Of the visits that have ended, in ticks, without tasks executed meanwhile.
    pub ticks: Moments,
}

impl VisitTimes {
    /// One line for each, ids as numbers; [`VisitTimes::parse_all`] reads it.
    pub fn write_all(times: &[VisitTimes]) -> String {
        let line = |of: &VisitTimes| {
            format!("{} {} {}\n", of.call.index(), of.location.index(), of.ticks.write())
        };
        times.iter().map(line).collect()
    }

    /// The times of a text; lines that are not one are passed over.
    pub fn parse_all(text: &str) -> Vec<VisitTimes> {
        let parse = |line: &str| {
            let fields: Vec<&str> = line.split(' ').collect();
            let &[call, location, ref moments @ ..] = fields.as_slice() else { return None };
            Some(VisitTimes {
                call: CallId(number(call)?),
                location: LocationId(number(location)?),
                ticks: Moments::parse(moments.try_into().ok()?)?,
            })
        };
        text.lines().filter_map(parse).collect()
    }
}

/// Which time of a task instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TaskTime {
    /// Creating it: what the construct took its creator.
    Creation,
    /// From the begin of its creation to the begin of its execution.
    Waiting,
    /// Executing it, without what it was suspended.
    Execution,
}

impl TaskTime {
    /// All of them.
    pub const ALL: [TaskTime; 3] = [TaskTime::Creation, TaskTime::Waiting, TaskTime::Execution];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            TaskTime::Creation => "creation",
            TaskTime::Waiting => "waiting",
            TaskTime::Execution => "execution",
        }
    }
}

/// Name of the list in a `profile.cubex`, a further file there.
pub const TASKS_FILE: &str = "pompeii-tasks.txt";

/// One time of the instances of a task construct, as far as one location has seen them.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskTimes {
    /// The task's region.
    pub region: RegionId,
    /// The location that created or executed them.
    pub location: LocationId,
    /// Which time.
    pub time: TaskTime,
    /// Its distribution.
    pub ticks: Distribution,
}

impl TaskTimes {
    /// One line for each, ids as numbers; [`TaskTimes::parse_all`] reads it.
    pub fn write_all(times: &[TaskTimes]) -> String {
        let line = |of: &TaskTimes| {
            let (region, location) = (of.region.index(), of.location.index());
            let Moments { count, min, max, sum, sum_of_squares } = of.ticks.moments;
            let bins: Vec<String> = of.ticks.bins.iter().map(u64::to_string).collect();
            let (time, bins) = (of.time.as_str(), bins.join(","));
            format!(
                "{region} {location} {time} {count} {min} {max} {sum} {sum_of_squares} {bins}\n"
            )
        };
        times.iter().map(line).collect()
    }

    /// The times of a text; lines that are not one are passed over.
    pub fn parse_all(text: &str) -> Vec<TaskTimes> {
        text.lines().filter_map(Self::parse).collect()
    }

    fn parse(line: &str) -> Option<TaskTimes> {
        let fields: Vec<&str> = line.split(' ').collect();
        let &[region, location, time, ref moments @ .., bins] = fields.as_slice() else {
            return None;
        };
        let moments = Moments::parse(moments.try_into().ok()?)?;
        let bins: Option<Vec<u64>> = bins.split(',').take(BINS_MAX).map(number).collect();
        Some(TaskTimes {
            region: RegionId(number(region)?),
            location: LocationId(number(location)?),
            time: TaskTime::ALL.into_iter().find(|known| known.as_str() == time)?,
            ticks: Distribution { moments, bins: bins? },
        })
    }
}

/// Binary digits of a value.
const BINS_MAX: usize = 64;

fn number<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[i64]) -> Distribution {
        let mut all = Distribution::default();
        values.iter().for_each(|value| all.add(*value));
        all
    }

    #[test]
    fn powers_of_two_are_exact() {
        assert_eq!(
            [0, 1, 10, 63].map(power_of_two),
            [1.0, 2.0, 1024.0, 9_223_372_036_854_775_808.0]
        );
        assert_eq!(power_of_two(1023), 1023_f64.exp2());
        assert_eq!([1024, u32::MAX].map(power_of_two), [f64::INFINITY; 2]);
    }

    #[test]
    fn moments_and_bins_of_values() {
        let all = of(&[0, 1, 2, 3, 9]);
        assert_eq!((all.moments.mean(), all.moments.deviation()), (3.0, 10f64.sqrt()));
        let bins: Vec<_> = all.histogram().collect();
        assert_eq!(bins, [(0.0, 1.0, 1), (1.0, 2.0, 1), (2.0, 4.0, 2), (8.0, 16.0, 1)]);
        assert_eq!(Distribution::default().moments.deviation(), 0.0);
    }

    #[test]
    fn parts_of_the_values_join_to_the_whole() {
        let mut joined = of(&[700, 0]);
        joined.join(&of(&[-3, 9, i64::MAX]));
        assert_eq!(joined.bins, of(&[700, 0, 0, 9, i64::MAX]).bins);
        let Moments { count, min, max, sum, .. } = joined.moments;
        assert_eq!((count, min, max, sum), (5, 0, i64::MAX, i64::MAX));
    }

    #[test]
    fn lines_come_back_and_damage_is_passed_over() {
        let times: Vec<TaskTimes> = TaskTime::ALL
            .into_iter()
            .map(|time| {
                let (region, location) = (RegionId(4), LocationId(1));
                TaskTimes { region, location, time, ticks: of(&[5, 700]) }
            })
            .collect();
        let text = TaskTimes::write_all(&times);
        assert!(text.starts_with("4 1 creation 2 5 700 705 490025 0,0,0,1,0,"), "{text}");
        assert_eq!(TaskTimes::parse_all(&text), times);
        let damaged = text.replacen("creation", "vacation", 1).replacen("waiting 2", "waiting", 1);
        assert_eq!(TaskTimes::parse_all(&damaged), times[2..]);
    }

    #[test]
    fn visits_come_back_too() {
        let (call, location) = (CallId(3), LocationId(0));
        let times = [VisitTimes { call, location, ticks: of(&[7, 9]).moments }];
        let text = VisitTimes::write_all(&times);
        assert_eq!(text, "3 0 2 7 9 16 130\n");
        assert_eq!(VisitTimes::parse_all(&format!("3 0 2 7 9 16\n{text}x {text}")), times);
    }
}
