//! Traces that are damaged in one way: what is sound of them is found, what is missing is counted, and
//! nothing is guessed. Each kind of damage is done to random programs, at many places.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use pompeii_model::LocationId;
use pompeii_otf2::enums::MeasurementMode;
use pompeii_otf2::event::{Event, MeasurementOnOff};
use pompeii_otf2::read::Archive;
use pompeii_replay::definitions::Definitions;
use pompeii_replay::engine::process::Gaps;
use pompeii_replay::engine::stream::Stream;
use pompeii_replay::transport::channels;
use pompeii_replay::{Options, Trace, replay, text, trace};

use crate::engine::severities;
use crate::generate::{Shape, program};

/// A trace in memory.
#[derive(Clone)]
struct Memory {
    definitions: Definitions,
    events: Vec<Vec<(u64, Event)>>,
}

impl Memory {
    /// A small random program.
    fn of(seed: u64) -> Memory {
        let shape = Shape { steps: 4, work: 5_000, cost: 40, ..Shape::of(seed) };
        let folder = tempfile::tempdir().unwrap();
        let anchor = program(shape, seed).write(folder.path());
        let Trace { definitions, streams } = trace(&Archive::open(&anchor).unwrap()).unwrap();
        let all = |mut stream: Stream| {
            let mut events = Vec::new();
            let _ = stream.visit(|next| {
                let (time, event, _) = next.unwrap();
                events.push((time, event.clone()));
                ControlFlow::<()>::Continue(())
            });
            events
        };
        Memory { definitions, events: streams.into_iter().map(all).collect() }
    }

    fn trace(&self) -> Trace {
        let streams = self.events.iter().map(|events| Stream::of(events.clone())).collect();
        Trace { definitions: self.definitions.clone(), streams }
    }

    /// The part of one of several ranks of the analysis.
    fn part(&self, ranks: usize, rank: usize) -> Trace {
        let (definitions, events) = (self.definitions.clone(), self.events.clone());
        let text = text::TextTrace { definitions, events, attributes: Default::default() };
        text.part(ranks, rank)
    }

    /// What ranks find that match the records of their own locations is what one rank finds.
    fn check_ranks(&self, what: &str) {
        let part = |ranks, rank| self.part(ranks, rank);
        let alone = text::matched_at_home(&part, 1, 1_000).unwrap();
        let together = text::matched_at_home(&part, 2, 50).unwrap();
        assert!(alone == together, "{what}:\n{together}\none rank:\n{alone}");
        let causes = |ranks, window_events| {
            let options = Options { window_events, path: true, ..Options::default() };
            let all = channels::replay(ranks, options, &part).unwrap();
            text::show_path(&all[0].0) + &text::show_blame(&all[0].0)
        };
        let (alone, together) = (causes(1, 1_000), causes(3, 50));
        assert!(alone == together, "{what}:\n{together}\none rank:\n{alone}");
    }

    /// What is found, which does not depend on threads.
    fn found(&self) -> Found {
        let of = |threads| {
            let mut compounds = Vec::new();
            let options = Options { threads, window_events: 50, path: true, ..Options::default() };
            let outcome = replay(self.trace(), options, &mut |it| compounds.push(it));
            (text::show(&outcome, &compounds), outcome, compounds)
        };
        let (shown, outcome, compounds) = of(1);
        assert_eq!(shown, of(3).0);
        let mut waits = Waits::new();
        let all = compounds.iter().flat_map(|compound| severities(&outcome, compound));
        for (property, place, ticks) in all.filter(|(.., ticks)| *ticks > 0) {
            *waits.entry((property, place.location, ticks)).or_default() += 1;
        }
        Found { waits, gaps: outcome.gaps, incomplete: outcome.incomplete }
    }
}

