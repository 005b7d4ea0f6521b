//! Windows of a trace that are decoded from its events: pictures and sums are those of all
//! intervals. The trace has chunks of a few events, ids and a clock of its own, so a mark without
//! its place, table or clock would be found.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use pompeii_index::file::SpanChunks;
use pompeii_index::{
    Context, Direction, Find, FoundVisit, Histogram, Index, IndexWriter, LocationBuilder, Picture,
    Row, Search, Shape, Sought, Span, Sums, Tasks, WindowError,
};
use pompeii_otf2::Timestamp;
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::definition::{ClockOffset, Location, MappingTable};
use pompeii_otf2::enums::MappingType;
use pompeii_otf2::event::{Enter, Event, Leave};
use pompeii_otf2::mapping::IdMap;
use pompeii_otf2::read::{Archive, EventReader};
use pompeii_otf2::reference::{LocationRef, RegionRef};
use pompeii_otf2::write::{ArchiveWriter, Options};
use pompeii_replay::definitions::Definitions;
use proptest::prelude::*;

use crate::pictures::{check, end_of, row_of};
use crate::simulation::{Interval, Of, REGIONS, Simulation, definitions, steps};

const LOCATION: LocationRef = LocationRef(3);
/// The location's clock is late by this number of ticks.
const OFFSET: u64 = 1000;

/// Writes the events with other ids and times, which the local definitions translate.
fn archive(folder: &Path, simulation: &Simulation) -> Result<PathBuf, pompeii_otf2::Error> {
    let options = Options { event_chunk_bytes: 256, ..Options::default() };
    let mut writer = ArchiveWriter::create(folder, "traces", options)?;
    let mut events = writer.events(LOCATION)?;
    let local = |region: RegionRef| RegionRef(REGIONS - 1 - region.0);
    for (time, event) in &simulation.events {
        let event: Event = match event {
            Event::Enter(enter) => Enter { region: local(enter.region) }.into(),
            Event::Leave(leave) => Leave { region: local(leave.region) }.into(),
            event => event.clone(),
        };
        events.event(*time, &event, &[])?;
    }
    let number_of_events = events.events();
    events.finish()?;
    let ids = (0..u64::from(REGIONS)).rev().collect();
    let id_map = IdMap::from_dense(ids).expect("ids that change");
    let table = MappingTable { mapping_type: MappingType::REGION, id_map };
    let offset = OFFSET as i64;
    let offset = ClockOffset { time: Timestamp(0), offset, standard_deviation: 0.0 };
    writer.local_definitions(LOCATION, &[table.into(), offset.into()])?;
    writer.define(Location { id: LOCATION, number_of_events, ..Location::default() })?;
    writer.finish(Anchor::default())
}

/// A trace on disk, and its index.
struct Traced {
    definitions: Definitions,
    archive: Archive,
    index: Index<Vec<u8>>,
    end: u64,
    _folder: tempfile::TempDir,
}

impl Traced {
    fn new(simulation: &Simulation, mark_events: u64, finest_log2: u8) -> Traced {
        let folder = tempfile::tempdir().expect("a folder");
        let anchor = archive(folder.path(), simulation).expect("written");
        let archive = Archive::open(&anchor).expect("a good archive");
        let (definitions, end) = (definitions(), simulation.now());
        let shape = Shape { origin: OFFSET, length: end, unit_log2: 0, finest_log2, levels: 2 };
        let context = Context::new(&definitions, shape);
        let mut builder = LocationBuilder::new(&context).with_mark_every(mark_events);
        builder.read(&mut archive.events(LOCATION).expect("a location"));
        let mut writer = IndexWriter::new(Vec::new(), [1, 2], &context).expect("memory");
        writer.add(0, builder.finish()).expect("memory");
        let index = Index::open(writer.finish().expect("memory")).expect("a good index");
        Traced { definitions, archive, index, end, _folder: folder }
    }

