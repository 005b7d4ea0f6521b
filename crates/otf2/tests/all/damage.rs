//! Damaged archives: no panic, no endless loop, and an error that says where.

use std::path::Path;

use expect_test::{Expect, expect};
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::read::{Bytes, DefinitionReader, EventReader};
use pompeii_otf2::reference::LocationRef;
use pompeii_otf2::write::EventWriter;
use pompeii_otf2::{Error, event};
use proptest::prelude::*;

const CHUNK_BYTES: u64 = 256 << 10;

fn sample(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name);
    std::fs::read(path).expect("the sample")
}

fn events_in(file: &[u8], chunk_bytes: u64) -> EventReader<Bytes<&[u8]>> {
    let source = Bytes::new(file, chunk_bytes);
    EventReader::new(source, Path::new("0.evt"), chunk_bytes, LocationRef(0))
}

/// Records and errors of a file; more results than bytes would be an endless loop.
fn drain<T>(file: &[u8], records: impl Iterator<Item = Result<T, Error>>) -> (usize, Vec<Error>) {
    let mut errors = Vec::new();
    let mut good = 0;
    for record in records {
        match record {
            Ok(_) => good += 1,
            Err(error) => errors.push(error),
        }
        assert!(good + errors.len() <= file.len() + 1, "endless");
    }
    (good, errors)
}

fn definitions_in(file: &[u8], local: bool) -> (usize, Vec<Error>) {
    let source = Bytes::new(file, CHUNK_BYTES);
    let path = Path::new("traces.def");
    let reader = if local {
        DefinitionReader::local(source, path, CHUNK_BYTES)
    } else {
        DefinitionReader::new(source, path, CHUNK_BYTES)
    };
    drain(file, reader)
}

#[test]
fn every_cut_keeps_what_stands_before() {
    let file = sample("hybrid/traces/0.evt");
    let mut last = 0;
    for length in 0..=file.len() - 2 {
        let cut = &file[..length];
        let (events, errors) = drain(cut, events_in(cut, CHUNK_BYTES));
        assert!(events >= last, "{length}");
        assert!(matches!(errors[..], [Error::Truncated { .. }]), "{length}: {errors:?}");
        last = events;
    }
    assert_eq!(last, 70);
}

/// Reads a file once for each of its bytes, with that byte changed.
fn with_changed_bytes(name: &str, change: impl Fn(usize, u8) -> u8, read: impl Fn(&[u8])) {
    let mut file = sample(name);
    for at in 0..file.len() {
        let good = file[at];
        file[at] = change(at, good);
        read(&file);
        file[at] = good;
    }
}

#[test]
fn every_changed_byte_is_survived() {
    let read_events = |file: &[u8]| drop(drain(file, events_in(file, CHUNK_BYTES)));
    with_changed_bytes("allrecords/traces/0.evt", |at, good| good ^ (1 << (at % 8)), read_events);
    with_changed_bytes("hybrid_be/traces/0.evt", |_, _| 0xff, read_events);
    with_changed_bytes("hybrid/traces/0.evt", |_, good| good.wrapping_add(1), read_events);
    let read_global = |file: &[u8]| drop(definitions_in(file, false));
    with_changed_bytes("allrecords/traces.def", |_, good| good.wrapping_add(1), read_global);
    with_changed_bytes("hybrid_be/traces.def", |_, _| 0xff, read_global);
    let read_local = |file: &[u8]| drop(definitions_in(file, true));
    with_changed_bytes("allrecords/traces/0.def", |_, good| good ^ 0x81, read_local);
}

#[test]
fn every_changed_anchor_is_survived() {
    let mut file = sample("hybrid/traces.otf2");
    let path = Path::new("traces.otf2");
    for at in 0..file.len() {
        let good = file[at];
        assert!(at + 4 > file.len() || Anchor::read(path, &file[..at]).is_err(), "{at}");
        for bad in [good ^ 1, 0xff, 0] {
            file[at] = bad;
            let _ = Anchor::read(path, &file);
        }
        file[at] = good;
    }
    assert!(Anchor::read(path, &file).is_ok());
}

