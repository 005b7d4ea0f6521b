//! Pictures of arbitrary events are those that are made from all intervals, one by one: intervals
//! that are long enough exactly, and what each bin has of shorter ones.

use std::collections::BTreeMap;
use std::ops::Range;

use pompeii_index::{
    Context, Index, IndexWriter, LocationBuilder, Picture, Row, Shape, State, What, bin_log2_for,
};
use pompeii_otf2::read::Place;
use pompeii_replay::definitions::Definitions;
use proptest::prelude::*;

use crate::simulation::{Interval, Of, Simulation, definitions, steps};

/// The index of one location.
pub fn index_of(
    definitions: &Definitions,
    shape: Shape,
    simulation: &Simulation,
) -> Index<Vec<u8>> {
    let context = Context::new(definitions, shape);
    let mut builder = LocationBuilder::new(&context);
    for (number, (time, event)) in simulation.events.iter().enumerate() {
        if number % 16 == 0 {
            // There is no event file, so places are of no use.
            builder.mark(Place::default());
        }
        builder.event(*time, event);
    }
    let mut writer = IndexWriter::new(Vec::new(), [1, 2], &context).expect("memory");
    writer.add(0, builder.finish()).expect("memory");
    Index::open(writer.finish().expect("memory")).expect("a good index")
}

/// A shape with these levels, whatever the number of events is.
pub fn shape(origin: u64, end: u64, finest_log2: u8, levels: u8) -> Shape {
    Shape { origin, length: end - origin, unit_log2: 0, finest_log2, levels }
}

/// A box of a picture, in parts of a bin.
type Box = (u32, u32, What);

/// The boxes of the only row of a picture: runs of bins, and intervals.
fn boxes(picture: &Picture) -> (Vec<Box>, Vec<Box>) {
    let columns = picture.x0.iter().zip(&picture.x1).zip(&picture.what);
    let boxes = columns.map(|((x0, x1), what)| (*x0, *x1, *what));
    assert_eq!(picture.counts, [picture.what.len() as u32]);
    boxes.partition(|(.., what)| !what.is_exact())
}

pub fn check(
    definitions: &Definitions,
    of: Of,
    intervals: &[Interval],
    picture: &Picture,
    end: u64,
) {
    let bin_ticks = 1 << picture.bin_log2;
    let column = |time: u64| {
        let since = time.clamp(picture.begin, end) - picture.begin;
        (since * 16 / bin_ticks) as u32
    };
    let (fillers, exact) = boxes(picture);
    let is_long = |interval: &&Interval| interval.end - interval.start >= bin_ticks;
    let expected: Vec<(u32, u32, u32)> = intervals
        .iter()
        .filter(is_long)
        .map(|it| (column(it.start), column(it.end), it.region))
        .filter(|(x0, x1, _)| x0 < x1)
        .collect();
    let region = |what: What| u32::from(what.region());
    let found: Vec<_> = exact.iter().map(|(x0, x1, what)| (*x0, *x1, region(*what))).collect();
    assert_eq!(found, expected, "intervals of {of:?}");

    let short: Vec<Interval> = intervals.iter().filter(|it| !is_long(it)).copied().collect();
    let mut shown = BTreeMap::new();
    for (x0, x1, what) in fillers {
        assert!(x0 % 16 == 0 && x1 % 16 == 0 && x0 < x1);
        (x0 / 16..x1 / 16).for_each(|bin| assert_eq!(shown.insert(bin, what), None));
    }
    for bin in 0..((end - picture.begin) / bin_ticks) as u32 {
        let begin = picture.begin + u64::from(bin) * bin_ticks;
        let ticks = ticks_of(&short, begin..begin + bin_ticks);
        assert_eq!(shown.contains_key(&bin), !ticks.is_empty(), "bin {bin} of {of:?}");
        if let Some(what) = shown.get(&bin) {
            check_bin(definitions, of, &ticks, *what, bin_ticks);
        }
    }
}

/// Ticks by region in a bin.
fn ticks_of(intervals: &[Interval], bin: Range<u64>) -> BTreeMap<u32, u64> {
    let mut ticks = BTreeMap::new();
    for interval in intervals {
        let inside = interval.end.min(bin.end).saturating_sub(interval.start.max(bin.start));
        if inside > 0 {
            *ticks.entry(interval.region).or_default() += inside;
        }
    }
    ticks
}

