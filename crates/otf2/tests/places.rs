//! Reading from a place in the middle: by time, and by chunks with what is open at their start.

use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::definition::{ClockOffset, Location};
use pompeii_otf2::enums::Paradigm;
use pompeii_otf2::event::{
    Enter, Event, Leave, ThreadAcquireLock, ThreadReleaseLock, ThreadTaskComplete,
    ThreadTaskSwitch, ThreadTeamBegin, ThreadTeamEnd,
};
use pompeii_otf2::read::{Archive, EventRecord, State, Task};
use pompeii_otf2::reference::*;
use pompeii_otf2::write::{ArchiveWriter, Options};
use pompeii_otf2::{Error, Timestamp};

const LOCATION: LocationRef = LocationRef(3);
const TEAM: CommRef = CommRef(7);

fn enter(region: u32) -> Event {
    Enter { region: RegionRef(region) }.into()
}

fn leave(region: u32) -> Event {
    Leave { region: RegionRef(region) }.into()
}

fn switch(generation_number: u32) -> Event {
    ThreadTaskSwitch { thread_team: TEAM, creating_thread: 0, generation_number }.into()
}

/// A team in which a lock is held over a task that enters a region and is suspended in it.
fn round() -> Vec<Event> {
    let model = Paradigm::OPENMP;
    let complete =
        ThreadTaskComplete { thread_team: TEAM, creating_thread: 0, generation_number: 1 };
    vec![
        enter(0),
        ThreadTeamBegin { thread_team: TEAM }.into(),
        enter(1),
        ThreadAcquireLock { model, lock_id: 9, acquisition_order: 1 }.into(),
        switch(1),
        enter(2),
        switch(0),
        enter(3),
        leave(3),
        switch(1),
        leave(2),
        complete.into(),
        ThreadReleaseLock { model, lock_id: 9, acquisition_order: 1 }.into(),
        leave(1),
        ThreadTeamEnd { thread_team: TEAM }.into(),
        leave(0),
    ]
}

/// An archive with so many rounds of events, ten ticks apart, in chunks of 128 bytes, of a clock
/// that is 5 ticks behind.
fn archive(folder: &Path, rounds: u64) -> Result<PathBuf, Error> {
    let options = Options { event_chunk_bytes: 128, ..Options::default() };
    let mut writer = ArchiveWriter::create(folder, "traces", options)?;
    let mut events = writer.events(LOCATION)?;
    let mut time = 0;
    for _ in 0..rounds {
        for event in round() {
            time += 10;
            events.event(time, &event, &[])?;
        }
    }
    let number_of_events = events.events();
    events.finish()?;
    let offset = ClockOffset { time: Timestamp(0), offset: 5, standard_deviation: 0.0 };
    writer.local_definitions(LOCATION, &[offset.into()])?;
    writer.define(Location { id: LOCATION, number_of_events, ..Location::default() })?;
    writer.finish(Anchor::default())
}

fn shown(state: &State) -> String {
    let stack: Vec<String> =
        state.stack().iter().map(|open| format!("{}@{}", open.region, open.since)).collect();
    let suspended = state
        .stacks
        .iter()
        .filter(|(task, stack)| **task != state.current_task && !stack.is_empty());
    let task = match state.current_task {
        Task::Implicit => "implicit".to_owned(),
        Task::Explicit { generation, .. } => format!("task {generation}"),
        Task::Omp(id) => format!("omp {id}"),
    };
    let locks: Vec<String> =
        state.locks.iter().map(|held| format!("{}@{}", held.lock, held.since)).collect();
    format!(
        "{task} in [{}], {} suspended, {} teams, locks [{}]",
        stack.join(" "),
        suspended.count(),
        state.teams.len(),
        locks.join(" ")
    )
}

fn check(rounds: u64, expected: Expect) {
    let folder = tempfile::tempdir().expect("a folder");
    let anchor = archive(folder.path(), rounds).expect("written");
    let archive = Archive::open(&anchor).expect("a good archive");
    let (chunks, errors) = archive.chunk_states(LOCATION).expect("chunks");
    assert!(errors.is_empty(), "{errors:?}");
    let lines: Vec<String> =
        chunks.iter().map(|chunk| format!("{:?} {}", chunk.times, shown(&chunk.state))).collect();
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn chunks_know_what_is_open() {
    check(
        2,
        expect![[r#"
        Some((15, 75)) implicit in [], 0 suspended, 0 teams, locks []
        Some((85, 145)) implicit in [0@15 1@35], 1 suspended, 1 teams, locks [9@45]
        Some((155, 225)) implicit in [0@15], 0 suspended, 1 teams, locks []
        Some((235, 295)) task 1 in [2@225], 1 suspended, 1 teams, locks [9@205]
        Some((305, 325)) implicit in [0@175 1@195], 0 suspended, 1 teams, locks []"#]],
    );
}

#[test]
fn a_reader_that_begins_at_a_chunk_comes_to_the_same_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let anchor = archive(folder.path(), 20).expect("written");
    let archive = Archive::open(&anchor).expect("a good archive");
    let (chunks, _) = archive.chunk_states(LOCATION).expect("chunks");
    assert!(chunks.len() > 20);
    for pair in chunks.windows(2) {
        let number = pair[0].bookmark.chunk;
        let mut state = pair[0].state.clone();
        let events = archive.events(LOCATION).expect("a location").within(number..number + 1);
        for event in events {
            state.follow(event.expect("a good event").view());
        }
        assert_eq!(state, pair[1].state, "chunk {number}");
    }
}

#[test]
fn from_any_time_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let anchor = archive(folder.path(), 8).expect("written");
    let archive = Archive::open(&anchor).expect("a good archive");
    let good = |event: Result<EventRecord, Error>| event.expect("a good event");
    let all: Vec<EventRecord> = archive.events(LOCATION).expect("a location").map(good).collect();
    for time in (0..all.last().expect("an event").time + 20).step_by(3) {
        let expected: Vec<&EventRecord> = all.iter().filter(|event| event.time >= time).collect();
        let found: Vec<EventRecord> =
            archive.events_since(LOCATION, time).expect("a location").map(good).collect();
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{time}");
        let merged = archive.merged_since(time).expect("all locations").map(good);
        assert_eq!(merged.count(), expected.len(), "{time}");
    }
}

#[test]
fn samples_from_any_time_on() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let archive = Archive::open(&samples.join("multichunk/mc.otf2")).expect("a good archive");
    for (time, first) in [(0, 5), (6000, 6000), (11930, 11930), (15505, 15505)] {
        let mut events = archive.events_since(LOCATION, time).expect("a location");
        let event = events.next().expect("an event").expect("a good event");
        assert!(event.time >= first && event.time < first + 5, "{time}: {}", event.time);
    }
    assert!(archive.events_since(LOCATION, 15506).expect("a location").next().is_none());
}
