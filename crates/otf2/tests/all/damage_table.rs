//! Hundreds of damages to the files of whole archives: every one is told with the file, the byte and
//! what was expected, everything before it and, from the next chunk on, behind it is delivered, and
//! nothing panics or runs for ever.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect;
use pompeii_otf2::Error;
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::definition::{
    self, CallingContext, Callpath, Comm, Definition, Group, MetricInstance, SystemTreeNode,
};
use pompeii_otf2::enums::{GroupType, Paradigm};
use pompeii_otf2::event::{CallingContextEnter, Event, MpiSend};
use pompeii_otf2::print::{Options, Printer};
use pompeii_otf2::read::{Archive, EventRecord};
use pompeii_otf2::reference::*;
use pompeii_otf2::write::{self, ArchiveWriter};

/// Small chunks, so that there are many of them.
const CHUNK_BYTES: usize = 256;
const LOCATION: LocationRef = LocationRef(0);

/// The sample `hybrid` in small chunks.
fn archive(folder: &Path) -> PathBuf {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/hybrid/traces.otf2");
    let sample = Archive::open(&sample).expect("a good archive");
    let options = write::Options {
        event_chunk_bytes: CHUNK_BYTES,
        definition_chunk_bytes: CHUNK_BYTES,
        ..write::Options::default()
    };
    let mut writer = ArchiveWriter::create(folder, "traces", options).expect("a folder");
    for location in sample.locations() {
        let local = sample.local(location.id).expect("local definitions");
        writer.local_definitions(location.id, &local.definitions).expect("written");
        let mut events = writer.events(location.id).expect("a file");
        for event in sample.raw_events(location.id).expect("a location") {
            let EventRecord { time, event, attributes, .. } = event.expect("a good event");
            events.event(time, &event, &attributes).expect("written");
        }
        events.finish().expect("written");
    }
    for definition in sample.definitions() {
        writer.define(definition.clone()).expect("written");
    }
    writer.finish(sample.anchor().clone()).expect("written")
}

/// Everything of an archive: how many records, and what was complained about.
fn read_all(anchor: &Path) -> (usize, Vec<Error>) {
    let (archive, mut errors) = match Archive::salvage(anchor) {
        Ok(salvaged) => salvaged,
        Err(error) => return (0, vec![error]),
    };
    let mut records = archive.definitions().len();
    let mut printer = Printer::new(&archive, Options::default(), Vec::new());
    printer.global_definitions().expect("written to memory");
    printer.events_head().expect("written to memory");
    for location in archive.locations() {
        let (local, flaws) = archive.local_salvage(location.id);
        records += local.definitions.len();
        errors.extend(flaws);
        let events = archive.raw_events(location.id).expect("a location");
        for event in events.with_local(local.mappings, local.clock) {
            match event {
                Ok(event) => printer.event(event.view()).expect("written to memory"),
                Err(error) => errors.push(error),
            }
            records += 1;
            assert!(records < 10_000, "endless");
        }
    }
    let _ = archive.merged().map(|events| events.count());
    (records, errors)
}

fn events(anchor: &Path) -> (Vec<EventRecord>, Vec<Error>) {
    let archive = Archive::open(anchor).expect("good definitions");
    let (mut good, mut errors) = (Vec::new(), Vec::new());
    for event in archive.raw_events(LOCATION).expect("a location") {
        match event {
            Ok(event) => good.push(event),
            Err(error) => errors.push(error),
        }
    }
    (good, errors)
}

/// The file of an error, its place, and that the place is within the file.
fn assert_has_place(error: &Error) {
    let length = fs::metadata(error.file()).map_or(0, |file| file.len());
    let text = error.to_string();
    assert!(text.contains(&error.file().display().to_string()), "{text}");
    match error {
        Error::Malformed(malformed) => {
            assert!(malformed.offset <= length, "{text}");
            assert!(!malformed.expected.is_empty(), "{text}");
        }
        Error::Truncated { offset, .. } => assert!(*offset <= length, "{text}"),
        _ => {}
    }
}

