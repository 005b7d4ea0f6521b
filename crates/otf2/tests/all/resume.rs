//! Reading goes on at any place that a reader has named, in another reader of the same location:
//! before the first event, between any two of them, and after the last one. The samples have tables
//! of ids, clock offsets, events without timestamps, several chunks and both orders of bytes.

use std::ops::ControlFlow;
use std::path::Path;

use pompeii_otf2::Error;
use pompeii_otf2::read::{Archive, EventReader, Place};
use pompeii_otf2::reference::LocationRef;

const SAMPLES: [&str; 5] =
    ["minimal/traces", "hybrid/traces", "hybrid_be/traces", "allrecords/traces", "multichunk/mc"];

fn open(name: &str) -> Archive {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    Archive::open(&samples.join(name).with_extension("otf2")).expect("a good archive")
}

/// Texts, since NaN is not equal to itself.
fn rest(events: EventReader) -> Vec<String> {
    events.map(|event| format!("{:?}", event.expect("a good event"))).collect()
}

/// The place before each event and after the last one, as a visitor that breaks off sees them.
fn places_of_visits(mut events: EventReader) -> Vec<Option<Place>> {
    let mut places = vec![events.place()];
    while events.visit(|_| ControlFlow::Break(())).is_break() {
        places.push(events.place());
    }
    places.push(events.place());
    places
}

/// The same by the lending reader, which decodes ahead.
fn places_of_lending(mut events: EventReader) -> Vec<Option<Place>> {
    let mut places = vec![events.place()];
    while events.read_next().is_some() {
        places.push(events.place());
    }
    places.push(events.place());
    places
}

/// The rest of the events from some of the places on is what it was.
fn check(archive: &Archive, location: LocationRef, places: &[Option<Place>]) {
    let all = rest(archive.events(location).expect("a location"));
    assert_eq!(places.len(), all.len() + 2);
    // All places of a short trace, and of a long one some, which reach all chunks.
    let step = all.len() / 20 + 1;
    for (number, place) in places.iter().enumerate() {
        let is_chosen = number % step == 0 || number < 20 || number + 20 > places.len();
        let (true, Some(place)) = (is_chosen, *place) else { continue };
        let mut events = archive.events(location).expect("a location");
        events.resume(place).expect("a good place");
        let expected = all.get(number..).unwrap_or_default();
        assert_eq!(rest(events), expected, "{location} at event {number}, {place:?}");
    }
}

#[test]
fn at_every_place() {
    for name in SAMPLES {
        let archive = open(name);
        for location in archive.locations() {
            let events = || archive.events(location.id).expect("a location");
            let places = places_of_visits(events());
            assert!(places.iter().all(Option::is_some), "a visitor always has a place");
            check(&archive, location.id, &places);
            let places = places_of_lending(events());
            assert!(places.iter().filter(|place| place.is_some()).count() * 2 > places.len());
            check(&archive, location.id, &places);
        }
    }
}

/// A place before the first chunk is loaded is the begin of the chunk, not a byte of its header.
#[test]
fn before_the_first_event() {
    let archive = open("multichunk/mc");
    let location = archive.locations().next().expect("a location").id;
    for first in 0..3 {
        let events = || archive.events(location).expect("a location").within(first..u64::MAX);
        let place = events().place().expect("a place");
        assert_eq!((place.chunk, place.byte), (first, 0));
        let mut resumed = archive.events(location).expect("a location");
        resumed.resume(place).expect("a good place");
        assert_eq!(rest(resumed), rest(events()));
    }
}

#[test]
fn a_part_ends_where_it_did() {
    let archive = open("multichunk/mc");
    let location = archive.locations().next().expect("a location").id;
    let part = || archive.events(location).expect("a location").within(1..2);
    let mut events = part();
    assert!(events.visit(|_| ControlFlow::Break(())).is_break());
    let mut resumed = part();
    resumed.resume(events.place().expect("a place")).expect("a good place");
    assert_eq!(rest(resumed), rest(part())[1..]);
}

/// Places from a damaged index: errors or wrong events, but an end.
#[test]
fn places_of_no_event() {
    let numbers = [0, 1, 16, 17, 200, 1 << 20, u64::MAX - 1, u64::MAX];
    for name in ["hybrid/traces", "hybrid_be/traces"] {
        let archive = open(name);
        let location = archive.locations().next().expect("a location").id;
        for (chunk, byte) in numbers.iter().flat_map(|a| numbers.map(|b| (*a, b))) {
            for skipped in [0, u8::MAX] {
                let mut events = archive.events(location).expect("a location");
                let place = Place { chunk, byte, file_time: u64::MAX, skipped };
                let read: Result<usize, Error> =
                    events.resume(place).map(|()| events.take(1_000_000).count());
                assert!(read.is_err() || read.is_ok_and(|count| count < 1_000_000), "{place:?}");
            }
        }
    }
}
