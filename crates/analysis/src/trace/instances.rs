//! The single instances of properties: how many there are, how severe, and which are the most
//! severe ones, by property and call path. What is kept does not grow with their number, and does
//! not depend on their order.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use pompeii_model::{CallId, Severe, Statistics};
use pompeii_replay::Outcome;
use pompeii_replay::engine::tree::NodeId;
use pompeii_replay::hash::Table;
use pompeii_replay::place::Place;

/// Number of the most severe instances that are kept.
const SEVERE: usize = 16;

/// An instance of a property: on a location, for a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The location and the call path.
    pub at: Place,
    /// When the visit began.
    pub enter: u64,
    /// When it ended.
    pub leave: u64,
    /// The severity.
    pub ticks: i64,
    /// Who caused it, if the trace says so.
    pub by: Option<Place>,
}

impl Instance {
    /// The order of severity: the first ones are kept.
    fn rank(&self) -> (Reverse<i64>, u64, u32, u64) {
        (Reverse(self.ticks), self.enter, self.at.location.0, self.leave)
    }
}

/// The instances of all properties, by number of the property.
#[derive(Debug, Default)]
pub struct Instances {
    kept: Table<(u32, NodeId), Kept>,
}

/// Those of one property at one call path.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    pub(super) count: u64,
    pub(super) sum: i64,
    pub(super) sum_of_squares: u128,
    pub(super) min: i64,
    pub(super) max: i64,
    /// Number of instances by size ([`bucket`]).
    pub(super) sizes: Vec<u64>,
    /// The most severe ones, in their order.
    pub(super) severe: Vec<Instance>,
}

impl Instances {
    /// Takes an instance; one without severity is none.
    pub fn note(&mut self, property: u32, instance: &Instance) {
        if instance.ticks > 0 {
            self.kept.entry((property, instance.at.node)).or_default().note(instance);
        }
    }

    /// All that is kept, by property and call path.
    pub(super) fn all(&self) -> impl Iterator<Item = (&(u32, NodeId), &Kept)> {
        self.kept.iter()
    }

    /// Adds further instances of a property at a call path.
    pub(super) fn add(&mut self, of: (u32, NodeId), more: &Kept) {
        self.kept.entry(of).or_default().join(more);
    }

    /// The statistics of each property: first all of its instances, then those of each call path.
    /// `name` tells the name of a property at a call path.
    pub fn statistics(
        &self,
        outcome: &Outcome,
        name: &dyn Fn(u32, CallId) -> Option<&'static str>,
    ) -> Vec<Statistics> {
        let mut by_name: BTreeMap<&str, BTreeMap<CallId, Kept>> = BTreeMap::new();
        for (&(property, node), kept) in &self.kept {
            let call = outcome.call(node);
            if let Some(name) = name(property, call) {
                by_name.entry(name).or_default().entry(call).or_default().join(kept);
            }
        }
        let mut all = Vec::new();
        for (name, calls) in by_name {
            let mut whole = Kept::default();
            calls.values().for_each(|kept| whole.join(kept));
            all.push(Statistics { severe: Vec::new(), ..whole.statistics(outcome, name, None) });
            all.extend(
                calls.iter().map(|(&call, kept)| kept.statistics(outcome, name, Some(call))),
            );
        }
        all
    }
}

impl Kept {
    fn note(&mut self, instance: &Instance) {
        let ticks = instance.ticks;
        self.min = if self.count == 0 { ticks } else { self.min.min(ticks) };
        self.max = self.max.max(ticks);
        self.count += 1;
        self.sum = self.sum.saturating_add(ticks);
        let magnitude = u128::from(ticks.unsigned_abs());
        self.sum_of_squares = self.sum_of_squares.saturating_add(magnitude * magnitude);
        let bucket = bucket(ticks.unsigned_abs());
        if self.sizes.len() <= bucket {
            self.sizes.resize(bucket + 1, 0);
        }
        self.sizes[bucket] += 1;
        self.keep(instance);
    }

    fn keep(&mut self, instance: &Instance) {
        let least = self.severe.get(SEVERE - 1);
        // That is so for nearly all instances of a long trace.
        if least.is_some_and(|least| least.rank() <= instance.rank()) {
            return;
        }
        let place = self.severe.partition_point(|known| known.rank() <= instance.rank());
        if place < SEVERE {
            self.severe.truncate(SEVERE - 1);
            self.severe.insert(place, *instance);
        }
    }

    fn join(&mut self, other: &Kept) {
        self.min = if self.count == 0 { other.min } else { self.min.min(other.min) };
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
        self.sum_of_squares = self.sum_of_squares.saturating_add(other.sum_of_squares);
        if self.sizes.len() < other.sizes.len() {
            self.sizes.resize(other.sizes.len(), 0);
        }
        self.sizes.iter_mut().zip(&other.sizes).for_each(|(sum, more)| *sum += more);
        other.severe.iter().for_each(|instance| self.keep(instance));
    }

    /// The smallest severity that `percent` of the instances do not exceed: exact if all instances
    /// are kept, otherwise the middle of a bucket.
    fn quantile(&self, percent: u64) -> i64 {
        let rank = (self.count * percent).div_ceil(100).max(1);
        if self.count as usize == self.severe.len() {
            return self.severe[(self.count - rank) as usize].ticks;
        }
        let mut below = 0;
        let bucket = self.sizes.iter().position(|number| {
            below += number;
            below >= rank
        });
        bucket.map_or(self.max, middle).clamp(self.min, self.max)
    }

