//! The index: opened, built, built elsewhere, or not at all, and a trace that changes.

use std::fs::{self, File};
use std::os::unix::fs::symlink;

use pompeii_serve::{IndexPlace, Session, Unreadable, Viewed};

use crate::common::{Running, index_file, reported, sample, traced};

#[test]
fn an_index_is_built_once() {
    let folder = sample("hybrid");
    let first = Running::ready(traced(folder.path()));
    let opening = first.answer("open");
    assert_eq!(opening["progress"]["ready"], true);
    assert_eq!(opening["progress"]["events"], opening["progress"]["of"]);
    drop(first);
    let written = fs::metadata(index_file(folder.path())).unwrap().modified().unwrap();
    drop(Running::ready(traced(folder.path())));
    assert_eq!(fs::metadata(index_file(folder.path())).unwrap().modified().unwrap(), written);
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().flatten().collect();
    assert!(!left.iter().any(|it| it.file_name().to_string_lossy().ends_with(".part")));
}

#[test]
fn files_that_are_no_index_of_the_trace_are_replaced() {
    let folder = sample("hybrid");
    let file = index_file(folder.path());
    drop(Running::ready(traced(folder.path())));
    let right = fs::read(&file).unwrap();
    let other = sample("minimal");
    drop(Running::ready(traced(other.path())));
    let foreign = fs::read(index_file(other.path())).unwrap();
    let mut damaged = right.clone();
    damaged.truncate(right.len() / 2);
    let mut changed = right.clone();
    let last = changed.len() - 20;
    changed[last] ^= 1;
    for wrong in [Vec::new(), b"no index".to_vec(), damaged, changed, foreign] {
        fs::write(&file, &wrong).unwrap();
        let server = Running::ready(traced(folder.path()));
        assert!(server.answer("sums?t0=0&t1=9007199254740991")["rows"].is_array());
        assert_eq!(fs::read(&file).unwrap().len(), right.len());
    }
}

#[test]
fn a_folder_that_cannot_be_written_leads_to_the_cache() {
    let folder = sample("hybrid");
    let cache = folder.path().join("caches/pompeii/view");
    // Tests may run as root, whom no mode stops: the place is below a file.
    let blocked = folder.path().join("traces.otf2/view.index");
    let index_places = vec![IndexPlace::File(blocked), IndexPlace::Cache(cache.clone())];
    let viewed = || Viewed { index_places: index_places.clone(), ..traced(folder.path()) };
    drop(Running::ready(viewed()));
    let files: Vec<_> = fs::read_dir(&cache).unwrap().flatten().collect();
    assert_eq!(files.len(), 1);
    let written = files[0].metadata().unwrap().modified().unwrap();
    drop(Running::ready(viewed()));
    assert_eq!(files[0].metadata().unwrap().modified().unwrap(), written);
}

#[test]
fn without_a_place_the_page_says_why() {
    let folder = sample("hybrid");
    let blocked = folder.path().join("traces.otf2/view.index");
    // Every write to this one fails as on a full disk.
    let full = folder.path().join("full");
    fs::create_dir(&full).unwrap();
    let index_places = vec![IndexPlace::File(blocked), IndexPlace::Cache("/dev/full/a".into())];
    let server = Running::new(Viewed { index_places, ..traced(folder.path()) });
    server.wait();
    let progress = server.answer("progress");
    let error = progress["error"].as_str().unwrap();
    assert!(error.contains("the index of the trace cannot be written"), "{error}");
    assert!(error.contains("/dev/full/a") && error.contains("view.index"), "{error}");
    assert_eq!(progress["ready"], false);
    let (status, sentence) = server.refusal("picture?rows=f0&t0=0&t1=9");
    assert_eq!((status, sentence.as_str()), (404, error));
    assert!(!server.answer("open")["locations"].as_array().unwrap().is_empty());
}

#[test]
fn a_link_in_the_way_leads_to_no_other_file() {
    let folder = sample("hybrid");
    let victim = folder.path().join("victim");
    fs::write(&victim, "mine").unwrap();
    let part = folder.path().join(format!("view.index.{}.part", std::process::id()));
    symlink(&victim, &part).unwrap();
    symlink(&victim, index_file(folder.path())).unwrap();
    drop(Running::ready(traced(folder.path())));
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    assert!(fs::symlink_metadata(index_file(folder.path())).unwrap().is_file());
}

#[test]
fn a_trace_that_changes_is_not_decoded() {
    let folder = sample("hybrid");
    let server = Running::ready(traced(folder.path()));
    let question = "sums?t0=1&t1=5000";
    server.answer(question);
    let events = folder.path().join("traces/0.evt");
    let bytes = fs::read(&events).unwrap();
    // It becomes shorter, longer, and is removed.
    for change in 0..3 {
        match change {
            0 => File::options().write(true).open(&events).unwrap().set_len(100).unwrap(),
            1 => fs::write(&events, [&bytes[..], &bytes[..]].concat()).unwrap(),
            _ => fs::remove_file(&events).unwrap(),
        }
        let (status, sentence) = server.refusal(question);
        assert_eq!(status, 410);
        assert!(sentence.contains("was changed or removed"), "{sentence}");
        let (status, _) = server.refusal("at?loc=0&t=5");
        assert_eq!(status, 410);
        // What needs no events goes on.
        assert_eq!(server.bytes("picture?rows=f0&t0=0&t1=9007199254740991&px=1").0, 200);
    }
}

#[test]
fn a_trace_without_definitions_is_an_error() {
    let folder = sample("hybrid");
    fs::remove_file(folder.path().join("traces.def")).unwrap();
    let session = Session::open(traced(folder.path()));
    assert!(matches!(session.unreadable(), Some(Unreadable::Empty(_))));
    fs::write(folder.path().join("traces.otf2"), "no anchor").unwrap();
    let server = Running::new(Viewed { report: reported().report, ..traced(folder.path()) });
    let Some(error @ Unreadable::Trace(_)) = server.session.unreadable() else {
        panic!("readable")
    };
    assert_eq!(server.answer("progress")["error"], error.to_string());
    assert_eq!(server.refusal("picture?rows=f0&t0=0&t1=1"), (404, error.to_string()));
    assert_eq!(server.answer("open")["has"]["trace"], false);
    assert_eq!(server.answer("report")["schema"], "pompeii-report-2");
}