    fn reader(&self) -> Result<EventReader, WindowError> {
        Ok(self.archive.events(LOCATION)?)
    }

    /// A reader that has these parts of the file only.
    fn spans(&self, spans: &[Span]) -> Result<EventReader<SpanChunks>, WindowError> {
        let path = self.archive.event_path(LOCATION);
        let chunk_bytes = self.archive.anchor().event_chunk_bytes;
        let chunks = SpanChunks::new(&path, chunk_bytes, spans);
        let (local, _) = self.archive.local_salvage(LOCATION);
        let reader = EventReader::new(chunks, &path, chunk_bytes, LOCATION);
        Ok(reader.with_local(local.mappings, local.clock))
    }

    /// A picture with times without the offset of the clock.
    fn picture(&self, row: Row, window: &Range<u64>, columns: u32) -> Picture {
        let window = window.start + OFFSET..window.end + OFFSET;
        let context = Context::new(&self.definitions, self.index.shape());
        let index = &self.index;
        let picture = index
            .exact_picture(&context, &[(0, row)], window, columns, |_, span| self.spans(&[span]));
        let picture = picture.expect("a good trace");
        Picture { begin: picture.begin - OFFSET, ..picture }
    }

    fn sums(&self, window: &Range<u64>) -> BTreeMap<u32, Sums> {
        let window = window.start + OFFSET..window.end + OFFSET;
        let spans = self.index.border_spans(0, &window);
        let mut reader = self.spans(&spans).expect("a location");
        self.index.sums(&self.definitions, 0, &window, &mut reader).expect("a good trace")
    }
}

/// What is open at a moment is what has an interval then.
fn check_moment(traced: &Traced, rows: &BTreeMap<Of, Vec<Interval>>, time: u64) {
    let mut reader = traced.reader().expect("a location");
    let index = &traced.index;
    let moment = index.at(&traced.definitions, 0, time + OFFSET, &mut reader, u64::MAX);
    let moment = moment.expect("a good trace");
    let found: Vec<_> = moment
        .stack
        .iter()
        .map(|open| (open.region, open.since - OFFSET, open.end.map(|end| end - OFFSET)))
        .collect();
    let contains = |it: &&Interval| (it.start..it.end).contains(&time);
    let on_level = |level| rows.get(&Of::Level(level))?.iter().find(contains);
    // What is open when the trace ends has no end.
    let end = |it: &Interval| (it.end < traced.end).then_some(it.end);
    let expected: Vec<_> =
        (0..).map_while(on_level).map(|it| (it.region, it.start, end(it))).collect();
    assert_eq!(found, expected, "at {time}");
}

/// Fragments of tasks that are not over before a window, as far as they are before its end.
fn check_tasks(traced: &Traced, simulation: &Simulation, window: &Range<u64>) {
    let mut tasks = Tasks::default();
    let mut reader = traced.reader().expect("a location");
    let shifted = window.start + OFFSET..window.end + OFFSET;
    let added = traced.index.add_tasks(&traced.definitions, 0, &shifted, &mut reader, &mut tasks);
    added.expect("a good trace");
    let mut found: Vec<(u32, u64, u64)> = tasks
        .fragments
        .iter()
        .map(|it| (it.task.number, it.start - OFFSET, it.end - OFFSET))
        .filter(|(_, start, end)| start < end && *end > window.start)
        .collect();
    let mut expected: Vec<(u32, u64, u64)> = simulation
        .fragments_of_tasks
        .iter()
        .map(|(task, _, start, end)| (*task, *start, (*end).min(window.end)))
        .filter(|(_, start, end)| start < end && *end > window.start)
        .collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "tasks in {window:?}");
}