/// The error that a change of an event file gives, and how many events are read nevertheless.
fn check(change: impl FnOnce(&mut Vec<u8>), expected: Expect) {
    let mut file = sample("hybrid/traces/0.evt");
    change(&mut file);
    let (events, errors) = drain(&file, events_in(&file, CHUNK_BYTES));
    let errors: Vec<String> = errors.iter().map(Error::to_string).collect();
    expected.assert_eq(&format!("{events} events; {}", errors.join("\n")));
}

#[test]
fn messages_say_where() {
    check(
        |file| file.truncate(500),
        expect![
            "33 events; 0.evt: the file ends at byte 495, in chunk 0, without its end mark; what stands before was read"
        ],
    );
    check(
        |file| file.truncate(file.len() - 2),
        expect![
            "70 events; 0.evt: the file ends at byte 1077, in chunk 0, without its end mark; what stands before was read"
        ],
    );
    check(
        Vec::clear,
        expect![
            "0 events; 0.evt: the file ends at byte 0, in chunk 0, without its end mark; what stands before was read"
        ],
    );
    check(
        |file| file[1] = 0x44,
        expect!["0 events; 0.evt, byte 0: expected a chunk: 03, and 42 or 23"],
    );
    // Size byte of a region.
    check(
        |file| file[47] = 9,
        expect![
            "2 events; 0.evt, byte 47: record Enter, field region: expected a size of 0 to 4, or 255, found 9"
        ],
    );
    // Length of MpiSend: too long for the chunk, and too short for its fields.
    check(
        |file| file[133..142].copy_from_slice(&[255; 9]),
        expect![
            "7 events; 0.evt, byte 142: record MpiSend: expected a record that ends within the chunk, found 18446744073709551615"
        ],
    );
    check(
        |file| file[133] = 2,
        expect![[r#"
            7 events; 0.evt, byte 136: record MpiSend, field communicator: expected the size byte of a number
            0.evt, byte 137: expected zeros behind the mark of a chunk's end, found 1"#]],
    );
    // Number of metrics.
    check(
        |file| file[60] = 255,
        expect![
            "69 events; 0.evt, byte 61: record Metric, field values: expected a count of elements that fit into the record, found 255"
        ],
    );
}

#[test]
fn anchors_that_are_not_supported() {
    let read = |change: fn(&mut Anchor)| {
        let mut anchor = Anchor::default();
        change(&mut anchor);
        let result = Anchor::read(Path::new("traces.otf2"), &anchor.to_bytes());
        result.map_or_else(|error| error.to_string(), |_| "read".into())
    };
    let answers = [
        read(|_| {}),
        read(|anchor| anchor.substrate.0 = 2),
        read(|anchor| anchor.compression.0 = 2),
        read(|anchor| anchor.event_chunk_bytes = u64::MAX),
    ];
    expect![[r#"
        read
        traces.otf2: the storage SION is not supported
        traces.otf2: the compression ZLIB is not supported
        traces.otf2, byte 20: record anchor, field event_chunk_bytes: expected a size of a chunk, found 18446744073709551615"#]].assert_eq(&answers.join("\n"));
    let no_anchor =
        Anchor::read(Path::new("traces.otf2"), b"#!/bin/sh\n").map_err(|e| e.to_string());
    expect![
        "traces.otf2, byte 0: record anchor: expected 03 and the mark of a byte order, 42 or 23"
    ]
    .assert_eq(&no_anchor.unwrap_err());
}

#[test]
fn a_record_larger_than_a_chunk_is_refused() {
    let mut writer = EventWriter::new(Vec::new(), Path::new("0.evt"), 128);
    let arguments = vec![70_000.into(); 40];
    let program = event::ProgramBegin { program_name: 1.into(), program_arguments: arguments };
    let error = writer.event(1, &program.into(), &[]).map_err(|error| error.to_string());
    expect!["0.evt: a record ProgramBegin of 166 bytes does not fit into a chunk of 128 bytes"]
        .assert_eq(&error.unwrap_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_survived(mut bytes: Vec<u8>, likely in prop::collection::vec(0u8..93, 0..300)) {
        for tail in [&likely, &bytes.clone()] {
            let mut file = vec![3, 0x42];
            file.extend([0; 16]);
            file.extend(tail);
            drain(&file, events_in(&file, 64));
            definitions_in(&file, false);
            definitions_in(&file, true);
        }
        drain(&bytes, events_in(&bytes, 32));
        bytes.insert(0, 3);
        let _ = Anchor::read(Path::new(""), &bytes);
    }
}
