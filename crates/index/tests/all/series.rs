//! Curves of processes and counters of locations have the values that follow from all events, in
//! the bins of all levels.

use std::path::{Path, PathBuf};

use pompeii_index::{
    Context, Curve, Index, IndexWriter, LocationBuilder, Series, Shape, WindowError,
};
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::definition;
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::LocationRef;
use pompeii_otf2::write::{ArchiveWriter, Options};
use pompeii_replay::counter::CounterId;
use proptest::prelude::*;

use crate::links::index_of;
use crate::program::{LOCATIONS, Program, definitions, process_of, steps};

/// A value that lasts from a time to another one.
type Piece = (u64, u64, f64);

/// The values of each bin: smallest, largest, mean; `None` if it has none.
fn dense(series: &Series) -> Vec<Option<(f64, f64, f64)>> {
    let mut bins = vec![None; series.length as usize];
    let mut last = 0;
    for run in &series.bins {
        assert!(run.first >= last && run.length > 0, "{series:?}");
        last = run.first + run.length;
        bins[run.first as usize..last as usize].fill(Some((run.least, run.most, run.mean)));
    }
    bins
}

/// Compares with what pieces of time say. Without a piece there is no value, or it is 0.
fn check(series: &Series, pieces: &[Piece], end: u64, is_zero_between: bool) {
    let bin_ticks = 1_u64 << series.bin_log2;
    for (bin, found) in (0..).zip(dense(series)) {
        let begin = series.begin + bin * bin_ticks;
        let after = (begin + bin_ticks).min(end);
        let inside = |(start, end, value): &Piece| {
            let ticks = (*end).min(after).saturating_sub((*start).max(begin));
            (ticks > 0).then_some((ticks, *value))
        };
        let mut inside: Vec<(u64, f64)> = pieces.iter().filter_map(inside).collect();
        let covered: u64 = inside.iter().map(|(ticks, _)| ticks).sum();
        if is_zero_between && covered < after.saturating_sub(begin) {
            inside.push((after - begin - covered, 0.0));
        }
        let least = inside.iter().map(|(_, value)| *value).fold(f64::INFINITY, f64::min);
        let most = inside.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
        let ticks: u64 = inside.iter().map(|(ticks, _)| ticks).sum();
        let sum: f64 = inside.iter().map(|(ticks, value)| *ticks as f64 * value).sum();
        let expected = (ticks > 0).then(|| (least, most, sum / ticks as f64));
        let (found, expected) = match (found, expected, is_zero_between) {
            (None, None, false) => continue,
            (found, expected, true) => (found.unwrap_or_default(), expected.unwrap_or_default()),
            (Some(found), Some(expected), false) => (found, expected),
            (found, expected, _) => panic!("bin {bin}: {found:?}, not {expected:?}"),
        };
        let is_near = |one: f64, other: f64| (one - other).abs() <= other.abs() * 1e-6 + 1e-9;
        assert!(
            is_near(found.0, expected.0)
                && is_near(found.1, expected.1)
                && is_near(found.2, expected.2),
            "bin {bin} of {bin_ticks} from {begin}: {found:?}, not {expected:?}"
        );
    }
}

/// Writes the events of a program.
fn archive(folder: &Path, program: &Program) -> Result<PathBuf, pompeii_otf2::Error> {
    let options = Options { event_chunk_bytes: 256, ..Options::default() };
    let mut writer = ArchiveWriter::create(folder, "traces", options)?;
    for (location, of_location) in (0..).zip(&program.events) {
        let id = LocationRef(location);
        let mut events = writer.events(id)?;
        for (time, event) in of_location {
            events.event(*time, event, &[])?;
        }
        let number_of_events = events.events();
        events.finish()?;
        writer.define(definition::Location { id, number_of_events, ..Default::default() })?;
    }
    writer.finish(Anchor::default())
}

/// The number that a curve has at a time.
fn number(program: &Program, process: usize, curve: Curve, time: u64) -> usize {
    let tasks = || program.tasks.iter().filter(|task| task.process == process);
    let locations = || (0..LOCATIONS).filter(|location| process_of(*location) == process);
    let state = |location: usize| {
        let before = program.states[location].iter().rev().find(|(since, _)| *since <= time);
        before.and_then(|(_, state)| *state)
    };
    match curve {
        Curve::Ready => tasks()
            .filter(|task| {
                let first = task.fragments.first();
                task.created.1 <= time && first.is_none_or(|(begin, _)| begin.1 > time)
            })
            .count(),
        Curve::Running => tasks()
            .flat_map(|task| &task.fragments)
            .filter(|(begin, end)| begin.1 <= time && end.is_none_or(|end| end.1 > time))
            .count(),
        Curve::Waiting => locations().filter(|it| state(*it) == Some(true)).count(),
        Curve::Idle => locations().filter(|it| state(*it).is_none()).count(),
    }
}

