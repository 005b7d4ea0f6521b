//! Parts of the time of random programs: together they are the whole, to the tick.

use std::collections::BTreeMap;

use pompeii_replay::{Options, Outcome, Within};

use crate::engine::{analyse, waits};
use crate::generate::world::Waits;
use crate::generate::{Shape, program};

/// What is counted at a call path on a location.
type Values = BTreeMap<(String, u64), [i128; 10]>;

fn add_values(outcome: &Outcome, values: &mut Values) {
    for entry in &outcome.entries {
        let id = outcome.definitions.location_ids[entry.location];
        let sums = values.entry((outcome.path(entry.call), id)).or_default();
        let (of, moved) = (entry.values, entry.values.moved);
        let times = [of.ticks, of.task_ticks].map(i128::from);
        let counts = [
            of.visits,
            of.fragments,
            moved.sends,
            moved.receives,
            moved.bytes_sent,
            moved.bytes_received,
            moved.collective_out,
            moved.collective_in,
        ];
        let all = times.into_iter().chain(counts.map(i128::from));
        sums.iter_mut().zip(all).for_each(|(sum, value)| *sum += value);
    }
    values.retain(|_, sums| *sums != [0; 10]);
}

/// Waiting that is the time between two moments. The rest follows from other times, or is a count.
fn is_between_moments(property: &str) -> bool {
    !property.ends_with("_starvation") && !property.ends_with("_count")
}

/// When tasks ran in a barrier is not known, so the parts of its waiting are rounded.
fn is_rounded(property: &str) -> bool {
    property.ends_with("barrier_wait") && property.starts_with("omp_")
}

#[test]
fn parts_of_the_time_are_the_whole_together() {
    for seed in 0..60 {
        let world = program(Shape::of(seed), seed);
        let folder = tempfile::tempdir().unwrap();
        let anchor = world.write(folder.path());
        let (whole, compounds) = analyse(&anchor, Options::default());
        let (begin, end) = (whole.definitions.begin, whole.definitions.end);
        let third = ((end - begin) / 3 + seed).min(end - begin);
        let borders = [0, begin + third / 2, begin + third, u64::MAX];
        let (mut values, mut found, mut wall) = (Values::new(), Waits::new(), 0);
        for pair in borders.windows(2) {
            let within = Some(Within { begin: pair[0], end: pair[1] });
            let threads = 1 + seed as usize % 2;
            let options = Options { within, threads, window_events: 100, ..Options::default() };
            let (outcome, compounds) = analyse(&anchor, options);
            add_values(&outcome, &mut values);
            for (key, ticks) in waits(&outcome, &compounds) {
                *found.entry(key).or_default() += ticks;
            }
            wall += outcome.definitions.end - outcome.definitions.begin;
        }
        let mut all = Values::new();
        add_values(&whole, &mut all);
        assert_eq!(values, all, "seed {seed}: {:?}", world.shape);
        assert_eq!(wall, end - begin);
        for (key, ticks) in waits(&whole, &compounds) {
            let (property, found) = (key.0, found.get(&key).copied().unwrap_or(0));
            let tolerance = if is_rounded(property) { 2 * compounds.len() as u64 } else { 0 };
            let is_right = found.abs_diff(ticks) <= tolerance;
            assert!(
                is_right || !is_between_moments(property),
                "seed {seed}: {key:?} {found} {ticks}"
            );
        }
    }
}

#[test]
fn a_part_without_events_has_what_is_open() {
    let world = program(Shape::of(1), 1);
    let folder = tempfile::tempdir().unwrap();
    let anchor = world.write(folder.path());
    let (whole, _) = analyse(&anchor, Options::default());
    let middle = whole.definitions.begin.midpoint(whole.definitions.end);
    let within = Some(Within { begin: middle, end: middle + 1 });
    let (outcome, _) = analyse(&anchor, Options { within, ..Options::default() });
    let locations = whole.locations() as i64;
    let ticks: i64 = outcome.entries.iter().map(|entry| entry.values.ticks).sum();
    assert!((1..=locations).contains(&ticks), "{ticks}");
    assert_eq!(outcome.definitions.end - outcome.definitions.begin, 1);
}
