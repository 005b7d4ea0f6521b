//! Cubes whose times are so large that calculations with them do not fit into 64 bits: those of
//! damaged files, or of files that are made to break a reader. Their ticks are made longer, by a
//! power of two, and then all calculations are those of usual cubes. Nothing is lost that could be
//! seen: the shortest time that is left is a 2^-55th of all.

use crate::distribution::power_of_two;
use crate::{Cube, Distribution, Frequency, Moments, Row, Ticks, Unit};

/// All times of a metric together are below this power of two, so a hundred such sums fit.
const SUM_BITS: u32 = 56;

/// By how many bits ticks become longer.
#[derive(Clone, Copy)]
struct Longer(u32);

impl Longer {
    fn ticks(self, ticks: Ticks) -> Ticks {
        (i128::from(ticks) / (1_i128 << self.0)) as Ticks
    }

    fn change(self, ticks: &mut Ticks) {
        *ticks = self.ticks(*ticks);
    }

    /// How many of the old ticks a new tick has.
    fn factor(self) -> f64 {
        power_of_two(self.0)
    }

    fn moments(self, moments: &mut Moments) {
        if moments.count > 0 {
            self.change(&mut moments.min);
            self.change(&mut moments.max);
        }
        self.change(&mut moments.sum);
        moments.sum_of_squares /= self.factor() * self.factor();
    }

    /// A bin is for a number of binary digits.
    fn distribution(self, of: &mut Distribution) {
        self.moments(&mut of.moments);
        let gone = of.bins.len().min(self.0 as usize);
        let small = of.bins.drain(..gone).fold(0_u64, u64::saturating_add);
        match of.bins.first_mut() {
            Some(first) => *first = first.saturating_add(small),
            None if small > 0 => of.bins.push(small),
            None => {}
        }
    }
}

impl Cube {
    /// The same in longer ticks, if its times are too large for calculations.
    pub fn in_longer_ticks(&self) -> Option<Cube> {
        let bits = i128::BITS - self.largest_sum().leading_zeros();
        let longer = Longer(bits.checked_sub(SUM_BITS).filter(|by| *by > 0)?);
        let rate = self.clock.ticks_per_second() / longer.factor();
        let dimensions = (self.regions.clone(), self.calls.clone(), self.system.clone());
        let clock = Frequency::new(rate).unwrap_or(self.clock);
        let wall_ticks = longer.ticks(self.wall_ticks);
        let mut cube = Cube::new(clock, wall_ticks, &self.program, dimensions);
        cube.difference.clone_from(&self.difference);
        cube.parts.clone_from(&self.parts);
        for process in cube.system.processes.iter_mut() {
            longer.change(&mut process.wall_ticks);
        }
        for (id, metric) in self.metrics().enumerated() {
            let is_time = metric.unit == Unit::Ticks;
            cube.add_metric(metric.clone());
            for call in self.calls.ids() {
                let values = self.row(id, call).iter();
                let row = match is_time {
                    true => Row::new(values.map(|ticks| longer.ticks(*ticks)).collect()),
                    false => self.shared_row(id, call),
                };
                cube.set_row(id, call, row);
            }
        }
        self.add_lists(&mut cube, longer);
        Some(cube)
    }

    /// Adds what is not a metric.
    fn add_lists(&self, cube: &mut Cube, longer: Longer) {
        cube.waits.clone_from(&self.waits);
        for wait in &mut cube.waits {
            longer.change(&mut wait.wait_ticks);
            longer.change(&mut wait.starvation_ticks);
        }
        cube.roots.clone_from(&self.roots);
        for root in &mut cube.roots {
            longer.change(&mut root.direct_ticks);
            longer.change(&mut root.indirect_ticks);
        }
        cube.statistics.clone_from(&self.statistics);
        for of in &mut cube.statistics {
            [&mut of.sum, &mut of.min, &mut of.max].into_iter().for_each(|it| longer.change(it));
            of.quartiles.iter_mut().for_each(|it| longer.change(it));
            of.variance /= longer.factor() * longer.factor();
            for severe in &mut of.severe {
                let times = [&mut severe.enter, &mut severe.leave, &mut severe.ticks];
                times.into_iter().for_each(|it| longer.change(it));
            }
        }
        cube.task_times.clone_from(&self.task_times);
        cube.task_times.iter_mut().for_each(|of| longer.distribution(&mut of.ticks));
        cube.visit_times.clone_from(&self.visit_times);
        cube.visit_times.iter_mut().for_each(|of| longer.moments(&mut of.ticks));
    }

