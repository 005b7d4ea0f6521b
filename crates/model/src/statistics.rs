//! Statistics of the single instances of a property: of all waits at a barrier, for example. They
//! come from traces, and tell where in time the most severe instances are.

use crate::{CallId, Cube, LocationId, Ticks};

/// Name of the file inside a report that has them, in the form of Cube's statistics.
pub const STATISTICS_FILE: &str = "trace.stat";

/// The instances of a property, at a call path or everywhere. Times are in ticks.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    /// Unique name of the metric.
    pub metric: String,
    /// The call path; `None` stands for all of them.
    pub call: Option<CallId>,
    /// Number of instances.
    pub count: u64,
    /// Sum of their severities.
    pub sum: Ticks,
    /// The smallest one.
    pub min: Ticks,
    /// The largest one.
    pub max: Ticks,
    /// Variance in ticks^2; that of a single instance is 0.
    pub variance: f64,
    /// 25 %, 50 % and 75 % of the instances have at most these severities.
    pub quartiles: [Ticks; 3],
    /// The most severe instances, the largest first; those of all call paths are not repeated.
    pub severe: Vec<Severe>,
}

/// A severe instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Severe {
    /// The location.
    pub location: LocationId,
    /// When it began, since the begin of the measurement.
    pub enter: Ticks,
    /// When it ended.
    pub leave: Ticks,
    /// Its severity.
    pub ticks: Ticks,
    /// Who caused it, if the trace says so.
    pub by: Option<(CallId, LocationId)>,
}

impl Statistics {
    /// The mean of the severities, in ticks.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }

    /// All statistics of a cube as text: for each property a line `NAME COUNT MEAN MEDIAN MINIMUM
    /// MAXIMUM SUM VARIANCE LOWER_QUARTILE UPPER_QUARTILE`, then a line for the most severe
    /// instance of each call path, then an empty line. Times are in seconds. `id` is the number
    /// that the report has for a call path.
    pub fn write_all(cube: &Cube, id: &dyn Fn(CallId) -> usize) -> String {
        let seconds = |ticks: Ticks| cube.clock.seconds(ticks);
        let rate = cube.clock.ticks_per_second();
        let mut text = String::new();
        for (position, of) in cube.statistics.iter().enumerate() {
            let severe = of.severe.first().zip(of.call);
            match severe {
                None if position == 0 => {
                    text += "PatternName Count Mean Median Minimum Maximum \
                    Sum Variance Quartil25 Quartil75\n"
                }
                None => text.push('\n'),
                Some(_) => {}
            }
            if let Some((severe, call)) = severe {
                text += &format!(
                    "- cnode: {} enter: {} exit: {} duration: {}\n",
                    id(call),
                    seconds(severe.enter),
                    seconds(severe.leave),
                    seconds(severe.ticks)
                );
                continue;
            }
            let [lower, median, upper] = of.quartiles.map(seconds);
            text += &format!(
                "{} {} {} {median} {} {} {} {} {lower} {upper}\n",
                of.metric,
                of.count,
                of.mean() / rate,
                seconds(of.min),
                seconds(of.max),
                seconds(of.sum),
                of.variance / (rate * rate)
            );
        }
        text
    }
}
