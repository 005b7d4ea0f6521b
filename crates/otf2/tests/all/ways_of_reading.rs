//! All ways to read events deliver the same: iterator, lending, visiting; read and mapped files;
//! one thread and several; whole locations and single chunks.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;

use pompeii_otf2::Error;
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::chunk::Endian;
use pompeii_otf2::definition::Location;
use pompeii_otf2::event::{Enter, Event, Leave, ThreadTeamBegin};
use pompeii_otf2::read::{Archive, EventRecord, EventView, Part};
use pompeii_otf2::reference::*;
use pompeii_otf2::write::{ArchiveWriter, Options};

const SAMPLES: [&str; 5] =
    ["minimal/traces", "hybrid/traces", "hybrid_be/traces", "allrecords/traces", "multichunk/mc"];

type Comparable = (Option<EventRecord>, String);

fn open(name: &str) -> Archive {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    Archive::open(&samples.join(name).with_extension("otf2")).expect("a good archive")
}

fn owned(view: EventView<'_>) -> EventRecord {
    let EventView { location, time, event, attributes } = view;
    EventRecord { location, time, event: event.clone(), attributes: attributes.to_vec() }
}

/// The events; as text where NaN may be among them, since it is not equal to itself.
fn text(events: &[EventRecord]) -> Vec<Comparable> {
    let comparable = |event: &EventRecord| {
        let plain = event.attributes.is_empty() && !matches!(event.event, Event::Metric(_));
        let text = if plain { String::new() } else { format!("{event:?}") };
        (plain.then(|| event.clone()), text)
    };
    events.iter().map(comparable).collect()
}

