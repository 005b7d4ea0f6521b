//! All ways to read events deliver the same: iterator, lending, visiting; read and mapped files;
//! one thread and several; whole locations and single chunks.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;

use pompeii_otf2::Error;
use pompeii_otf2::event::Event;
use pompeii_otf2::read::{Archive, EventRecord, EventView, Part};
use pompeii_otf2::reference::LocationRef;

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
