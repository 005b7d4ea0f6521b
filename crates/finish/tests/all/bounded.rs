//! Live state with damaged counts: the work is bounded by what the folder holds. Each case is
//! finished by a process with limits on memory and CPU time, which a loop over 2^32 exceeds.

use std::fs::{self, File};
use std::mem::offset_of;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

use crate::common::{Process, Thread, node, region};
use nix::sys::resource::{Resource, setrlimit};
use pompeii_finish::{RunInfo, finish};
use pompeii_live::{Definition, Key, MpiDefinition, ProcessHeader, RegionKind};

/// Where the child finds the experiment that it finishes.
const FOLDER: &str = "POMPEII_TEST_BOUNDED";

/// Not a test: what the others start.
#[test]
fn finish_within_limits() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        setrlimit(Resource::RLIMIT_AS, 1 << 30, 1 << 30).unwrap();
        setrlimit(Resource::RLIMIT_CPU, 30, 30).unwrap();
        finish(Path::new(&folder), &RunInfo::default()).unwrap().unwrap();
    }
}

/// Finishes what the process has left within the limits, after a change to its files.
pub fn check(process: &Process, damage: impl FnOnce(&Path)) {
    let folder = tempfile::tempdir().unwrap();
    process.write(&folder.path().join("live"));
    damage(&folder.path().join("live"));
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "bounded::finish_within_limits", "--nocapture"])
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
    assert!(folder.path().join("profile.cubex").exists());
}

fn process() -> Process {
    let mut process = Process::of_job(0, 1);
    process.define(region(2, RegionKind::Function, "work"));
    let nodes = vec![node(Key::Region(2), 1, 1, 500)];
    process.threads = vec![Thread { root_ticks: 500, nodes, ..Thread::default() }];
    process
}

#[test]
fn a_count_of_locations_that_is_too_large_is_no_work() {
    check(&process(), |live| {
        let header = File::options().write(true).open(live.join("process")).unwrap();
        let at = offset_of!(ProcessHeader, locations) as u64;
        header.write_all_at(&u32::MAX.to_le_bytes(), at).unwrap();
        let at = offset_of!(ProcessHeader, teams) as u64;
        header.write_all_at(&u32::MAX.to_le_bytes(), at).unwrap();
    });
}

#[test]
fn a_count_of_processes_that_is_too_large_is_no_memory() {
    for size in [u32::MAX, 1 << 22, 100_000] {
        let mut process = process();
        for definition in &mut process.definitions {
            if let Definition::Mpi(MpiDefinition::World { size: of, .. }) = definition {
                *of = size;
            }
        }
        check(&process, |_| {});
    }
}

/// A location's file that is of another one: its values would be counted twice.
#[test]
fn a_location_in_the_place_of_another_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let live = folder.path().join("live");
    process().write(&live);
    fs::copy(live.join("0.loc"), live.join("1.loc")).unwrap();
    let header = File::options().write(true).open(live.join("process")).unwrap();
    let at = offset_of!(ProcessHeader, locations) as u64;
    header.write_all_at(&2_u32.to_le_bytes(), at).unwrap();
    let error = finish(folder.path(), &RunInfo::default()).unwrap_err().to_string();
    assert!(error.contains("1.loc: it is of location 0, expected location 1"), "{error}");
}
