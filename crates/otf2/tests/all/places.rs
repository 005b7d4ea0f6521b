//! Reading from a place in the middle, by time.

use std::path::{Path, PathBuf};

use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::definition::{ClockOffset, Location};
use pompeii_otf2::event::{Enter, Event, Leave};
use pompeii_otf2::read::{Archive, EventRecord};
use pompeii_otf2::reference::*;
use pompeii_otf2::write::{ArchiveWriter, Options};
use pompeii_otf2::{Error, Timestamp};

const LOCATION: LocationRef = LocationRef(3);

fn enter(region: u32) -> Event {
    Enter { region: RegionRef(region) }.into()
}

fn leave(region: u32) -> Event {
    Leave { region: RegionRef(region) }.into()
}

/// Events in regions of regions.
fn round() -> [Event; 8] {
    [enter(0), enter(1), enter(2), leave(2), enter(3), leave(3), leave(1), leave(0)]
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

#[test]
fn from_any_time_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let anchor = archive(folder.path(), 16).expect("written");
    let archive = Archive::open(&anchor).expect("a good archive");
    let good = |event: Result<EventRecord, Error>| event.expect("a good event");
    let all: Vec<EventRecord> = archive.events(LOCATION).expect("a location").map(good).collect();
    for time in (0..all.last().expect("an event").time + 20).step_by(3) {
        let expected: Vec<&EventRecord> = all.iter().filter(|event| event.time >= time).collect();
        let found: Vec<EventRecord> =
            archive.events_since(LOCATION, time).expect("a location").map(good).collect();
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{time}");
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