    fn statistics(&self, outcome: &Outcome, name: &str, call: Option<CallId>) -> Statistics {
        let (count, mean) = (self.count as f64, self.sum as f64 / self.count.max(1) as f64);
        let since = |time: u64| time.saturating_sub(outcome.definitions.begin).cast_signed();
        let severe = |of: &Instance| Severe {
            location: of.at.location,
            enter: since(of.enter),
            leave: since(of.leave),
            ticks: of.ticks,
            by: of.by.map(|by| (outcome.call(by.node), by.location)),
        };
        Statistics {
            metric: name.to_owned(),
            call,
            count: self.count,
            sum: self.sum,
            min: self.min,
            max: self.max,
            variance: match self.count {
                0 | 1 => 0.0,
                _ => ((self.sum_of_squares as f64 - mean * mean * count) / (count - 1.0)).max(0.0),
            },
            quartiles: [25, 50, 75].map(|percent| self.quantile(percent)),
            severe: self.severe.iter().map(severe).collect(),
        }
    }
}

/// Where a severity is counted: 16 buckets for each power of two, exact below 16.
fn bucket(ticks: u64) -> usize {
    match ticks.checked_ilog2() {
        Some(power) if power >= 4 => {
            let part = (ticks >> (power - 4)) & 15;
            (power as usize - 3) * 16 + part as usize
        }
        _ => ticks as usize,
    }
}

/// The middle of a bucket: at most 1/32 from all severities in it.
fn middle(bucket: usize) -> i64 {
    if bucket < 16 {
        return bucket as i64;
    }
    let (power, part) = (bucket / 16 + 3, bucket % 16);
    let width = 1u64 << (power - 4);
    ((16 + part as u64) * width + width / 2).cast_signed()
}

#[cfg(test)]
mod tests {
    use pompeii_model::LocationId;
    use pompeii_replay::engine::record::VisitId;

    use super::*;

    fn instance(ticks: i64, enter: u64, location: u32) -> Instance {
        let (node, visit) = (NodeId(0), VisitId::NONE);
        let at = Place { location: LocationId(location), node, visit };
        Instance { at, enter, leave: enter + 5, ticks, by: None }
    }

    #[test]
    fn the_most_severe_instances_are_kept_in_one_order() {
        let all: Vec<Instance> =
            (0..60).map(|n| instance(7 * (n % 9) + 1, (60 - n) as u64, (n % 3) as u32)).collect();
        let (mut forward, mut backward) = (Kept::default(), Kept::default());
        all.iter().for_each(|instance| forward.note(instance));
        all.iter().rev().for_each(|instance| backward.note(instance));
        let mut expected = all.clone();
        expected.sort_by_key(|of| (-of.ticks, of.enter, of.at.location));
        assert_eq!(forward.severe, expected[..SEVERE]);
        assert_eq!(backward.severe, forward.severe);
        assert_eq!((forward.min, forward.max, forward.count), (1, 57, 60));
    }

    #[test]
    fn quartiles_of_few_instances_are_exact_and_of_many_nearly() {
        let mut few = Kept::default();
        [1_000_003, 5, 70_001, 9].iter().for_each(|&ticks| few.note(&instance(ticks, 0, 0)));
        assert_eq!([25, 50, 75].map(|percent| few.quantile(percent)), [5, 9, 70_001]);
        let mut many = Kept::default();
        (1..=100_000).for_each(|ticks| many.note(&instance(ticks, 0, 0)));
        for percent in [25, 50, 75] {
            let (found, right) = (many.quantile(percent) as f64, percent as f64 * 1000.0);
            assert!((found - right).abs() <= right / 32.0, "{percent}: {found}");
        }
    }

    #[test]
    fn each_severity_is_in_the_bucket_around_it() {
        for power in 0..63 {
            for ticks in [1u64 << power, (1 << power) + 1, (1 << power) * 2 - 1] {
                let middle = middle(bucket(ticks)) as f64;
                let error = (middle - ticks as f64).abs();
                assert!(error <= ticks as f64 / 32.0 + 0.5, "{ticks}: {middle}");
            }
        }
    }

    #[test]
    fn each_call_path_has_its_instances_with_their_causers() {
        // Thread 1 is late at the first barrier by 10 and at the second by 4; thread 0 at the third
        // one, which is another call path, by 1.
        crate::trace::check(
            "omp_ebarrier_wait",
            "end 60
             team A = 0.0 0.1
             0 0.0 fork; team A; + parallel
             0 0.1 team A; + parallel
             5 0.0 + barrier
             15 0.1 + barrier
             15 0.0 -; + barrier
             15 0.1 -
             19 0.1 + barrier
             20 0.1 -; + barrier:7
             20 0.0 -
             21 0.0 + barrier:7
             22 0.1 -
             22 0.0 -
             40 0.0 -; endteam A; join
             40 0.1 -; endteam A",
            expect_test::expect![[r#"
                program/parallel/barrier  [14, 0]
                program/parallel/barrier:7  [0, 1]
                all: 3 of 1 to 10, sum 15, quartiles [1, 4, 10], variance 21
                program/parallel/barrier: 2 of 4 to 10, sum 14, quartiles [4, 4, 10], variance 18
                  10 on 0 from 5 to 15 by Some(("program/parallel/barrier", 1))
                  4 on 0 from 15 to 20 by Some(("program/parallel/barrier", 1))
                program/parallel/barrier:7: 1 of 1 to 1, sum 1, quartiles [1, 1, 1], variance 0
                  1 on 1 from 20 to 22 by Some(("program/parallel/barrier:7", 0))
            "#]],
        );
    }
}
