//! Times of single visits: live state's records become the cube's list, and three metrics of the
//! Cube report: `min_time` and `max_time`, as Score-P calls them, and `visit_time`, which has
//! number, sum and sum of squares too.

use std::collections::{BTreeMap, HashMap};

use pompeii_cubex::{self as cubex, DataType, TauAtomic, Value};
use pompeii_live::{Key, VisitRecord};
use pompeii_model::{CallId, Cube, LocationId, Moments, VisitTimes};

use crate::severities::Place;

/// All times of a process.
pub fn of(place: &Place) -> Vec<VisitTimes> {
    let mut found: BTreeMap<(CallId, LocationId), Moments> = BTreeMap::new();
    for (position, location) in place.live.locations.iter().enumerate() {
        for (index, record) in location.visit_records.iter().enumerate() {
            let Some(node) = location.nodes.get(index).filter(|_| record.ended > 0) else {
                continue;
            };
            let call = place.calls_of[position].get(index).copied();
            if let (Some(call), Key::Region(_) | Key::Attach { .. }) = (call, Key::decode(node.key))
            {
                let key = (call, place.location(position));
                found.entry(key).or_default().join(&moments(record));
            }
        }
    }
    let times = |((call, location), ticks)| VisitTimes { call, location, ticks };
    found.into_iter().map(times).collect()
}

/// Numbers of a damaged file may be anything.
pub fn signed(ticks: u64) -> i64 {
    i64::try_from(ticks).unwrap_or(i64::MAX)
}

fn moments(record: &VisitRecord) -> Moments {
    Moments {
        count: record.ended,
        min: signed(record.min_ticks),
        max: signed(record.max_ticks),
        sum: signed(record.sum_ticks),
        sum_of_squares: record.sum_of_squares,
    }
}

/// The metrics; none where no times were asked for.
pub fn metrics(cube: &Cube) -> Vec<cubex::Metric> {
    let metric = |name: &str, title: &str, data_type: DataType, what: &str| cubex::Metric {
        unique_name: name.to_owned(),
        display_name: title.to_owned(),
        data_type,
        unit: "sec".to_owned(),
        description: format!("{what} of the inclusive times of visits"),
        ..cubex::Metric::default()
    };
    match cube.visit_times.is_empty() {
        true => Vec::new(),
        false => vec![
            metric("min_time", "Minimum inclusive time", DataType::MinDouble, "The shortest"),
            metric("max_time", "Maximum inclusive time", DataType::MaxDouble, "The longest"),
            metric(
                "visit_time",
                "Time per visit",
                DataType::TauAtomic,
                "Number, extremes, sum and sum of squares",
            ),
        ],
    }
}

/// Values of one of the metrics by call path and location.
pub struct Rows<'a> {
    cube: &'a Cube,
    by_call: HashMap<CallId, Vec<&'a VisitTimes>>,
}

impl<'a> Rows<'a> {
    /// The times of the cube.
    pub fn new(cube: &'a Cube) -> Self {
        let mut by_call: HashMap<CallId, Vec<&VisitTimes>> = HashMap::new();
        for times in &cube.visit_times {
            by_call.entry(times.call).or_default().push(times);
        }
        Self { cube, by_call }
    }

    /// The values of the metric with this position in [`metrics`]; `None` where there are none.
    pub fn row(&self, position: usize, call: CallId) -> Option<Vec<Value>> {
        let here = self.by_call.get(&call)?;
        let at = |location: LocationId| {
            // They are sorted by this.
            let found = here.binary_search_by_key(&location, |times| times.location);
            let times = found.map_or_else(|_| Moments::default(), |at| here[at].ticks);
            let of = statistics(self.cube, &times);
            match position {
                0 => Value::Double(of.min),
                1 => Value::Double(of.max),
                _ => Value::TauAtomic(of),
            }
        };
        Some(self.cube.system.locations.ids().map(at).collect())
    }
}

/// Moments in seconds. Nothing is so that it does not count where locations are aggregated.
pub fn statistics(cube: &Cube, of: &Moments) -> TauAtomic {
    let tick = cube.clock.seconds(1);
    let empty = of.count == 0;
    TauAtomic {
        count: u32::try_from(of.count).unwrap_or(u32::MAX),
        min: if empty { f64::MAX } else { cube.clock.seconds(of.min) },
        max: if empty { f64::MIN } else { cube.clock.seconds(of.max) },
        sum: cube.clock.seconds(of.sum),
        sum_of_squares: of.sum_of_squares * tick * tick,
    }
}