fn check_bin(
    definitions: &Definitions,
    of: Of,
    ticks: &BTreeMap<u32, u64>,
    what: What,
    bin_ticks: u64,
) {
    let most = ticks.values().max().expect("some");
    let dominant = ticks.iter().find(|(_, ticks)| *ticks == most).expect("one");
    assert_eq!(u32::from(what.region()), *dominant.0, "dominant region of {of:?}");
    let share = |ticks: u64| ticks as f64 / bin_ticks as f64;
    if let Of::Level(_) = of {
        // Alike neighbours differ by up to 4, and numbers are rounded; something is never nothing.
        let is_near = |found: u8, expected: f64| (f64::from(found) - 63.0 * expected).abs() < 5.0;
        let (region, all) = what.region_shares();
        assert!(is_near(region, share(*most)), "{region} {ticks:?} of {bin_ticks}");
        assert!(is_near(all, share(ticks.values().sum())), "{all} {ticks:?} of {bin_ticks}");
        return;
    }
    let mut by_state = [0; 5];
    for (region, ticks) in ticks {
        let region = &definitions.regions[pompeii_model::RegionId(*region)];
        by_state[State::of(region) as usize] += ticks;
    }
    let found = what.state_shares();
    assert!(found.iter().sum::<u8>() <= 7, "{found:?}");
    for (state, found) in found.into_iter().enumerate() {
        let expected = 7.0 * share(by_state[state]);
        assert!((f64::from(found) - expected).abs() < 2.0, "{state}: {found}, not {expected}");
        let is_waiting = state == State::Waiting as usize;
        assert!(!is_waiting || share(by_state[state]) < 0.021 || found > 0, "waiting is seen");
    }
}

pub fn row_of(of: Of) -> Row {
    match of {
        Of::Flat => Row::Flat,
        Of::Level(level) => Row::Stack(level),
    }
}

/// Where a window of a picture ends: with its last bin.
pub fn end_of(picture: &Picture, window: &Range<u64>) -> u64 {
    let bin = 1_u64 << picture.bin_log2;
    let bins = window.end.saturating_sub(picture.begin).div_ceil(bin).max(1);
    picture.begin + bins * bin
}

fn check_all(steps: &[(u64, u8, u8)], finest_log2: u8, levels: u8, part: (u64, u64)) {
    let definitions = definitions();
    let mut simulation = Simulation::of(steps);
    let end = simulation.now() + 1000;
    simulation.end(end);
    let index = index_of(&definitions, shape(0, end, finest_log2, levels), &simulation);
    let (first, second) = (part.0 % end, part.1 % end);
    let windows = [0..end, first.min(second)..first.max(second) + 1];
    for (of, intervals) in simulation.rows() {
        for window in &windows {
            for columns in [1, 7, 100, 1000] {
                let picture = index.picture(&[(0, row_of(of))], window.clone(), columns);
                let wanted = bin_log2_for(window, columns);
                assert!(picture.bin_log2 <= wanted.max(u32::from(finest_log2)));
                check(&definitions, of, &intervals, &picture, end_of(&picture, window));
            }
        }
    }
    assert_eq!(index.events(0), (simulation.events.len() as u64, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn are_those_of_all_intervals(
        steps in steps(250),
        finest_log2 in 2..9_u8,
        levels in 1..6_u8,
        part in any::<(u64, u64)>(),
    ) {
        check_all(&steps, finest_log2, levels, part);
    }
}

/// A long regular trace, because random ones have no long runs of alike bins.
#[test]
fn regular_events() {
    let visit = [(10, 0, 1), (3, 0, 2), (40, 6, 0), (7, 6, 0)];
    let steps: Vec<_> = visit.into_iter().cycle().take(8000).collect();
    check_all(&steps, 6, 5, (10_000, 90_000));
    let definitions = definitions();
    let mut simulation = Simulation::of(&steps);
    simulation.end(simulation.now() + 1);
    let shape = shape(0, simulation.now(), 6, 5);
    let index = index_of(&definitions, shape, &simulation);
    let picture = index.picture(&[(0, Row::Flat)], 0..simulation.now(), 40);
    assert!(picture.what.len() < 4, "alike neighbours are one box: {picture:?}");
}

#[test]
fn a_suspended_task_goes_on_as_a_new_interval() {
    // Task 1 is suspended by task 2 after 100 ticks, which runs 300 ticks, and goes on for 200.
    let mut simulation = Simulation::of(&[
        (0, 0, 1),
        (10, 13, 3),
        (0, 0, 2),
        (100, 13, 4),
        (0, 0, 3),
        (300, 6, 0),
        (0, 15, 0),
        (200, 6, 0),
        (0, 15, 0),
        (50, 6, 0),
    ]);
    simulation.end(700);
    let index = index_of(&definitions(), shape(0, 700, 4, 3), &simulation);
    let picture = index.picture(&[(0, Row::Stack(1))], 0..700, 40);
    let boxes: Vec<_> = picture.x0.iter().zip(&picture.x1).zip(&picture.what).collect();
    let shown: Vec<_> = boxes
        .iter()
        .map(|((x0, x1), it)| (**x0, **x1, it.region(), it.is_resumed(), it.is_suspended()))
        .collect();
    let expected =
        [(10, 110, 5, false, true), (110, 410, 6, false, false), (410, 610, 5, true, false)];
    assert_eq!(shown, expected);
}
