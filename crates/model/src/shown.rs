//! Values of metrics as reports show them: combined as the metric's [`Display`] says, first over
//! call paths on each location, then over locations.
//!
//! Values that are 0 are not in a cube. Therefore a maximum or a mean over call paths is one of
//! those call paths that have a value on the location. All locations count in a mean over
//! locations.

use crate::display::Combined;
use crate::{CallId, Combine, Cube, Display, IndexVec, LocationId, MetricId};

impl Cube {
    /// How a metric is displayed.
    pub fn display(&self, metric: MetricId) -> &Display {
        &self.metrics()[metric].display
    }

    /// The value of a metric over some call paths and some locations.
    pub fn shown(
        &self,
        metric: MetricId,
        calls: impl Iterator<Item = CallId> + Clone,
        locations: impl Iterator<Item = LocationId>,
    ) -> f64 {
        let Display { over_calls, over_locations, .. } = *self.display(metric);
        let mut all = Combined::default();
        for location in locations {
            let mut here = Combined::default();
            let values = calls.clone().map(|call| self.get(metric, call, location));
            values.filter(|&value| value != 0).for_each(|value| here.add(value as f64));
            all.add(here.value(over_calls));
        }
        all.value(over_locations)
    }

    /// The value of a metric over everything.
    pub fn shown_total(&self, metric: MetricId) -> f64 {
        self.total_over(metric, self.display(metric).over_locations)
    }

    /// The value of a metric over all call paths and some locations.
    pub fn shown_at(&self, metric: MetricId, locations: &[LocationId]) -> f64 {
        match self.display(metric).over_calls {
            Combine::Sum => {
                let mut all = Combined::default();
                locations.iter().for_each(|&at| all.add(self.total_at(metric, at) as f64));
                all.value(self.display(metric).over_locations)
            }
            _ => self.shown(metric, self.calls.ids(), locations.iter().copied()),
        }
    }

    /// The value of a call path without its callees.
    pub fn shown_own(&self, metric: MetricId, call: CallId) -> f64 {
        match self.display(metric).is_sum() {
            true => self.own(metric, call) as f64,
            false => self.shown(metric, std::iter::once(call), self.system.locations.ids()),
        }
    }

    /// Values of all call paths with their callees, in one pass for each location.
    pub fn shown_inclusive(&self, metric: MetricId) -> IndexVec<CallId, f64> {
        let Display { over_calls, over_locations, .. } = *self.display(metric);
        if self.display(metric).is_sum() {
            return self.all_inclusive(metric).iter().map(|&value| value as f64).collect();
        }
        let mut all: IndexVec<CallId, Combined> =
            self.calls.ids().map(|_| Combined::default()).collect();
        for location in self.system.locations.ids() {
            let own = |call| {
                let (mut own, value) = (Combined::default(), self.get(metric, call, location));
                (value != 0).then(|| own.add(value as f64));
                own
            };
            let mut here: IndexVec<CallId, Combined> = self.calls.ids().map(own).collect();
            // Parents come before their children.
            for call in self.calls.ids().rev() {
                let below = here[call];
                all[call].add(below.value(over_calls));
                if let Some(parent) = self.calls.parent(call) {
                    here[parent].merge(below);
                }
            }
        }
        all.iter().map(|values| values.value(over_locations)).collect()
    }

    /// What 100 % of a metric is, if it says so: the total of another metric. Locations are
    /// combined as those of the metric: a mean over locations is a share of the mean of the whole.
    pub fn shown_whole(&self, metric: MetricId) -> Option<f64> {
        let display = self.display(metric);
        let whole = self.metric(display.percent_of.as_deref()?)?;
        Some(self.total_over(whole, display.over_locations))
    }