/// How often a location waited so long, by property.
type Waits = BTreeMap<(&'static str, LocationId, i64), usize>;

/// What is found in a trace.
struct Found {
    waits: Waits,
    gaps: Gaps,
    incomplete: u64,
}

impl Found {
    /// All waiting that is found is true.
    fn is_true_of(&self, whole: &Found, what: &str) {
        let mut guessed = self.waits.clone();
        guessed.retain(|key, times| whole.waits.get(key) < Some(times));
        assert_eq!(guessed, Waits::new(), "{what}");
    }

    /// The same, and if some waiting is not found, something is counted.
    fn is_part_of(&self, whole: &Found, what: &str) {
        self.is_true_of(whole, what);
        let counts = self.gaps != Gaps::default() || self.incomplete > 0;
        assert!(counts || self.waits == whole.waits, "{what}: {:?}", whole.waits);
    }
}

#[test]
fn a_location_may_end_after_any_event() {
    for seed in 0..20 {
        let memory = Memory::of(seed);
        let whole = memory.found();
        assert_eq!((whole.gaps, whole.incomplete), Default::default());
        for (location, events) in memory.events.iter().enumerate() {
            for length in 1..events.len() {
                let mut cut = memory.clone();
                cut.events[location].truncate(length);
                cut.found().is_part_of(
                    &whole,
                    &format!("seed {seed}, location {location}, {length} of {}", events.len()),
                );
            }
        }
    }
}

#[test]
fn ranks_find_the_same_in_damaged_traces() {
    let mode = |measurement_mode| Event::from(MeasurementOnOff { measurement_mode });
    for seed in 0..12 {
        let memory = Memory::of(seed);
        for (location, events) in memory.events.iter().enumerate() {
            for begin in (1..events.len()).step_by(7) {
                let mut cut = memory.clone();
                cut.events[location].truncate(begin);
                cut.check_ranks(&format!("seed {seed}, location {location}, end at {begin}"));
                let mut cut = memory.clone();
                // Every second time the measurement drops the records, otherwise the user.
                cut.definitions.tells_off = begin % 2 == 0;
                let end = (begin + 9).min(events.len());
                let (off, on) = (events[begin].0, events[end - 1].0);
                let modes = [(off, mode(MeasurementMode::OFF)), (on, mode(MeasurementMode::ON))];
                cut.events[location].splice(begin..end, modes);
                cut.check_ranks(&format!("seed {seed}, location {location}, gap at {begin}"));
            }
        }
    }
}

#[test]
fn a_part_of_a_location_may_be_dropped() {
    let mode = |measurement_mode| Event::from(MeasurementOnOff { measurement_mode });
    for seed in 0..20 {
        let memory = Memory::of(seed);
        let whole = memory.found();
        for (location, events) in memory.events.iter().enumerate() {
            for begin in 1..events.len() {
                let end = (begin + 1 + begin * 7 % 13).min(events.len());
                let mut cut = memory.clone();
                cut.definitions.tells_off = true;
                let (off, on) = (events[begin].0, events[end - 1].0);
                let modes = [(off, mode(MeasurementMode::OFF)), (on, mode(MeasurementMode::ON))];
                cut.events[location].splice(begin..end, modes);
                cut.found().is_part_of(
                    &whole,
                    &format!("seed {seed}, location {location}, {begin}..{end}"),
                );
            }
        }
    }
}

#[test]
fn records_of_teams_tasks_and_programs_may_be_missing_everywhere() {
    let is_program = |event: &Event| matches!(event, Event::ProgramBegin(_) | Event::ProgramEnd(_));
    let is_task = |event: &Event| {
        matches!(
            event,
            Event::ThreadTaskCreate(_) | Event::ThreadTaskSwitch(_) | Event::ThreadTaskComplete(_)
        )
    };
    let is_team = |event: &Event| {
        matches!(
            event,
            Event::ThreadFork(_)
                | Event::ThreadJoin(_)
                | Event::ThreadTeamBegin(_)
                | Event::ThreadTeamEnd(_)
        )
    };
    for seed in 0..100 {
        let memory = Memory::of(seed);
        let whole = memory.found();
        let without = |is_one: &dyn Fn(&Event) -> bool| {
            let mut others = memory.clone();
            let all = others.events.iter_mut();
            all.for_each(|events| events.retain(|(_, event)| !is_one(event)));
            others.found()
        };
        assert_eq!(without(&is_program).waits, whole.waits, "seed {seed}");
        // Without tasks it is not known when a thread executes one, so only other waiting is true.
        let of_barriers = |key: &(&str, LocationId, i64)| key.0.contains("barrier");
        let mut tasks = without(&is_task);
        tasks.waits.retain(|key, _| !of_barriers(key));
        tasks.is_true_of(&whole, &format!("seed {seed}"));
        let mut teams = without(&is_team);
        teams.is_true_of(&whole, &format!("seed {seed}"));
        teams.waits.retain(|key, _| key.0.starts_with("mpi"));
        let mut messages = whole.waits.clone();
        messages.retain(|key, _| key.0.starts_with("mpi"));
        assert_eq!(teams.waits, messages, "seed {seed}");
    }
}

#[test]
fn times_that_go_back_are_counted() {
    for seed in 0..50 {
        let mut memory = Memory::of(seed);
        let mut backward = 0;
        for events in &mut memory.events {
            let mut latest = 0;
            for place in (2..events.len()).step_by(5) {
                events[place].0 = events[place - 2].0.saturating_sub(1);
            }
            for (time, _) in events {
                backward += u64::from(*time < latest);
                latest = latest.max(*time);
            }
        }
        let found = memory.found();
        assert_eq!(found.gaps.backward, backward, "seed {seed}");
        assert!(found.waits.keys().all(|(.., ticks)| *ticks > 0), "seed {seed}");
    }
}

/// A copy of a trace of two processes with two threads each.
fn copy(to: &Path) -> Vec<String> {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../otf2/tests/samples/hybrid");
    fs::create_dir_all(to.join("traces")).unwrap();
    let files = fs::read_dir(&from).unwrap().chain(fs::read_dir(from.join("traces")).unwrap());
    let mut events = Vec::new();
    for file in files.map(|file| file.unwrap().path()).filter(|file| file.is_file()) {
        let name = file.strip_prefix(&from).unwrap().display().to_string();
        fs::copy(&file, to.join(&name)).unwrap();
        events.extend(name.ends_with(".evt").then_some(name));
    }
    events
}

/// Errors and number of unknown records of the archive in this folder.
fn errors(folder: &Path) -> (Vec<String>, u64) {
    let (archive, _) = Archive::salvage(&folder.join("traces.otf2")).unwrap();
    let outcome = replay(trace(&archive).unwrap(), Options::default(), &mut |_| {});
    (outcome.errors, outcome.gaps.errors)
}

#[test]
fn files_may_be_cut_at_any_byte_and_the_file_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for name in copy(folder.path()) {
        let file = folder.path().join(&name);
        let bytes = fs::read(&file).unwrap();
        // The last byte ends the file: without it no record is missing.
        for length in 0..bytes.len() - 1 {
            fs::write(&file, &bytes[..length]).unwrap();
            let (errors, count) = errors(folder.path());
            let is_told = errors.iter().any(|error| error.contains(&name));
            assert!(is_told && count == 1, "{name}, {length} bytes: {errors:?}, {count}");
        }
        fs::remove_file(&file).unwrap();
        let (errors, count) = errors(folder.path());
        assert_eq!((errors.len(), count), (1, 1), "{name}");
        assert!(errors[0].contains(&name), "{}", errors[0]);
        fs::write(&file, &bytes).unwrap();
    }
    assert_eq!(errors(folder.path()), (Vec::new(), 0));
}

#[test]
fn any_byte_may_be_another_one() {
    let folder = tempfile::tempdir().unwrap();
    for name in copy(folder.path()) {
        let file = folder.path().join(&name);
        let bytes = fs::read(&file).unwrap();
        for place in 0..bytes.len() {
            for mask in [0x01, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[place] ^= mask;
                fs::write(&file, &damaged).unwrap();
                let (errors, count) = errors(folder.path());
                assert!(errors.len() as u64 <= count, "{name}, byte {place}");
            }
        }
        fs::write(&file, &bytes).unwrap();
    }
}