/// Damages each byte of each file in turn, in one way per byte; all is put back afterwards.
fn with_each_damage(anchor: &Path, mut check: impl FnMut(&Path, &str)) {
    let folder = anchor.parent().expect("a folder");
    let files = ["traces.otf2", "traces.def", "traces/0.def", "traces/1.def", "traces/0.evt"];
    for file in files.map(|file| folder.join(file)) {
        let good = fs::read(&file).expect("a file");
        for at in (0..good.len()).step_by(7) {
            let mut bytes = good.clone();
            let what = match at / 7 % 5 {
                0 => {
                    bytes[at] ^= 1 << (at % 8);
                    "a bit"
                }
                1 => {
                    bytes.truncate(at);
                    "cut"
                }
                2 => {
                    let end = (at + 9).min(bytes.len());
                    bytes[at..end].fill(0xff);
                    "an absurd length"
                }
                3 => {
                    let end = (at + 40).min(bytes.len());
                    bytes[at..end].fill(0);
                    "zeros"
                }
                _ => {
                    bytes.insert(at, 7);
                    "a byte more"
                }
            };
            fs::write(&file, &bytes).expect("written");
            check(&file, &format!("{what} at {at} of {}", file.display()));
        }
        fs::write(&file, &good).expect("written");
    }
}

#[test]
fn each_damage_is_survived_and_has_a_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let anchor = archive(folder.path());
    let (all, errors) = read_all(&anchor);
    assert!(errors.is_empty(), "{errors:?}");
    let (mut damages, mut told) = (0, 0);
    with_each_damage(&anchor, |file, what| {
        let (records, errors) = read_all(&anchor);
        errors.iter().for_each(assert_has_place);
        damages += 1;
        told += usize::from(!errors.is_empty());
        // A cut is always told, with the file.
        if what.starts_with("cut") && !file.ends_with("traces.otf2") {
            assert!(errors.iter().any(|error| error.file() == file), "{what}");
            assert!(records < all, "{what}");
        }
    });
    // There is no checksum: a changed number is a number.
    expect!["546 damages, 428 told"].assert_eq(&format!("{damages} damages, {told} told"));
}

#[test]
fn what_stands_before_and_in_the_next_chunks_is_delivered() {
    let folder = tempfile::tempdir().expect("a folder");
    let anchor = archive(folder.path());
    let file = folder.path().join("traces/0.evt");
    let (all, _) = events(&anchor);
    let good = fs::read(&file).expect("the events");
    let chunks = good.len().div_ceil(CHUNK_BYTES);
    assert!(chunks > 4);
    // By chunk: the events that it has.
    let mut by_chunk = Vec::new();
    for chunk in 0..chunks as u64 {
        let archive = Archive::open(&anchor).expect("good definitions");
        let events = archive.raw_events(LOCATION).expect("a location").within(chunk..chunk + 1);
        by_chunk.push(events.map(|event| event.expect("a good event")).collect::<Vec<_>>());
    }
    assert_eq!(by_chunk.concat(), all);
    for chunk in 0..chunks - 1 {
        // A chunk without its header, and one whose records end in the middle.
        for (place, what) in [(0, 0xee), (150, 0xff)] {
            let mut bytes = good.clone();
            let at = chunk * CHUNK_BYTES + place;
            bytes[at..at + 60].fill(what);
            fs::write(&file, &bytes).expect("written");
            let (read, errors) = events(&anchor);
            let before = by_chunk[..chunk].concat();
            let behind = by_chunk[chunk + 1..].concat();
            assert!(!errors.is_empty(), "chunk {chunk}");
            assert_eq!(read[..before.len()], before[..], "chunk {chunk}");
            assert_eq!(read[read.len() - behind.len()..], behind[..], "chunk {chunk}");
        }
    }
}