    fn total_over(&self, metric: MetricId, over_locations: Combine) -> f64 {
        let is_sum = self.display(metric).over_calls == Combine::Sum;
        if is_sum && over_locations == Combine::Sum {
            return self.total(metric) as f64;
        }
        let mut all = Combined::default();
        self.system.locations.ids().for_each(|at| all.add(self.shown_at(metric, &[at])));
        all.value(over_locations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        CallTree, Frequency, Location, Metric, Process, ProcessId, Region, RegionId, System, Unit,
    };

    /// Three threads. `main` calls `f`, which calls `g`.
    ///
    /// | call path | thread 0 | thread 1 | thread 2 |
    /// |---|---|---|---|
    /// | main | 4 | 0 | 0 |
    /// | f | 6 | 10 | 0 |
    /// | g | 2 | 20 | 0 |
    fn cube(over_calls: Combine, over_locations: Combine) -> (Cube, MetricId) {
        let regions = ["main", "f", "g"].into_iter().map(Region::artificial).collect();
        let mut calls = CallTree::default();
        let main = calls.add_root(RegionId(0));
        let f = calls.child(main, RegionId(1));
        let g = calls.child(f, RegionId(2));
        let mut system = System::default();
        let (name, node, master) = (String::new(), String::new(), LocationId(0));
        system.processes.push(Process { name, rank: 0, node, master, wall_ticks: 50 });
        for name in ["a", "b", "c"] {
            system.locations.push(Location { name: name.to_owned(), process: ProcessId(0) });
        }
        let mut cube = Cube::new(Frequency::NANOSECONDS, 50, "main", (regions, calls, system));
        let percent_of = Some("time".to_owned());
        let displays = [Display::default(), Display { over_calls, over_locations, percent_of }];
        let [_, metric] = displays.map(|display| {
            let name = if display.percent_of.is_none() { "time" } else { "mine" }.to_owned();
            let (title, description, unit) = (String::new(), String::new(), Unit::Ticks);
            cube.add_metric(Metric { name, title, description, unit, parent: None, display })
        });
        (0..3).for_each(|at| cube.add(MetricId(0), main, LocationId(at), 50));
        for (call, values) in [(main, [4, 0, 0]), (f, [6, 10, 0]), (g, [2, 20, 0])] {
            (0..).zip(values).for_each(|(at, value)| cube.add(metric, call, LocationId(at), value));
        }
        (cube, metric)
    }

    /// Checks the total, the own values of the call paths, those with callees, and the whole.
    fn check(how: (Combine, Combine), total: f64, own: [f64; 3], below: [f64; 3], whole: f64) {
        let (cube, metric) = cube(how.0, how.1);
        assert_eq!(cube.shown_total(metric), total, "{how:?}");
        let calls: Vec<CallId> = cube.calls.ids().collect();
        let locations = || cube.system.locations.ids();
        assert_eq!(cube.shown(metric, calls.iter().copied(), locations()), total, "{how:?}");
        let shown: Vec<f64> = calls.iter().map(|&call| cube.shown_own(metric, call)).collect();
        assert_eq!(shown, own, "{how:?}");
        let shown: Vec<f64> = cube.shown_inclusive(metric).iter().copied().collect();
        assert_eq!(shown, below, "{how:?}");
        assert_eq!(cube.shown_whole(metric), Some(whole), "{how:?}");
    }

    #[test]
    fn values_are_combined_over_call_paths_and_then_over_locations() {
        use Combine::{Maximum, Mean, Sum};
        check((Sum, Sum), 42.0, [4.0, 16.0, 22.0], [42.0, 38.0, 22.0], 150.0);
        check((Maximum, Maximum), 20.0, [4.0, 10.0, 20.0], [20.0, 20.0, 20.0], 50.0);
        // By thread 12, 30 and 0.
        check((Sum, Maximum), 30.0, [4.0, 10.0, 20.0], [30.0, 30.0, 20.0], 50.0);
        // By thread 6, 20 and 0.
        check((Maximum, Sum), 26.0, [4.0, 16.0, 22.0], [26.0, 26.0, 22.0], 150.0);
        let third = |value: f64| value / 3.0;
        check((Sum, Mean), 14.0, [4.0, 16.0, 22.0].map(third), [42.0, 38.0, 22.0].map(third), 50.0);
        // By thread 12 / 3, 30 / 2 and 0; below `f` 8 / 2, 30 / 2 and 0.
        check((Mean, Maximum), 15.0, [4.0, 10.0, 20.0], [15.0, 15.0, 20.0], 50.0);
    }

    #[test]
    fn some_locations_have_a_value_of_their_own() {
        let (cube, metric) = cube(Combine::Mean, Combine::Sum);
        assert_eq!(cube.shown_at(metric, &[LocationId(1)]), 15.0);
        assert_eq!(cube.shown_at(metric, &[LocationId(0), LocationId(1)]), 19.0);
        assert_eq!(cube.shown_at(MetricId(0), &[LocationId(0), LocationId(1)]), 100.0);
    }

    #[test]
    fn words_say_what_is_unusual() {
        let words = |over_calls, over_locations, percent_of: Option<&str>| {
            let percent_of = percent_of.map(str::to_owned);
            Display { over_calls, over_locations, percent_of }.words()
        };
        assert_eq!(words(Combine::Sum, Combine::Sum, None), "");
        assert_eq!(words(Combine::Sum, Combine::Sum, Some("time")), "percent of time");
        assert_eq!(
            words(Combine::Maximum, Combine::Maximum, None),
            "maximum over call paths and locations"
        );
        assert_eq!(
            words(Combine::Sum, Combine::Mean, Some("time")),
            "sum over call paths, mean over locations; percent of time"
        );
    }
}
