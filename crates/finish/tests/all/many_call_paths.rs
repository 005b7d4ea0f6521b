//! Live state with 50,000 call paths under one parent, and as deep a recursion: the work of the end
//! of a run grows with their number, and not with its square, which the limits would not allow.

use std::fs::File;
use std::mem::offset_of;
use std::os::unix::fs::FileExt;

use crate::bounded;
use crate::common::{Process, Thread, node, region};
use pompeii_live::{Key, LocationHeader, RegionKind, node_offset};

const CALL_PATHS: u32 = 50_000;

/// The first node below the roots.
const FIRST: u32 = 3;

/// Each call path ends in a region of its own; `parent` says below which node each node is. The
/// node that is current at the end is `current`.
fn check(kind: RegionKind, current: u32, parent: impl Fn(u32) -> u32) {
    let mut process = Process::of_job(0, 1);
    let mut nodes = Vec::new();
    for count in 0..CALL_PATHS {
        let id = count + 2;
        process.define(region(id, kind, &format!("region {id}")));
        nodes.push(node(Key::Region(id), parent(FIRST + count), 1, 1));
    }
    process.threads = vec![Thread { root_ticks: 500, nodes, ..Thread::default() }];
    bounded::check(&process, |live| {
        let file = File::options().write(true).open(live.join("0.loc")).unwrap();
        let at = offset_of!(LocationHeader, current) as u64;
        file.write_all_at(&node_offset(current).to_le_bytes(), at).unwrap();
    });
}

#[test]
fn many_under_one_parent() {
    check(RegionKind::User, 1, |_| 1);
}

#[test]
fn many_in_one_another() {
    check(RegionKind::Function, 1, |node| if node == FIRST { 1 } else { node - 1 });
}

/// A task is open at the end, so each node is asked whether it lies in a task's tree.
#[test]
fn many_in_one_another_in_a_task_that_is_open() {
    let deepest = FIRST + CALL_PATHS - 1;
    check(RegionKind::Task, deepest, |node| if node == FIRST { 2 } else { node - 1 });
}

/// The same next to call paths of the program, all but one.
#[test]
fn many_under_one_parent_next_to_a_task_that_is_open() {
    let last = FIRST + CALL_PATHS - 1;
    check(RegionKind::Task, last, |node| if node == last { 2 } else { 1 });
}