/// Collects what a visitor sees, and breaks off after every `step` events.
fn visited(
    step: usize,
    mut visit: impl FnMut(
        &mut dyn FnMut(Result<EventView<'_>, Error>) -> ControlFlow<()>,
    ) -> ControlFlow<()>,
) -> Vec<EventRecord> {
    let mut events = Vec::new();
    loop {
        let flow = visit(&mut |event| {
            events.push(owned(event.expect("a good event")));
            if events.len() % step == 0 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        if flow.is_continue() {
            return events;
        }
    }
}

fn iterated(archive: &Archive, location: LocationRef) -> Vec<EventRecord> {
    let events = archive.events(location).expect("a location");
    events.map(|event| event.expect("a good event")).collect()
}

#[test]
fn each_location() {
    for name in SAMPLES {
        let archive = open(name);
        let mapped = open(name).with_mapped_events();
        for location in archive.locations().map(|location| location.id) {
            let expected = text(&iterated(&archive, location));
            assert_eq!(text(&iterated(&mapped, location)), expected, "{name}");
            for step in [1, 3, usize::MAX] {
                let mut events = mapped.events(location).expect("a location");
                let seen = visited(step, |see| events.visit(see));
                assert_eq!(text(&seen), expected, "{name}, steps of {step}");
            }
            let (mut events, mut lent) = (archive.events(location).expect("a location"), vec![]);
            while let Some(event) = events.read_next() {
                lent.push(event.expect("a good event").clone());
            }
            assert_eq!(text(&lent), expected, "{name}");
        }
    }
}

#[test]
fn one_way_goes_on_where_another_stopped() {
    let archive = open("hybrid/traces");
    let expected = text(&iterated(&archive, LocationRef(0)));
    let (mut events, mut seen) = (archive.events(LocationRef(0)).expect("a location"), vec![]);
    while seen.len() < expected.len() {
        seen.extend(events.next().map(|event| event.expect("a good event")));
        let mut left = 2;
        let _ = events.visit(|event| {
            seen.push(owned(event.expect("a good event")));
            left -= 1;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    }
    assert_eq!(text(&seen), expected);
}

#[test]
fn merged() {
    for name in SAMPLES {
        let archive = open(name);
        let events = archive.merged().expect("all locations");
        let expected: Vec<EventRecord> = events.map(|event| event.expect("a good event")).collect();
        let mut sorted = Vec::new();
        for location in archive.locations() {
            sorted.extend(iterated(&archive, location.id));
        }
        // A stable sort by the rule for equal times.
        sorted.sort_by_key(|event| (event.time, event.location));
        assert_eq!(text(&expected), text(&sorted), "{name}");
        for step in [1, usize::MAX] {
            let mut events = archive.merged().expect("all locations");
            let seen = visited(step, |see| events.visit(see));
            assert_eq!(text(&seen), text(&expected), "{name}, steps of {step}");
        }
    }
}

/// Long rows of Enter and Leave with ids of all sizes, with and without times of their own, and now
/// and then another record; so batches end in all ways.
fn write_rows(folder: &Path, endian: Endian, locations: u64) -> Archive {
    let options = Options { endian, ..Options::default() };
    let mut archive = ArchiveWriter::create(folder, "traces", options).expect("a folder");
    let mut seed = 1_u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (seed >> 33) % below
    };
    for location in 0..locations {
        let mut file = archive.events(LocationRef(location)).expect("a file");
        let (mut time, count) = (random(100), random(300));
        for _ in 0..count {
            time += random(4);
            let bytes = random(4);
            let region = RegionRef(random(1 << (8 * bytes)) as u32);
            let event = match random(60) {
                0 => ThreadTeamBegin { thread_team: CommRef(7) }.into(),
                number if number % 2 == 0 => Event::Leave(Leave { region }),
                _ => Event::Enter(Enter { region }),
            };
            file.event(time, &event, &[]).expect("an event");
        }
        file.finish().expect("a file");
        let id = LocationRef(location);
        archive.define(Location { id, ..Location::default() }).expect("a definition");
    }
    Archive::open(&archive.finish(Anchor::default()).expect("an archive")).expect("an archive")
}

#[test]
fn merged_rows_of_many_locations() {
    for (endian, locations) in [(Endian::Little, 1), (Endian::Big, 5), (Endian::Little, 40)] {
        let folder = tempfile::tempdir().expect("a folder");
        let archive = write_rows(folder.path(), endian, locations);
        let mut sorted = Vec::new();
        for location in archive.locations() {
            sorted.extend(iterated(&archive, location.id));
            let mut events = archive.events(location.id).expect("a location");
            let seen = visited(usize::MAX, |see| events.visit(see));
            assert_eq!(seen, iterated(&archive, location.id));
        }
        sorted.sort_by_key(|event| (event.time, event.location));
        for step in [1, 7, usize::MAX] {
            let mut events = archive.merged().expect("all locations");
            let mut seen = Vec::new();
            while seen.len() < sorted.len() {
                // Some one by one, and some more by a visitor.
                seen.extend(events.by_ref().take(step % 5).map(|event| event.expect("an event")));
                if let Some(event) = events.read_next() {
                    seen.push(event.expect("an event").clone());
                }
                let mut left = step;
                let _ = events.visit(|event| {
                    seen.push(owned(event.expect("an event")));
                    left -= 1;
                    if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
            }
            assert!(seen == sorted, "{locations} locations in steps of {step}");
        }
    }
}

#[test]
fn several_threads() {
    for name in SAMPLES {
        let archive = open(name);
        let mut expected = Vec::new();
        for location in archive.locations() {
            expected.extend(iterated(&archive, location.id));
        }
        for (chunks_each, threads) in [(1, 1), (1, 2), (2, 5), (100, 2)] {
            let parts = archive.parts(chunks_each).expect("chunk headers");
            let threads = NonZeroUsize::new(threads).expect("not zero");
            let read = archive
                .read_parts(threads, &parts, |_, events| events.collect::<Result<Vec<_>, Error>>());
            let read = read.expect("good events").concat();
            assert_eq!(text(&read), text(&expected), "{name}, {threads} threads");
        }
    }
    assert_eq!(open("multichunk/mc").parts(1).expect("chunk headers").len(), 4);
}

#[test]
fn an_error_ends_all_threads() {
    let archive = open("multichunk/mc");
    let parts = archive.parts(1).expect("chunk headers");
    let threads = NonZeroUsize::new(2).expect("not zero");
    let read = |_: &Part, _| archive.raw_events(LocationRef(99)).map(drop);
    let error = archive.read_parts(threads, &parts, read).expect_err("an error");
    assert!(error.to_string().starts_with("location 99 is not defined"), "{error}");
}