/// Durations of the visits that end in a window, by region.
fn check_histograms(traced: &Traced, simulation: &Simulation, window: &Range<u64>) {
    let shifted = window.start + OFFSET..window.end + OFFSET;
    for region in [3, 4, 5] {
        let mut expected = Histogram::default();
        for (visit, _) in &simulation.ended {
            let (_, _, of, end) = simulation.known[*visit];
            if of == region && end.is_some_and(|end| window.contains(&end)) {
                let ticks = simulation.ticks_of(*visit);
                let bucket = &mut expected.buckets[ticks.max(1).ilog2() as usize];
                (bucket.visits, bucket.ticks) = (bucket.visits + 1, bucket.ticks + ticks);
            }
        }
        let mut reader = traced.reader().expect("a location");
        let index = &traced.index;
        let found = index.histogram(&traced.definitions, 0, region, &shifted, &mut reader);
        assert_eq!(found.expect("a good trace"), expected, "{region} in {window:?}");
    }
}

/// The first visit to end that begins at a time or later, or the outermost one around it.
fn next_visit(simulation: &Simulation, sought: &Sought, from: u64) -> Option<FoundVisit> {
    let is_region = |region: &u32| sought.regions.as_ref().is_none_or(|all| all.contains(region));
    let is = |visit: usize| {
        let (began, _, region, _) = simulation.known[visit];
        let is_long = simulation.ticks_of(visit) >= sought.at_least;
        began >= from && is_region(&region) && is_long
    };
    let found = |visit: usize| {
        let (start, _, region, end) = simulation.known[visit];
        FoundVisit { start, end, region }
    };
    let first = simulation.ended.iter().find(|(visit, _)| is(*visit));
    let Some((visit, open)) = first else {
        let last = simulation.open_at_end();
        return last.into_iter().find(|visit| is(*visit)).map(found);
    };
    let is_around = |around: &&usize| {
        let (began, _, region, _) = simulation.known[**around];
        began >= from && began <= simulation.known[*visit].0 && is_region(&region)
    };
    let around = open.iter().find(is_around).filter(|around| is(**around));
    Some(found(*around.unwrap_or(visit)))
}

/// The last visit that has ended at a time or before.
fn last_visit(simulation: &Simulation, sought: &Sought, from: u64) -> Option<FoundVisit> {
    let ended = simulation.ended.iter().rev().map(|(visit, _)| *visit);
    let found = ended.map(|visit| (visit, simulation.known[visit])).find(|(visit, known)| {
        let (_, _, region, end) = known;
        let is_region = sought.regions.as_ref().is_none_or(|all| all.contains(region));
        let is_long = simulation.ticks_of(*visit) >= sought.at_least;
        is_region && is_long && end.is_some_and(|end| end <= from)
    });
    found.map(|(_, (start, _, region, end))| FoundVisit { start, end, region })
}

fn check_search(traced: &Traced, simulation: &Simulation, time: u64) {
    let regions = [None, Some(BTreeSet::from([4])), Some(BTreeSet::from([5, 9]))];
    let lengths = [0, 100, 5000].into_iter();
    let sought =
        lengths.flat_map(|at_least| regions.clone().map(|regions| Sought { regions, at_least }));
    for sought in sought {
        for direction in [Direction::Forward, Direction::Backward] {
            let expected = match direction {
                Direction::Forward => next_visit(simulation, &sought, time),
                Direction::Backward => last_visit(simulation, &sought, time),
            };
            let mut search = Search { from: time + OFFSET, direction, mark: None };
            let ask = |search, most| {
                let mut reader = traced.reader().expect("a location");
                let found =
                    traced.index.find(&traced.definitions, 0, &sought, search, &mut reader, most);
                found.expect("a good trace")
            };
            let found = match ask(search, u64::MAX) {
                Find::At(found) => Some(FoundVisit {
                    start: found.start - OFFSET,
                    end: found.end.map(|end| end - OFFSET),
                    ..found
                }),
                other => {
                    assert_eq!(other, Find::Nothing);
                    None
                }
            };
            assert_eq!(found, expected, "{sought:?} {direction:?} of {time}");
            // In small steps it finds one, too.
            let mut calls = 0;
            let in_steps = loop {
                match ask(search, 200) {
                    Find::Searching(mark) => search.mark = Some(mark),
                    other => break other,
                }
                calls += 1;
                assert!(calls < 10_000, "it comes to an end");
            };
            assert_eq!(matches!(in_steps, Find::At(_)), expected.is_some());
        }
    }
}

