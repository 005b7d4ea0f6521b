//! Copies of traces in which tasks are split. Which events are written is tested next to the code
//! (`split/tests.rs`), and a trace of a program in `cli/tests/all/split.rs`.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use pompeii_export::split;
use pompeii_otf2::definition::Definition;
use pompeii_otf2::read::Archive;

/// Text, since NaN is not equal to itself.
fn events(archive: &Archive) -> Vec<String> {
    archive.merged().unwrap().map(|event| format!("{:?}", event.unwrap())).collect()
}

/// The sample has one task on each of two processes, and neither is suspended. Both have the same
/// region, because both are the first one that thread 0 created at the same construct.
#[test]
fn a_copy_differs_in_the_regions_of_instances_alone() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../otf2/tests/samples");
    let archive = Archive::open(&samples.join("hybrid/traces.otf2")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let done = AtomicU64::new(0);
    let split = split::write(&archive, folder.path(), &done).unwrap();
    assert_eq!((split.read.errors, split.named, split.unnamed, split.unbalanced), (0, 1, 0, 0));
    assert_eq!(split.anchor, folder.path().join("traces.otf2"));

    let copy = Archive::open(&split.anchor).unwrap();
    assert_ne!(copy.anchor().trace_id, archive.anchor().trace_id);
    let (same, added) = copy.definitions().split_at(archive.definitions().len());
    assert_eq!(same, archive.definitions());
    let [Definition::String(name), Definition::Region(instance)] = added else {
        panic!("{added:?}");
    };
    assert_eq!(name.string, "task_0_1");
    assert_eq!(instance.name, name.id);
    let is_construct = |definition: &&Definition| match definition {
        Definition::Region(region) => {
            archive.string(region.name).is_some_and(|name| name.starts_with("!$omp task "))
        }
        _ => false,
    };
    let Some(Definition::Region(construct)) = same.iter().find(is_construct) else {
        panic!("the sample has no task construct");
    };
    assert_eq!(instance.begin_line_number, construct.begin_line_number);

    let region = |id| format!("{id:?}");
    let original = events(&archive);
    let copied = events(&copy);
    let changed = original.iter().zip(&copied).filter(|(original, copied)| original != copied);
    assert_eq!(changed.count(), 4);
    let undone = copied.iter().map(|it| it.replace(&region(instance.id), &region(construct.id)));
    assert_eq!(undone.collect::<Vec<_>>(), original);
    assert!(done.load(Ordering::Relaxed) <= original.len() as u64);
}
