//! Files that are damaged, cut or foreign: an error, or an index whose answers come to an end.

use std::fs;
use std::path::Path;

use pompeii_index::{Context, Curve, Flaw, Index, IndexWriter, LinkKind, Row, Shape, file};
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::LocationRef;

use crate::pictures::{index_of, shape};
use crate::robust;
use crate::simulation::{Simulation, definitions};

fn good() -> Vec<u8> {
    let visit = [(10, 0, 1), (300, 0, 2), (40, 6, 0), (7000, 6, 0)];
    let steps: Vec<_> = visit.into_iter().cycle().take(200).collect();
    let mut simulation = Simulation::of(&steps);
    simulation.end(simulation.now() + 1);
    let shape = shape(0, simulation.now(), 6, 3);
    index_of(&definitions(), shape, &simulation).into_bytes()
}

/// Asks for all that an index has. What comes is of no matter here.
fn ask(bytes: Vec<u8>) -> Result<(), Flaw> {
    let index = Index::open(bytes)?;
    index.coarse_bytes();
    for (window, columns) in [(0..u64::MAX, 100), (0..400_000, 4000), (50_000..50_001, 1)] {
        for row in [Row::Flat, Row::Stack(0), Row::Stack(1), Row::Stack(9)] {
            index.picture(&[(0, row), (7, row)], window.clone(), columns);
        }
        index.folded(&[0, 7], window.clone(), columns);
        index.links(&LinkKind::ALL, &window, 10);
        index.link_counts(&LinkKind::ALL, &window, 10);
        index.matrix(&window);
        index.curve(0, Curve::Idle, window, columns);
    }
    Ok(())
}

#[test]
fn one_changed_byte() {
    let good = good();
    let mut found = 0;
    for place in 0..good.len() {
        for change in [1, 0x80, 0xff] {
            let mut bytes = good.clone();
            bytes[place] ^= change;
            found += usize::from(ask(bytes).is_err());
        }
    }
    // Damage in head, directory and foot is found; other sections have no checksum.
    assert!(found > 0 && found < 3 * good.len());
    for place in [0, 8, 16, 24, 32, 40, 56, good.len() - 1, good.len() - 9, good.len() - 40] {
        let mut bytes = good.clone();
        bytes[place] ^= 1;
        assert!(Index::open(bytes).is_err(), "byte {place} of {}", good.len());
    }
}

#[test]
fn cut_files() {
    let good = good();
    for length in 0..good.len() {
        assert!(Index::open(good[..length].to_vec()).is_err(), "{length} of {}", good.len());
    }
}

#[test]
fn any_head_and_foot() {
    let good = good();
    let numbers = [0, 1, 7, 1 << 31, 1 << 61, u64::MAX];
    let words = good.len() / 8;
    for word in (0..8).chain(words - 4..words) {
        for number in numbers {
            let mut bytes = good.clone();
            bytes[8 * word..8 * word + 8].copy_from_slice(&u64::to_le_bytes(number));
            let _ = ask(bytes);
        }
    }
}

#[test]
fn foreign_files() {
    let found = |bytes: &[u8]| Index::open_for(bytes.to_vec(), [1, 2]).map(drop);
    assert_eq!(found(&good()), Ok(()));
    let mut other = good();
    other[8] = 99;
    assert_eq!(found(&other), Err(Flaw::Version { found: 99 }));
    let other = Index::open_for(good(), [1, 3]).map(drop);
    assert_eq!(other, Err(Flaw::OtherTrace));
    assert!(matches!(found(b"\x7fELF and more"), Err(Flaw::Damaged { offset: 0, .. })));
}

#[test]
fn files_are_whole_or_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("view.index");
    let (definitions, shape) = (definitions(), Shape::new(0, 1000, 10));
    let context = Context::new(&definitions, shape);
    let failed = file::write(&path, |_| Err(std::io::Error::other("the disk is full")));
    assert!(failed.is_err());
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing is left");
    file::write(&path, |out| IndexWriter::new(out, [5, 6], &context)?.finish()).expect("written");
    assert_eq!(file::open(&path, [5, 6]).expect("an index").shape(), shape);
    let error = file::open(&path, [5, 7]).map(drop).expect_err("another trace");
    assert!(
        error.to_string().ends_with("index of another trace, or of this one before it was changed")
    );
    fs::write(&path, b"").expect("written");
    let error = file::open(&path, [5, 6]).map(drop).expect_err("an empty file");
    assert!(error.to_string().ends_with("byte 0: expected the head of an index file"), "{error}");
    assert!(file::open(&folder.path().join("none"), [5, 6]).is_err());
}

/// Event files and indexes are compared by the fingerprint of a survey.
#[test]
fn a_changed_trace_has_another_fingerprint() {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../otf2/tests/samples/hybrid");
    let copy = |from: &Path, to: &Path| {
        fs::create_dir_all(to).expect("a folder");
        for entry in fs::read_dir(from).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("a copy");
            }
        }
    };
    copy(&sample, folder.path());
    copy(&sample.join("traces"), &folder.path().join("traces"));
    let survey = || {
        let archive = Archive::open(&folder.path().join("traces.otf2")).expect("a good archive");
        let ids: Vec<u64> = archive.locations().map(|location| location.id.0).collect();
        (archive.event_path(LocationRef(ids[0])), file::survey(&archive, &ids).expect("headers"))
    };
    let (path, before) = survey();
    assert_eq!(survey().1, before);
    let mut events = fs::read(&path).expect("an event file");
    events.push(0);
    fs::write(&path, events).expect("written");
    assert_ne!(survey().1.fingerprint, before.fingerprint);
    fs::remove_file(&path).expect("removed");
    let archive = Archive::open(&folder.path().join("traces.otf2")).expect("a good archive");
    let location = archive.locations().next().expect("a location").id.0;
    assert!(file::survey(&archive, &[location]).is_err());
}

/// The corpus of the fuzz target, which `POMPEII_KEEP=1` writes.
#[test]
fn kept_inputs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/index");
    let kept = folder.join("small");
    let steps = [(10, 0, 1), (300, 0, 2), (40, 6, 0), (9, 13, 3), (1, 0, 4), (7, 14, 0), (7, 6, 0)];
    let steps: Vec<_> = steps.into_iter().cycle().take(60).collect();
    let mut simulation = Simulation::of(&steps);
    simulation.end(simulation.now() + 1);
    let shape = shape(0, simulation.now(), 6, 3);
    let small = index_of(&definitions(), shape, &simulation).into_bytes();
    if std::env::var_os("POMPEII_KEEP").is_some() {
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(&kept, &small).expect("written");
    }
    assert_eq!(fs::read(&kept).expect("a kept input"), small, "POMPEII_KEEP=1 writes it");
    assert!(robust::check(&small));
    let changed = (0..small.len()).filter(|place| {
        let mut bytes = small.clone();
        bytes[*place] ^= 0x55;
        robust::check(&bytes)
    });
    assert!(changed.count() > small.len() / 2, "most damage is not found when it is opened");
}