/// The intervals as far as they are in a window.
fn clipped(intervals: &[Interval], window: Range<u64>) -> Vec<Interval> {
    let clip = |it: &Interval| {
        let (start, end) = (it.start.max(window.start), it.end.min(window.end));
        (start < end).then_some(Interval { start, end, ..*it })
    };
    intervals.iter().filter_map(clip).collect()
}

fn naive_sums(simulation: &Simulation, window: &Range<u64>) -> BTreeMap<u32, Sums> {
    let mut sums: BTreeMap<u32, Sums> = BTreeMap::new();
    let rows = simulation.rows();
    let flat = rows.get(&Of::Flat).map_or(&[][..], |row| row);
    for interval in clipped(flat, window.clone()) {
        sums.entry(interval.region).or_default().ticks += interval.end - interval.start;
    }
    for (time, region) in &simulation.enters {
        if window.contains(time) {
            sums.entry(*region).or_default().visits += 1;
        }
    }
    sums
}

fn check_all(steps: &[(u64, u8, u8)], mark_events: u64, cuts: &[u64]) {
    let mut simulation = Simulation::of(steps);
    simulation.end(simulation.now() + 500);
    let traced = Traced::new(&simulation, mark_events, 12);
    let end = traced.end;
    let mut borders: Vec<u64> = cuts.iter().map(|cut| cut % end).collect();
    // Windows that begin and end at an event, too.
    borders.extend(simulation.events.iter().step_by(7).map(|(time, _)| *time));
    borders.extend([0, end, end + 1]);
    for (first, second) in borders.iter().zip(borders.iter().cycle().skip(3)) {
        let window = *first.min(second)..*first.max(second);
        assert_eq!(traced.sums(&window), naive_sums(&simulation, &window), "{window:?}");
        check_tasks(&traced, &simulation, &window);
    }
    for (first, second) in borders.iter().step_by(4).zip(borders.iter().rev()) {
        let window = *first.min(second)..*first.max(second);
        check_histograms(&traced, &simulation, &window);
    }
    let some = borders.iter().step_by(borders.len() / 8 + 1);
    some.for_each(|time| check_search(&traced, &simulation, *time));
    let rows = simulation.rows();
    borders
        .iter()
        .step_by(3)
        .filter(|time| **time < end)
        .for_each(|time| check_moment(&traced, &rows, *time));
    for pair in borders.windows(2).step_by(3) {
        let window = pair[0].min(pair[1])..pair[0].max(pair[1]) + 1;
        for (of, columns) in rows.keys().flat_map(|of| [(*of, 10), (*of, 300)]) {
            let picture = traced.picture(row_of(of), &window, columns);
            let last = end_of(&picture, &window);
            // What is outside of the window of whole bins is not there.
            let inside = clipped(&rows[&of], picture.begin..last);
            check(&traced.definitions, of, &inside, &picture, last);
        }
        for (level, intervals) in simulation.recorded_rows() {
            let picture = traced.picture(Row::Recorded(level), &window, 100);
            let last = end_of(&picture, &window);
            let inside = clipped(&intervals, picture.begin..last);
            check(&traced.definitions, Of::Level(level), &inside, &picture, last);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn are_those_of_all_events(
        steps in steps(200),
        mark_events in prop_oneof![Just(1), 2..40_u64],
        cuts in prop::collection::vec(any::<u64>(), 4),
    ) {
        check_all(&steps, mark_events, &cuts);
    }
}

/// More than 64 marks, so that sums of all marks are used.
#[test]
fn many_marks() {
    let visit = [(10, 0, 1), (3, 0, 2), (40, 6, 0), (5, 13, 3), (1, 0, 4), (6, 14, 0), (7, 6, 0)];
    let steps: Vec<_> = visit.into_iter().cycle().take(1500).collect();
    check_all(&steps, 8, &[1, 7000, 12_345, 9999]);
}

#[test]
fn the_events_of_a_window_are_few() {
    let visit = [(10, 0, 1), (10, 6, 0)];
    let steps: Vec<_> = visit.into_iter().cycle().take(2000).collect();
    let traced = Traced::new(&Simulation::of(&steps), 50, 8);
    let events = |window| traced.index.events_to_decode(0, &window);
    assert_eq!(events(0..u64::MAX), 2000);
    assert_eq!(events(OFFSET + 10_100..OFFSET + 10_110), 50);
    assert_eq!(events(OFFSET + 10_100..OFFSET + 11_100), 150);
}

/// Where states are larger than the events between two marks, there are fewer marks.
#[test]
fn deep_stacks_do_not_fill_the_index() {
    let deep = (0..3000).map(|_| (1, 0, 5)).chain((0..3000).map(|_| (1, 6, 0)));
    let steps: Vec<_> = deep.collect();
    let simulation = Simulation::of(&steps);
    let traced = Traced::new(&simulation, 1, 12);
    let middle = 2990..3010;
    assert_eq!(traced.sums(&middle), naive_sums(&simulation, &middle));
    let bytes = traced.index.into_bytes().len();
    assert!(bytes < 6000 * 40, "{bytes} bytes");
}

#[test]
fn an_index_without_marks() {
    let definitions = definitions();
    let shape = Shape::new(0, 100, 10);
    let context = Context::new(&definitions, shape);
    let mut writer = IndexWriter::new(Vec::new(), [1, 2], &context).expect("memory");
    writer.add(0, LocationBuilder::new(&context).finish()).expect("memory");
    let index = Index::open(writer.finish().expect("memory")).expect("a good index");
    let traced = Traced::new(&Simulation::of(&[(1, 0, 1)]), 1, 3);
    let mut reader = traced.reader().expect("a location");
    for location in [0, 1, usize::MAX] {
        let error = index.sums(&definitions, location, &(0..9), &mut reader).expect_err("no marks");
        assert!(error.to_string().contains("no marks of location"), "{error}");
    }
}

/// Any byte of an index may be wrong: then windows are wrong or errors, and come to an end.
#[test]
fn damaged_marks() {
    let visit = [(10, 0, 1), (3, 0, 2), (5, 13, 3), (1, 0, 4), (1, 13, 4), (6, 14, 0), (7, 6, 0)];
    let steps: Vec<_> = visit.into_iter().cycle().take(120).collect();
    let mut traced = Traced::new(&Simulation::of(&steps), 10, 4);
    let good = traced.index.into_bytes();
    let mut errors = 0;
    for place in 0..good.len() {
        let mut bytes = good.clone();
        bytes[place] ^= if place % 2 == 0 { 0xff } else { 1 };
        let Ok(index) = Index::open(bytes) else { continue };
        let context = Context::new(&traced.definitions, index.shape());
        let window = OFFSET + 100..OFFSET + 300;
        let rows = [(0, Row::Flat), (0, Row::Stack(1))];
        let reader = || Ok::<_, WindowError>(traced.archive.events(LOCATION)?);
        let picture = index.exact_picture(&context, &rows, window.clone(), 50, |_, _| reader());
        let mut events = reader().expect("a location");
        let sums = index.sums(&traced.definitions, 0, &window, &mut events);
        errors += usize::from(picture.is_err()) + usize::from(sums.is_err());
        index.events_to_decode(0, &window);
    }
    assert!(errors > 0);
    traced.index = Index::open(good).expect("a good index");
    assert!(!traced.sums(&(100..300)).is_empty());
}
