//! Files of the reference library, read and written again: the same bytes.
//!
//! Holds forms of lengths, timestamps, legacy fields and end marks against the library's.

use std::path::{Path, PathBuf};

use pompeii_otf2::Error;
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::chunk::Endian;
use pompeii_otf2::definition::Location;
use pompeii_otf2::event::Event;
use pompeii_otf2::read::{Archive, EventRecord, SnapshotRecord};
use pompeii_otf2::write::{ArchiveWriter, MarkerWriter, Options, SnapshotWriter, ThumbnailWriter};

const CHUNK_BYTES: usize = 256 << 10;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name)
}

/// Reads an archive and writes all of it to `folder`, in this order of bytes: the events of each
/// location on a thread of its own.
fn rewrite(archive: &Archive, folder: &Path, name: &str, endian: Endian) -> Result<(), Error> {
    let options = Options {
        event_chunk_bytes: archive.anchor().event_chunk_bytes as usize,
        definition_chunk_bytes: archive.anchor().definition_chunk_bytes as usize,
        endian,
    };
    let mut writer = ArchiveWriter::create(folder, name, options)?;
    for location in archive.locations() {
        writer.local_definitions(location.id, &archive.local(location.id)?.definitions)?;
    }
    std::thread::scope(|scope| -> Result<(), Error> {
        let write = |location| {
            let writer = &writer;
            scope.spawn(move || rewrite_events(archive, writer, location))
        };
        let threads: Vec<_> = archive.locations().map(write).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
    })?;
    for definition in archive.definitions() {
        writer.define(definition.clone())?;
    }
    writer.finish(archive.anchor().clone()).map(drop)
}

fn rewrite_events(
    archive: &Archive,
    writer: &ArchiveWriter,
    location: &Location,
) -> Result<(), Error> {
    let mut events = writer.events(location.id)?;
    for record in archive.raw_events(location.id)? {
        let record = record?;
        events.event(record.time, &record.event, &record.attributes)?;
    }
    assert_eq!(events.events(), location.number_of_events);
    events.finish().map(drop)
}

fn assert_same_file(ours: &Path, theirs: &Path) {
    let read = |path: &Path| std::fs::read(path).expect("the file");
    let (ours, theirs) = (read(ours), read(theirs));
    let differs = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs);
    assert_eq!((differs, ours.len()), (None, theirs.len()));
}

fn files_of(archive: &Archive, name: &str) -> Vec<String> {
    let mut files = vec![format!("{name}.def"), format!("{name}.otf2")];
    for location in archive.locations() {
        files.push(format!("{name}/{}.evt", location.id));
        files.push(format!("{name}/{}.def", location.id));
    }
    files
}

#[test]
fn all_files_are_the_same_bytes() {
    // Not `minimal`, which the library has not written.
    for name in ["hybrid/traces", "allrecords/traces", "v32/traces", "multichunk/mc"] {
        let (folder, name) = name.split_once('/').expect("a folder");
        let sample = sample(folder);
        let archive = Archive::open(&sample.join(name).with_extension("otf2")).expect("good");
        let copy = tempfile::tempdir().expect("a folder");
        rewrite(&archive, copy.path(), name, Endian::Little).expect("a new archive");
        for file in files_of(&archive, name) {
            assert_same_file(&copy.path().join(&file), &sample.join(&file));
        }
    }
}

#[test]
fn big_endian_copies_are_the_same_bytes() {
    for name in ["hybrid", "allrecords"] {
        let archive = Archive::open(&sample(name).join("traces.otf2")).expect("a good archive");
        let swapped = sample(&format!("{name}_be"));
        let copy = tempfile::tempdir().expect("a folder");
        rewrite(&archive, copy.path(), "traces", Endian::Big).expect("a new archive");
        for file in files_of(&archive, "traces") {
            assert_same_file(&copy.path().join(&file), &swapped.join(&file));
        }
    }
}

#[test]
fn big_endian_copies_read_the_same() {
    // Not `minimal`, whose fields for old readers are not those of the library.
    for name in ["hybrid/traces", "allrecords/traces", "v32/traces", "multichunk/mc"] {
        let archive = Archive::open(&sample(name).with_extension("otf2")).expect("a good archive");
        let copy = tempfile::tempdir().expect("a folder");
        rewrite(&archive, copy.path(), "copy", Endian::Big).expect("a new archive");
        let copied = Archive::open(&copy.path().join("copy.otf2")).expect("a good copy");
        assert_eq!(copied.definitions(), archive.definitions(), "{name}");
        let events = |archive: &Archive| -> Vec<String> {
            let events = archive.merged().expect("all locations");
            // Text, since NaN is not equal to itself.
            let short = |event: EventRecord| match &event.event {
                Event::Enter(_) | Event::Leave(_) => format!("{} {}", event.time, event.event),
                _ => format!("{event:?}"),
            };
            events.map(|event| short(event.expect("a good event"))).collect()
        };
        assert_eq!(events(&copied), events(&archive), "{name}");
    }
}

#[test]
fn anchors_are_the_same_bytes() {
    for name in ["minimal/traces", "hybrid/traces", "hybrid_be/traces", "multichunk/mc"] {
        let path = sample(name).with_extension("otf2");
        let bytes = std::fs::read(&path).expect("the anchor");
        let anchor = Anchor::read(&path, &bytes).expect("a good anchor");
        assert_eq!(anchor.to_bytes(), bytes, "{name}");
    }
}

#[test]
fn snapshots_markers_and_thumbnails_are_the_same_bytes() {
    let archive = Archive::open(&sample("allrecords/traces.otf2")).expect("a good archive");
    let location = archive.locations().next().expect("a location").id;
    let path = Path::new("");
    let same = |bytes: Vec<u8>, file: &str| {
        assert_eq!(bytes, std::fs::read(sample("allrecords").join(file)).expect("the file"));
    };
    let mut writer = SnapshotWriter::new(Vec::new(), path, CHUNK_BYTES);
    for record in archive.snapshots(location) {
        let SnapshotRecord { time, record, attributes } = record.expect("a good snapshot record");
        writer.record(time, &record, &attributes).expect("written");
    }
    same(writer.finish().expect("complete"), "traces/0.snap");
    let mut writer = SnapshotWriter::new(Vec::new(), path, CHUNK_BYTES).with_endian(Endian::Big);
    for record in archive.snapshots(location) {
        let SnapshotRecord { time, record, attributes } = record.expect("a good snapshot record");
        writer.record(time, &record, &attributes).expect("written");
    }
    let swapped = std::fs::read(sample("allrecords_be/traces/0.snap")).expect("the file");
    assert_eq!(writer.finish().expect("complete"), swapped);
    let mut writer = MarkerWriter::new(Vec::new(), path, CHUNK_BYTES);
    for record in archive.markers().expect("markers") {
        writer.record(&record.expect("a good marker")).expect("written");
    }
    same(writer.finish().expect("complete"), "traces.marker");
    let mut writer = ThumbnailWriter::new(Vec::new(), path);
    for record in archive.thumbnail(0) {
        writer.record(&record.expect("a good thumbnail record")).expect("written");
    }
    same(writer.finish().expect("complete"), "traces.0.thumb");
}