    /// The largest sum of times, whatever their signs are: that of a metric, of a list, or the
    /// times of all locations.
    fn largest_sum(&self) -> i128 {
        let times = self.metrics().enumerated().filter(|(_, metric)| metric.unit == Unit::Ticks);
        let of_metrics = times.map(|(id, _)| {
            sum(self.calls.ids().flat_map(|call| self.row(id, call).iter().copied()))
        });
        let locations = self.system.locations.len().max(1) as i128;
        let processes = self.system.processes.iter().map(|process| process.wall_ticks);
        let walls = processes.chain([self.wall_ticks]).map(|wall| size(wall) * locations);
        let waits = self.waits.iter().flat_map(|it| [it.wait_ticks, it.starvation_ticks]);
        let roots = self.roots.iter().flat_map(|it| [it.direct_ticks, it.indirect_ticks]);
        let statistics = self.statistics.iter().map(|of| size(of.sum).max(size(of.max)));
        let tasks = self.task_times.iter().map(|of| of.ticks.moments.sum);
        let visits = self.visit_times.iter().map(|of| of.ticks.sum);
        let lists = [sum(waits), sum(roots), sum(tasks), sum(visits)];
        of_metrics.chain(walls).chain(statistics).chain(lists).max().unwrap_or(0)
    }
}

fn size(ticks: Ticks) -> i128 {
    i128::from(ticks.unsigned_abs())
}

fn sum(values: impl Iterator<Item = Ticks>) -> i128 {
    values.map(size).sum()
}

#[cfg(test)]
mod tests {
    use crate::{
        CallTree, Display, IndexVec, Location, LocationId, Metric, Process, ProcessId, Region,
        System, Wait,
    };

    use super::*;

    fn cube(ticks: Ticks) -> Cube {
        let mut system = System::default();
        let name = |name: &str| name.to_owned();
        let master = LocationId(0);
        let (node, wall_ticks) = (name("n"), ticks);
        system.processes.push(Process { name: name("p"), rank: 0, node, master, wall_ticks });
        for thread in ["a", "b"] {
            system.locations.push(Location { name: name(thread), process: ProcessId(0) });
        }
        let mut regions: IndexVec<crate::RegionId, Region> = IndexVec::default();
        let mut calls = CallTree::default();
        let main = calls.add_root(regions.push(Region::artificial("main")));
        let clock = Frequency::NANOSECONDS;
        let mut cube = Cube::new(clock, ticks, "main", (regions, calls, system));
        for (name, unit) in [("time", Unit::Ticks), ("visits", Unit::Count)] {
            let (name, title, description) = (name.to_owned(), String::new(), String::new());
            let display = Display::default();
            let metric = Metric { name, title, description, unit, parent: None, display };
            let id = cube.add_metric(metric);
            cube.add(id, main, LocationId(0), ticks);
            cube.add(id, main, LocationId(1), -ticks);
        }
        let (call, location, by, visits) = (main, LocationId(1), None, 1);
        let (wait_ticks, starvation_ticks) = (ticks, 0);
        cube.waits = vec![Wait { call, location, by, visits, wait_ticks, starvation_ticks }];
        cube
    }

    #[test]
    fn times_that_fit_stay_as_they_are() {
        assert!(cube(0).in_longer_ticks().is_none());
        assert!(cube((1 << 55) - 1).in_longer_ticks().is_none());
    }

    #[test]
    fn large_times_have_longer_ticks() {
        let large = cube(i64::MAX);
        let longer = large.in_longer_ticks().expect("too large");
        // Two locations have 2^64 ticks together.
        let expected = i64::MAX >> 8;
        assert_eq!(longer.wall_ticks, expected);
        let [time, visits] = ["time", "visits"].map(|name| longer.metric(name).expect("a metric"));
        let main = longer.calls.roots()[0];
        assert_eq!(longer.row(time, main), [expected, -expected]);
        assert_eq!(longer.row(visits, main), [i64::MAX, -i64::MAX]);
        assert_eq!(longer.waits[0].wait_ticks, expected);
        assert_eq!(longer.clock.ticks_per_second(), 1e9 / 256.0);
        assert!(longer.in_longer_ticks().is_none());
    }

    #[test]
    fn histograms_have_fewer_bins() {
        let longer = Longer(2);
        let mut of = Distribution { bins: vec![1, 2, 3, 4, 5], ..Distribution::default() };
        longer.distribution(&mut of);
        assert_eq!(of.bins, [6, 4, 5]);
        assert_eq!(of.moments.min, i64::MAX);
        let mut small = Distribution { bins: vec![1, 2], ..Distribution::default() };
        longer.distribution(&mut small);
        assert_eq!(small.bins, [3]);
    }
}
