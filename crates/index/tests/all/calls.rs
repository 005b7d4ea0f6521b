//! Sums by call path of any window are those of the analysis, which reads all events. Programs are
//! random, and marks lie every few events, so each border has events before and after a mark.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use pompeii_index::{
    CallPaths, CallStep, Context, Forks, Index, IndexWriter, LocationBuilder, Work, file,
};
use pompeii_otf2::read::{Archive, EventReader};
use pompeii_otf2::reference::LocationRef;
use pompeii_replay::compound::Compound;
use pompeii_replay::definitions::Definitions;
use pompeii_replay::{Options, Within, replay, trace};

use crate::generate::{Shape, program};

/// Visits, ticks, ticks of tasks that were executed there, ticks of fork and join.
type Sums = [i64; 4];

/// Sums by call path and location. All call paths of tasks are one: where a task was that another
/// thread goes on with is known to the analysis only. The time of tasks is that of the scheduling
/// point, whatever their construct is.
type Values = BTreeMap<(String, usize), Sums>;

fn add(values: &mut Values, path: &str, location: usize, sums: Sums) {
    let is_task = path == "TASKS" || path.starts_with("TASKS/");
    let path = if is_task { "TASKS" } else { path };
    let of = values.entry((path.to_owned(), location)).or_default();
    of.iter_mut().zip(sums).for_each(|(of, sum)| *of += sum);
}

/// The call path around another one.
fn around(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(around, _)| around)
}

/// A trace on disk, and its index.
struct Indexed {
    archive: Archive,
    definitions: Definitions,
    ids: Vec<u64>,
    index: Index<Vec<u8>>,
}

impl Indexed {
    fn new(anchor: &Path, mark_events: u64) -> Indexed {
        let archive = Archive::open(anchor).expect("a good archive");
        let definitions = pompeii_replay::archive::definitions(&archive);
        let ids: Vec<u64> = definitions.location_ids.iter().copied().collect();
        let survey = file::survey(&archive, &ids).expect("headers");
        let open = |location: usize| archive.events(LocationRef(ids[location]));
        let mut forks = Forks::default();
        for process in definitions.system.processes.ids() {
            let context = Context::new(&definitions, survey.shape);
            forks.join(Forks::find(&context, process, open, || true).expect("events"));
        }
        let context = Context::new(&definitions, survey.shape).with_forks(forks);
        let mut writer = IndexWriter::new(Vec::new(), [1, 2], &context).expect("memory");
        for location in 0..ids.len() {
            let builder = LocationBuilder::new(&context).for_location(location);
            let mut builder = builder.with_mark_every(mark_events);
            builder.read(&mut open(location).expect("events"));
            writer.add(location, builder.finish()).expect("memory");
        }
        let index = Index::open(writer.finish().expect("memory")).expect("a good index");
        Indexed { archive, definitions, ids, index }
    }

    fn events(&self, location: usize) -> EventReader {
        self.archive.events(LocationRef(self.ids[location])).expect("events")
    }

    /// What the index has for a window. Half of the locations are put together first.
    fn values(&self, window: &Range<u64>) -> Values {
        let forks = self.index.forks(&self.definitions);
        let mut halves = [0, 1].map(|_| CallPaths::new(&self.definitions));
        for location in 0..self.ids.len() {
            let mut events = self.events(location);
            let calls = self.index.calls(&forks, location, window, &mut events);
            halves[location % 2].add(location, &calls.expect("a good index"));
        }
        let [mut all, other] = halves;
        all.join(&other);
        let mut paths: Vec<(String, CallStep)> = Vec::new();
        for (around, step) in all.calls() {
            let around = around.map(|around| paths[around].0.clone());
            let path = match (around, step) {
                (around, CallStep::Region(region)) => {
                    let name = &self.definitions.regions[pompeii_model::RegionId(region)].name;
                    around.map_or(name.clone(), |around| format!("{around}/{name}"))
                }
                (around, _) => around.expect("a call path around it"),
            };
            paths.push((path, step));
        }
        let mut values = Values::new();
        for entry in all.entries() {
            let (path, step) = &paths[entry.call];
            let sums = match step {
                CallStep::Region(_) => [entry.visits.cast_signed(), entry.ticks, 0, 0],
                CallStep::Tasks(_) => [0, 0, entry.ticks, 0],
                CallStep::Team => [0, 0, 0, entry.ticks],
            };
            add(&mut values, path, entry.location, sums);
        }
        values.retain(|_, sums| *sums != Sums::default());
        values
    }

    /// What the analysis finds.
    fn expected(&self, window: &Range<u64>) -> Values {
        let within = Some(Within { begin: window.start, end: window.end });
        let options = Options { within, ..Options::default() };
        let mut parts = Vec::new();
        let outcome = replay(trace(&self.archive).expect("a trace"), options, &mut |it| {
            if let Compound::Part(part) = it {
                parts.push((part.at, part.fork_ticks() + part.join_ticks()));
            }
        });
        let mut values = Values::new();
        for entry in &outcome.entries {
            let (path, location) = (outcome.path(entry.call), entry.location.0 as usize);
            let of = &entry.values;
            add(&mut values, &path, location, [of.visits.cast_signed(), of.ticks, 0, 0]);
            if of.task_ticks != 0 {
                add(&mut values, around(&path), location, [0, 0, of.task_ticks, 0]);
            }
        }
        for (at, ticks) in parts {
            let path = outcome.path(outcome.call(at.node));
            add(&mut values, &path, at.location.0 as usize, [0, 0, 0, ticks]);
        }
        values.retain(|_, sums| *sums != Sums::default());
        values
    }

