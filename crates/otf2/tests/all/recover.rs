//! Archives whose writer died become readable again, with all whole events.

use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect;
use pompeii_otf2::read::{Archive, EventRecord};
use pompeii_otf2::recover::{Recovered, recover};
use pompeii_otf2::reference::LocationRef;
use pompeii_testing::copy_folder;

fn copy(name: &str, folder: &Path) -> PathBuf {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name);
    let to = folder.join(name);
    copy_folder(&sample, &to);
    to
}

fn events(anchor: &Path, location: u64) -> Vec<EventRecord> {
    let archive = Archive::open(anchor).expect("a good archive");
    assert_eq!(archive.definitions().len() as u64, archive.anchor().global_definitions);
    let events = archive.raw_events(LocationRef(location)).expect("a location");
    let events: Vec<_> = events.map(|event| event.expect("a good event")).collect();
    let defined = archive.location(LocationRef(location)).expect("defined");
    assert_eq!(defined.number_of_events, events.len() as u64);
    events
}

/// Cuts a file to this length.
fn cut(path: &Path, bytes: usize) {
    let all = fs::read(path).expect("a file");
    fs::write(path, &all[..bytes]).expect("written");
}

fn text(recovered: &Recovered, folder: &Path) -> String {
    let folder = format!("{}/", folder.display());
    format!("{recovered:#?}").replace(&folder, "")
}

#[test]
fn a_good_archive_stays_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let anchor = copy("hybrid", folder.path()).join("traces.otf2");
    assert_eq!(recover(&anchor).expect("read"), None);
}

#[test]
fn without_an_anchor() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = copy("multichunk", folder.path());
    let anchor = place.join("mc.otf2");
    let before = events(&anchor, 3);
    let bytes = fs::read(&anchor).expect("the anchor");
    fs::remove_file(&anchor).expect("removed");
    let recovered = recover(&anchor).expect("recovered").expect("something to do");
    expect![[r#"
        Recovered {
            locations: 2,
            events: 60003,
            definitions_kept: 20769,
            made_up: [],
            problems: [
                "the anchor is missing or cannot be read",
            ],
        }"#]]
    .assert_eq(&text(&recovered, &place));
    assert_eq!(events(&anchor, 3), before);
    // The sizes of chunks are those that they had.
    assert_eq!(fs::read(&anchor).expect("the anchor")[12..28], bytes[12..28]);
    assert_eq!(recover(&anchor).expect("read"), None);
}

#[test]
fn cut_anywhere_all_whole_events_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = copy("hybrid", folder.path()).join("traces.otf2");
    let all = events(&good, 0);
    for bytes in (18..1000).step_by(49) {
        let folder = tempfile::tempdir().expect("a folder");
        let place = copy("hybrid", folder.path());
        let anchor = place.join("traces.otf2");
        fs::remove_file(&anchor).expect("removed");
        let file = place.join("traces/0.evt");
        cut(&file, bytes);
        // What a reader would find in the file as it is.
        let found = {
            let chunk_bytes = 1 << 20;
            let source = pompeii_otf2::read::FileChunks::new(&file, chunk_bytes);
            let reader =
                pompeii_otf2::read::EventReader::new(source, &file, chunk_bytes, LocationRef(0));
            reader.filter(Result::is_ok).count()
        };
        recover(&anchor).expect("recovered").expect("something to do");
        let kept = events(&anchor, 0);
        assert_eq!(kept, all[..kept.len()], "{bytes}");
        assert_eq!(kept.len(), found, "{bytes}");
        assert_eq!(recover(&anchor).expect("read"), None, "{bytes}");
    }
}

#[test]
fn with_nothing_but_events() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = copy("hybrid", folder.path());
    let anchor = place.join("traces.otf2");
    let before = events(&anchor, 4_294_967_297);
    fs::remove_file(&anchor).expect("removed");
    cut(&place.join("traces.def"), 40);
    cut(&place.join("traces/1.def"), 30);
    let recovered = recover(&anchor).expect("recovered").expect("something to do");
    expect![[r#"
        Recovered {
            locations: 4,
            events: 188,
            definitions_kept: 0,
            made_up: [
                "the clock (its resolution is not known: ticks are taken for nanoseconds)",
                "a machine",
                "a process",
                "location 0",
                "location 1",
                "location 4294967296",
                "location 4294967297",
                "19 regions, by their numbers",
            ],
            problems: [
                "the anchor is missing or cannot be read",
                "traces.def: the file ends at byte 18, in chunk 0, without its end mark; what stands before was read",
                "traces/1.def: the file ends at byte 18, in chunk 0, without its end mark; what stands before was read",
            ],
        }"#]].assert_eq(&text(&recovered, &place));
    assert_eq!(events(&anchor, 4_294_967_297), before);
    let archive = Archive::open(&anchor).expect("a good archive");
    let region = archive.name("Region", 0).expect("made up");
    assert_eq!(region, "region 0");
    assert!(place.join("traces.def.damaged").exists());
    assert!(archive.merged().expect("all locations").all(|event| event.is_ok()));
}

#[test]
fn where_there_is_no_archive() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = recover(&folder.path().join("traces.otf2")).expect_err("nothing there");
    assert!(error.to_string().ends_with("traces: No such file or directory (os error 2)"));
}

/// An archive from somebody else, with links in the place of files that are written.
#[test]
fn nothing_is_written_through_links() {
    for name in ["traces.def", "traces.otf2", "traces/0.evt", "traces/0.def"] {
        let folder = tempfile::tempdir().expect("a folder");
        let place = copy("hybrid", folder.path());
        let precious = folder.path().join("precious");
        fs::write(&precious, "precious").expect("written");
        fs::remove_file(place.join("traces.otf2")).expect("removed");
        let _ = fs::remove_file(place.join(name));
        std::os::unix::fs::symlink(&precious, place.join(name)).expect("a link");
        let error = recover(&place.join("traces.otf2")).expect_err("a link").to_string();
        assert!(error.contains(name) && error.contains("symbolic link"), "{name}: {error}");
        assert_eq!(fs::read_to_string(&precious).expect("there"), "precious", "{name}");
        assert!(!place.join(format!("{name}.damaged")).exists());
    }
}
