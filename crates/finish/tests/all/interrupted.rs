//! Whoever finishes the experiment of a job is killed, again and again, at later and later points:
//! in the end it is the same experiment as that of one who was left alone.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{Process, Thread, node, region};
use pompeii_cubex as cubex;
use pompeii_finish::{RunInfo, finish, is_unfinished};
use pompeii_live::{Key, RegionKind};
use pompeii_otf2::event::{Enter, Event, Leave};
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::RegionRef;

const RANKS: u32 = 8;
/// Where the child that is to be killed finds the experiment.
const FOLDER: &str = "POMPEII_TEST_FOLDER";

/// A rank whose two functions are the other way round in odd ranks.
fn rank(rank: u32) -> Process {
    let mut process = Process::of_job(rank, RANKS);
    let names = if rank.is_multiple_of(2) { ["even", "odd"] } else { ["odd", "even"] };
    for (id, name) in (2..).zip(names) {
        process.define(region(id, RegionKind::Function, name));
    }
    let visit = |(time, id): (u64, u32)| {
        let region = RegionRef(id);
        [(time, Event::Enter(Enter { region })), (time + 1, Event::Leave(Leave { region }))]
    };
    let events = (1000..1900).step_by(2).zip([2, 3].into_iter().cycle()).flat_map(visit).collect();
    let nodes = vec![node(Key::Region(2), 1, 225, 225), node(Key::Region(3), 1, 225, 225)];
    process.threads = vec![Thread { root_ticks: 550, nodes, events, ..Thread::default() }];
    process
}

fn experiment() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..RANKS {
        let own = match number {
            0 => folder.path().join("live"),
            _ => folder.path().join(format!("procs/node1-{number}-ocean/live")),
        };
        rank(number).write(&own);
    }
    folder
}

fn finish_it(folder: &Path) {
    let command = vec!["mpirun".to_owned()];
    let info = RunInfo { command, exit_code: Some(0), ..RunInfo::default() };
    finish(folder, &info).unwrap();
}

/// Not a test: what the test starts and kills.
#[test]
fn finish_in_a_child() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        println!("begun");
        finish_it(Path::new(&folder));
    }
}

/// Finishes in a process that is killed so long after its begin; whether that came to its end.
fn finish_and_kill(folder: &Path, after: Duration) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "interrupted::finish_in_a_child", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut output, mut said) = (child.stdout.take().unwrap(), Vec::new());
    while !said.ends_with(b"begun\n") {
        let mut byte = [0];
        output.read_exact(&mut byte).unwrap();
        said.push(byte[0]);
    }
    std::thread::sleep(after);
    let _ = child.kill();
    child.wait().unwrap().success()
}

/// All that an experiment says, and the names of its files.
fn contents(folder: &Path) -> (Vec<PathBuf>, BTreeMap<String, Vec<i64>>, Vec<String>) {
    let reader = cubex::Reader::open(folder.join("profile.cubex")).unwrap();
    let report = reader.report();
    let mut rows = BTreeMap::new();
    for (id, metric) in report.metrics.iter() {
        let values = reader.values(id).unwrap().matrix::<f64>().unwrap();
        for path in values.call_paths() {
            let name = &report.regions[report.call_paths[path].region].name;
            let row = values.row(path).unwrap().iter().map(|value| (value * 1e9) as i64).collect();
            rows.insert(format!("{} {name}", metric.unique_name), row);
        }
    }
    let archive = Archive::open(&folder.join("traces.otf2")).unwrap();
    let (mut merged, mut events) = (archive.merged().unwrap(), Vec::new());
    while let Some(record) = merged.read_next() {
        let record = record.unwrap();
        events.push(format!("{} {} {:?}", record.time, record.location.0, record.event));
    }
    (files(folder, folder), rows, events)
}

fn files(root: &Path, folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match entry.is_dir() {
            true => found.extend(files(root, &entry)),
            false => found.push(entry.strip_prefix(root).unwrap().to_owned()),
        }
    }
    found.sort();
    found
}

#[test]
fn a_job_is_finished_by_whoever_is_not_killed() {
    let left_alone = experiment();
    finish_it(left_alone.path());
    let (mut killed, mut deaths) = (experiment(), 0);
    for attempt in 0..4000 {
        // From the first steps to the last, however fast the machine is.
        let ended = finish_and_kill(killed.path(), Duration::from_micros(20 * attempt));
        match (ended, deaths) {
            // Whoever kills has come too late, and tries with another one.
            (true, 0) => killed = experiment(),
            (true, _) => break,
            (false, _) => deaths += 1,
        }
    }
    finish_it(killed.path());
    assert!(deaths > 0 && !is_unfinished(killed.path()), "{deaths}");
    let (expected, found) = (contents(left_alone.path()), contents(killed.path()));
    assert_eq!(found.0, expected.0);
    assert_eq!(found.1, expected.1);
    // With the end of each program.
    assert_eq!(expected.2.len(), 8 * 901);
    assert!(found.2 == expected.2, "{deaths} deaths changed events");
}

/// Definitions that an attempt has only begun with are written again.
#[test]
fn what_was_only_begun_does_not_stay() {
    let folder = experiment();
    let traces = folder.path().join("traces");
    fs::create_dir(&traces).unwrap();
    for number in 0..RANKS {
        fs::write(traces.join(format!("{number}.def")), "").unwrap();
    }
    finish_it(folder.path());
    let left_alone = experiment();
    finish_it(left_alone.path());
    assert!(contents(folder.path()) == contents(left_alone.path()));
}
