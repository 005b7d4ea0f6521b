//! Files of the reference library, read and written again: the same bytes.
//!
//! Holds forms of lengths, timestamps, legacy fields and end marks against the library's.

use std::path::{Path, PathBuf};

use pompeii_otf2::Error;
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::read::{Archive, SnapshotRecord};
use pompeii_otf2::write::{ArchiveWriter, MarkerWriter, Options, SnapshotWriter, ThumbnailWriter};

const CHUNK_BYTES: usize = 256 << 10;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name)
}

/// Reads an archive and writes all of it but its chunk sizes to `folder`.
fn rewrite(archive: &Archive, folder: &Path) -> Result<(), Error> {
    let mut writer = ArchiveWriter::create(folder, "traces", Options::default())?;
    for location in archive.locations() {
        writer.local_definitions(location.id, &archive.local(location.id)?.definitions)?;
        let mut events = writer.events(location.id)?;
        for record in archive.raw_events(location.id)? {
            let record = record?;
            events.event(record.time, &record.event, &record.attributes)?;
        }
        assert_eq!(events.events(), location.number_of_events);
        events.finish()?;
    }
    for definition in archive.definitions() {
        writer.define(definition.clone())?;
    }
    writer.finish(archive.anchor().clone()).map(drop)
}

fn assert_same_file(ours: &Path, theirs: &Path) {
    let read = |path: &Path| std::fs::read(path).expect("the file");
    let (ours, theirs) = (read(ours), read(theirs));
    let differs = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs);
    assert_eq!((differs, ours.len()), (None, theirs.len()));
}

#[test]
fn definitions_and_events_are_the_same_bytes() {
    // Not `minimal`, which the library has not written.
    for name in ["hybrid", "allrecords", "v32"] {
        let folder = tempfile::tempdir().expect("a folder");
        let archive = Archive::open(&sample(name).join("traces.otf2")).expect("a good archive");
        rewrite(&archive, folder.path()).expect("a new archive");
        let mut files = vec!["traces.def".to_owned()];
        for location in archive.locations() {
            files.push(format!("traces/{}.evt", location.id));
            files.push(format!("traces/{}.def", location.id));
        }
        for file in files {
            assert_same_file(&folder.path().join(&file), &sample(name).join(&file));
        }
        let again = Archive::open(&folder.path().join("traces.otf2")).expect("our archive");
        let sizes = |anchor: &Anchor| Anchor {
            event_chunk_bytes: 0,
            definition_chunk_bytes: 0,
            ..anchor.clone()
        };
        assert_eq!(sizes(again.anchor()), sizes(archive.anchor()));
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