#[test]
fn missing_empty_and_foreign_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = String::new();
    for (file, bytes) in [
        ("traces/1.evt", None),
        ("traces/1.evt", Some(&b""[..])),
        ("traces/1.evt", Some(b"#!/bin/sh\necho this is no trace\n")),
        ("traces/1.def", None),
        ("traces/1.def", Some(b"")),
        ("traces.def", None),
        ("traces.def", Some(b"")),
        ("traces.otf2", None),
        ("traces.otf2", Some(b"")),
    ] {
        let anchor = archive(folder.path());
        let path = folder.path().join(file);
        match bytes {
            Some(bytes) => fs::write(&path, bytes).expect("written"),
            None => fs::remove_file(&path).expect("removed"),
        }
        let (records, errors) = read_all(&anchor);
        let errors: Vec<String> = errors.iter().map(Error::to_string).collect();
        let errors = errors.join("; ").replace(&format!("{}/", folder.path().display()), "");
        let kind = if bytes.is_none() { "missing" } else { "other" };
        let _ = writeln!(text, "{kind} {file}: {records} records; {errors}");
    }
    expect![[r#"
        missing traces/1.evt: 271 records; traces/1.evt: No such file or directory (os error 2)
        other traces/1.evt: 271 records; traces/1.evt: the file ends at byte 0, in chunk 0, without its end mark; what stands before was read
        other traces/1.evt: 271 records; traces/1.evt, byte 0: expected a chunk: 03, and 42 or 23
        missing traces/1.def: 338 records; 
        other traces/1.def: 338 records; traces/1.def: the file ends at byte 0, in chunk 0, without its end mark; what stands before was read
        missing traces.def: 0 records; traces.def: No such file or directory (os error 2)
        other traces.def: 0 records; traces.def: the file ends at byte 0, in chunk 0, without its end mark; what stands before was read
        missing traces.otf2: 0 records; traces.otf2: No such file or directory (os error 2)
        other traces.otf2: 0 records; traces.otf2, byte 0: record anchor: expected the two bytes of an anchor's header
    "#]].assert_eq(&text);
}

/// An archive of definitions that refer to themselves or to what comes later.
fn circular_archive(folder: &Path) -> PathBuf {
    let mut writer =
        ArchiveWriter::create(folder, "traces", write::Options::default()).expect("created");
    let definitions: Vec<Definition> = vec![
        Comm { id: CommRef(0), group: GroupRef(1), parent: CommRef(0), ..Comm::default() }.into(),
        Callpath { id: CallpathRef(0), parent: CallpathRef(1), region: RegionRef(9) }.into(),
        Callpath { id: CallpathRef(1), parent: CallpathRef(0), region: RegionRef(9) }.into(),
        CallingContext {
            id: CallingContextRef(0),
            parent: CallingContextRef(0),
            ..CallingContext::default()
        }
        .into(),
        SystemTreeNode {
            id: SystemTreeNodeRef(0),
            parent: SystemTreeNodeRef(0),
            ..SystemTreeNode::default()
        }
        .into(),
        MetricInstance {
            id: MetricRef(0),
            metric_class: MetricRef(0),
            ..MetricInstance::default()
        }
        .into(),
        Group {
            id: GroupRef(1),
            members: vec![u64::MAX, 0, 1 << 40],
            group_type: GroupType::COMM_GROUP,
            paradigm: Paradigm::MPI,
            ..Group::default()
        }
        .into(),
        definition::Location { id: LOCATION, ..definition::Location::default() }.into(),
    ];
    for definition in definitions {
        writer.define(definition).expect("written");
    }
    let mut events = writer.events(LOCATION).expect("a file");
    let calling_context = CallingContextRef(0);
    let enter = CallingContextEnter { calling_context, unwind_distance: 3 };
    events.event(1, &Event::CallingContextEnter(enter), &[]).expect("written");
    let send = MpiSend { receiver: 2, communicator: CommRef(0), ..MpiSend::default() };
    events.event(2, &Event::MpiSend(send), &[]).expect("written");
    events.finish().expect("written");
    writer.finish(Anchor::default()).expect("written")
}

#[test]
fn circles_and_forward_references_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let archive = Archive::open(&circular_archive(folder.path())).expect("a good archive");
    let flaws: Vec<String> = archive.reference_flaws().iter().map(Error::to_string).collect();
    let flaws = flaws.join("\n").replace(&format!("{}/", folder.path().display()), "");
    expect![[r#"
        traces.def, byte 18: record Comm, field group: expected the id of a definition in front of it, found 1
        traces.def, byte 18: record Comm, field parent: expected the id of a definition in front of it, found 0
        traces.def, byte 26: record Callpath, field parent: expected the id of a definition in front of it, found 1
        traces.def, byte 26: record Callpath, field region: expected the id of a definition, found 9
        traces.def, byte 33: record Callpath, field region: expected the id of a definition, found 9
        traces.def, byte 40: record CallingContext, field parent: expected the id of a definition in front of it, found 0
        traces.def, byte 46: record SystemTreeNode, field parent: expected the id of a definition in front of it, found 0
        traces.def, byte 52: record MetricInstance, field metric_class: expected the id of a definition in front of it, found 0"#]].assert_eq(&flaws);
}

#[test]
fn circles_and_forward_references_are_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    let archive = Archive::open(&circular_archive(folder.path())).expect("a good archive");
    let options = Options { unwind: true, ..Options::default() };
    let mut printer = Printer::new(&archive, options, Vec::new());
    printer.global_definitions().expect("written to memory");
    printer.events_head().expect("written to memory");
    for event in archive.merged().expect("all locations") {
        printer.event(event.expect("a good event").view()).expect("written to memory");
    }
    let text = String::from_utf8(printer.finish().expect("written")).expect("text");
    assert!(text.contains("Receiver: 2 (INVALID)"), "{text}");
    assert!(text.len() < 2_000_000);
}