fn pieces(program: &Program, process: usize, curve: Curve, all: (u64, u64)) -> Vec<Piece> {
    let mut times = vec![all.0, all.1];
    for location in (0..LOCATIONS).filter(|location| process_of(*location) == process) {
        times.extend(program.events[location].iter().map(|(time, _)| *time));
    }
    times.sort_unstable();
    let pairs = times.iter().zip(times.iter().skip(1));
    let value = |time: u64| number(program, process, curve, time) as f64;
    pairs.map(|(start, end)| (*start, *end, value(*start))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn curves_are_those_of_all_events(
        steps in steps(120),
        finest_log2 in 3..9_u8,
        levels in 1..5_u8,
        cuts in any::<(u64, u64)>(),
    ) {
        let program = Program::of(&steps);
        let (origin, end) = (900, program.end());
        let shape = Shape { origin, length: end - origin, unit_log2: 0, finest_log2, levels };
        let order: Vec<usize> = (0..LOCATIONS).collect();
        let index = index_of(&definitions(), shape, &program, &order);
        let cut = |cut: u64| origin + cut % (end - origin);
        let (first, second) = (cut(cuts.0), cut(cuts.1));
        for (process, curve) in (0..3).flat_map(|process| Curve::ALL.map(|curve| (process, curve))) {
            let pieces = pieces(&program, process, curve, (origin, end));
            for window in [origin..end, first.min(second)..first.max(second) + 1] {
                for columns in [3, 200] {
                    let series = index.curve(process, curve, window.clone(), columns);
                    check(&series, &pieces, end, true);
                }
            }
        }
    }

    /// Windows that are shorter than a bin of the index, from the events.
    #[test]
    fn curves_of_short_windows_are_those_of_all_events(
        steps in steps(120),
        cuts in any::<(u64, u64)>(),
        mark_events in 1..9_u64,
    ) {
        let program = Program::of(&steps);
        let folder = tempfile::tempdir().expect("a folder");
        let anchor = archive(folder.path(), &program).expect("written");
        let archive = Archive::open(&anchor).expect("a good archive");
        let (origin, end, definitions) = (900, program.end(), definitions());
        let (length, unit_log2, finest_log2, levels) = (end - origin, 0, 10, 1);
        let shape = Shape { origin, length, unit_log2, finest_log2, levels };
        let context = Context::new(&definitions, shape);
        let mut writer = IndexWriter::new(Vec::new(), [1, 2], &context).expect("memory");
        let open = |location: usize| archive.events(LocationRef(location as u64));
        for location in 0..LOCATIONS {
            let mut builder = LocationBuilder::new(&context).with_mark_every(mark_events);
            builder.read(&mut open(location).expect("a location"));
            writer.add(location, builder.finish()).expect("memory");
        }
        let index = Index::open(writer.finish().expect("memory")).expect("a good index");
        let cut = |cut: u64| origin + cut % (end - origin);
        let (first, second) = (cut(cuts.0), cut(cuts.1));
        for (process, curve) in (0..3).flat_map(|process| Curve::ALL.map(|curve| (process, curve))) {
            let pieces = pieces(&program, process, curve, (origin, end));
            let between = first.min(second)..first.max(second) + 1;
            for window in [origin..end, between, first..first + 1] {
                for columns in [3, 200] {
                    let open = |location, _| Ok::<_, WindowError>(open(location)?);
                    let what = (process, curve);
                    let series = index.exact_curve(&context, what, &window, columns, open);
                    let series = series.expect("a good trace").expect("few tasks");
                    prop_assert!(series.begin <= window.start && series.length > 0);
                    check(&series, &pieces, end, true);
                }
            }
        }
    }

    #[test]
    fn counters_are_those_of_all_readings(
        readings in prop::collection::vec((0..300_u64, -50..1000_i64), 0..60),
        finest_log2 in 2..8_u8,
        mode in 0..4_usize,
    ) {
        check_counter(&readings, finest_log2, mode);
    }
}

/// Values of a counter with times since the reading before.
fn check_counter(readings: &[(u64, i64)], finest_log2: u8, mode: usize) {
    let mode = ["ABSOLUTE_POINT", "ACCUMULATED_START", "RELATIVE_LAST", "RELATIVE_NEXT"][mode];
    let mut text = format!("counter flops = {mode}\n5 0.0 + main\n");
    let (mut now, mut timed): (u64, Vec<(u64, f64)>) = (10, Vec::new());
    for (ticks, value) in readings {
        now += ticks;
        text += &format!("{now} 0.0 count flops {value}\n");
        timed.push((now, *value as f64));
    }
    let end = now + 100;
    let trace = pompeii_replay::text::parse(&text).expect("a trace");
    let shape = Shape { origin: 0, length: end, unit_log2: 0, finest_log2, levels: 3 };
    let context = Context::new(&trace.definitions, shape);
    let mut builder = LocationBuilder::new(&context);
    trace.events[0].iter().for_each(|(time, event)| builder.event(*time, event));
    let mut writer = IndexWriter::new(Vec::new(), [1, 2], &context).expect("memory");
    writer.add(0, builder.finish()).expect("memory");
    let index = Index::open(writer.finish().expect("memory")).expect("a good index");

    // Readings at the same time are one: the first value, or the sum of changes. What no time has
    // passed for belongs to the time after it.
    let (mut merged, mut later): (Vec<(u64, f64)>, f64) = (Vec::new(), 0.0);
    for (time, value) in timed {
        match merged.last_mut() {
            Some(last) if last.0 == time && mode == "RELATIVE_NEXT" => last.1 += value,
            Some(last) if last.0 == time && mode == "RELATIVE_LAST" => later += value,
            Some(last) if last.0 == time && mode == "ABSOLUTE_POINT" => last.1 = value,
            Some(last) if last.0 == time => {}
            _ => merged.push((time, value + std::mem::take(&mut later))),
        }
    }
    let next: Vec<(u64, f64)> = merged.iter().skip(1).copied().chain([(end, f64::NAN)]).collect();
    let between = merged.iter().zip(&next);
    let rate = |from: u64, to: u64, amount: f64| (from, to, amount / (to - from) as f64);
    let pieces: Vec<Piece> = match mode {
        "ABSOLUTE_POINT" => between.map(|(it, next)| (it.0, next.0, it.1)).collect(),
        "ACCUMULATED_START" => between
            .filter(|(it, next)| next.1 >= it.1)
            .map(|(it, next)| rate(it.0, next.0, next.1 - it.1))
            .collect(),
        "RELATIVE_LAST" => between
            .filter(|(_, next)| !next.1.is_nan())
            .map(|(it, next)| rate(it.0, next.0, next.1))
            .collect(),
        _ => between
            .filter(|(_, next)| !next.1.is_nan())
            .map(|(it, next)| rate(it.0, next.0, it.1))
            .collect(),
    };
    for columns in [4, 100, 10_000] {
        check(&index.counter(0, CounterId(0), 0..end, columns), &pieces, end, false);
        check(&index.counter(0, CounterId(0), end / 3..end / 2 + 1, columns), &pieces, end, false);
    }
    assert_eq!(index.counter(0, CounterId(1), 0..end, 10).bins, []);
}

/// A counter that does not change for a long time is a few runs.
#[test]
fn a_constant_level_is_few_bins() {
    let readings = [(0, 7), (4_000_000, 7), (9_000_000, 8)];
    check_counter(&readings, 4, 0);
    let text = "counter m = ABSOLUTE_POINT\n0 0.0 count m 7\n9000000 0.0 count m 8";
    let trace = pompeii_replay::text::parse(text).expect("a trace");
    let shape = Shape { origin: 0, length: 9_000_100, unit_log2: 0, finest_log2: 4, levels: 3 };
    let context = Context::new(&trace.definitions, shape);
    let mut builder = LocationBuilder::new(&context);
    trace.events[0].iter().for_each(|(time, event)| builder.event(*time, event));
    let mut writer = IndexWriter::new(Vec::new(), [1, 2], &context).expect("memory");
    writer.add(0, builder.finish()).expect("memory");
    let bytes = writer.finish().expect("memory").len();
    assert!(bytes < 2000, "{bytes} bytes");
}