    /// Returns the sums over all call paths.
    fn check(&self, window: Range<u64>, what: &str) -> Sums {
        let expected = self.expected(&window);
        assert_eq!(self.values(&window), expected, "{what} {window:?}");
        let columns = [0, 1, 2, 3];
        columns.map(|column| expected.values().map(|sums| sums[column]).sum())
    }
}

#[test]
fn windows_are_those_of_the_analysis() {
    let mut all = Sums::default();
    for seed in 0..40 {
        let world = program(Shape::of(seed), seed);
        let folder = tempfile::tempdir().expect("a folder");
        let anchor = world.write(folder.path());
        let indexed = Indexed::new(&anchor, 1 + seed % 9);
        let what = format!("seed {seed}");
        let (begin, end) = (indexed.definitions.begin, indexed.definitions.end);
        let part = (end - begin) / 7 + 1;
        let sums = indexed.check(0..u64::MAX, &what);
        all.iter_mut().zip(sums).for_each(|(all, sum)| *all += sum);
        indexed.check(begin..begin + part, &what);
        for number in 1..7 {
            let start = begin + number * part + seed;
            indexed.check(start..start + 1, &what);
            indexed.check(start..start + 2 * part, &what);
        }
        indexed.check(end..end + 5, &what);
    }
    assert!(all.iter().all(|sum| *sum > 1000), "{all:?}");
}

/// Marks that have totals are more than 64 marks apart.
#[test]
fn windows_of_many_marks_are_differences_of_totals() {
    let shape = Shape { steps: 300, ..Shape::of(3) };
    let world = program(shape, 3);
    let folder = tempfile::tempdir().expect("a folder");
    let anchor = world.write(folder.path());
    let indexed = Indexed::new(&anchor, 1);
    let (begin, end) = (indexed.definitions.begin, indexed.definitions.end);
    let events = indexed.index.events(0).0;
    assert!(events > 300, "{events}");
    let third = (end - begin) / 3;
    indexed.check(begin + third..begin + 2 * third, "long");
    indexed.check(begin + 1..end - 1, "long");
}

/// It does not matter how many builders make the sections of a location.
#[test]
fn divided_locations_are_the_same_file() {
    for seed in 0..10 {
        let folder = tempfile::tempdir().expect("a folder");
        let anchor = program(Shape::of(seed), seed).write(folder.path());
        let Indexed { archive, definitions, ids, .. } = Indexed::new(&anchor, 5);
        let survey = file::survey(&archive, &ids).expect("headers");
        let context = Context::new(&definitions, survey.shape);
        let part = |location: usize, work: Work| {
            let builder = LocationBuilder::new(&context).for_location(location);
            let mut builder = builder.with_work(work).with_mark_every(5);
            builder.read(&mut archive.events(LocationRef(ids[location])).expect("events"));
            builder.finish()
        };
        let bytes = |builders: usize| {
            let mut writer = IndexWriter::new(Vec::new(), [1, 2], &context).expect("memory");
            for location in 0..ids.len() {
                let mut parts = Work::divided(builders).iter().rev().map(|it| part(location, *it));
                let mut all = parts.next().expect("a part");
                parts.for_each(|part| all.join(part));
                writer.add(location, all).expect("memory");
            }
            writer.finish().expect("memory")
        };
        assert_eq!(bytes(2), bytes(1), "seed {seed}");
        assert_eq!(bytes(3), bytes(1), "seed {seed}");
    }
}

/// Without the pass over the masters, workers are at the root and nothing is lost.
#[test]
fn workers_of_unknown_forks_are_at_the_root() {
    let folder = tempfile::tempdir().expect("a folder");
    let shape = Shape { ranks: 1, threads: 2, steps: 20, ..Shape::of(3) };
    let anchor = program(shape, 5).write(folder.path());
    let archive = Archive::open(&anchor).expect("a good archive");
    let definitions = pompeii_replay::archive::definitions(&archive);
    let ids: Vec<u64> = definitions.location_ids.iter().copied().collect();
    let survey = file::survey(&archive, &ids).expect("headers");
    let context = Context::new(&definitions, survey.shape);
    let mut writer = IndexWriter::new(Vec::new(), [1, 2], &context).expect("memory");
    let mut builder = LocationBuilder::new(&context).for_location(1);
    builder.read(&mut archive.events(LocationRef(ids[1])).expect("events"));
    writer.add(1, builder.finish()).expect("memory");
    let index = Index::open(writer.finish().expect("memory")).expect("a good index");
    let mut events = archive.events(LocationRef(ids[1])).expect("events");
    let window = definitions.begin..definitions.end;
    let calls = index.calls(&index.forks(&definitions), 1, &window, &mut events);
    let mut paths = CallPaths::new(&definitions);
    paths.add(1, &calls.expect("a good index"));
    let top = paths.calls().filter_map(|(around, step)| match step {
        CallStep::Region(region) if around == Some(0) => Some(pompeii_model::RegionId(region)),
        _ => None,
    });
    let names: Vec<&str> = top.map(|region| definitions.regions[region].name.as_str()).collect();
    assert!(names.iter().any(|name| name.contains("parallel")), "{names:?}");
}
