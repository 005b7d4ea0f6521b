//! Live state with one damage at each place in turn: an experiment is made, or there is an error,
//! and nothing takes long. The fuzz target `live` tries several damages at a time.

use std::ffi::OsStr;
use std::fs;
use std::mem::offset_of;
use std::path::Path;
use std::process::Command;

use crate::common::damage::{Damage, Experiment, Stored, check as check_input, experiments};
use nix::sys::resource::{Resource, setrlimit};
use pompeii_live::{
    LOCATION_PAGE_BYTES, LocationHeader, Node, ProcessHeader, THREAD_RECORD_OFFSET,
};

/// Which of the experiments the child damages.
const NUMBER: &str = "POMPEII_TEST_DAMAGED";

/// The damaged files of each experiment, by the ends of their names: those of the second and third
/// one that differ from those of the first one.
const DAMAGED: [&[&str]; 3] = [
    &["process", "definitions", "teams", "loc", "tsk", "vis", "met", "smp"],
    &["definitions", "evt", "buf"],
    &["4000001/live/process", "4000001/live/definitions", "4000001/live/0.loc"],
];

/// Not a test: what the others start. Its limits are what a loop over a damaged count exceeds.
#[test]
fn damage_within_limits() {
    if let Some(number) = std::env::var_os(NUMBER) {
        setrlimit(Resource::RLIMIT_AS, 1 << 30, 1 << 30).unwrap();
        setrlimit(Resource::RLIMIT_CPU, 120, 120).unwrap();
        let number: usize = number.to_str().unwrap().parse().unwrap();
        let experiment = &experiments()[number];
        assert!(experiment.check(&[], false) && experiment.check(&[], true));
        let damages = damages(experiment, DAMAGED[number]);
        let made = damages.iter().filter(|&&damage| make(experiment, damage)).count();
        println!("{made} experiments of {} damaged ones", damages.len());
        assert!(made > 100, "{made}");
    }
}

fn make(experiment: &Experiment, (file, damage): (usize, Damage)) -> bool {
    println!("{} {damage:?}", experiment.files[file].path.display());
    experiment.check(&[(file, damage)], false)
}

fn damages(experiment: &Experiment, ends: &[&str]) -> Vec<(usize, Damage)> {
    let is_damaged = |file: &Stored| {
        let path = file.path.to_str().unwrap();
        ends.iter().any(|end| path.ends_with(end))
    };
    let mut all = Vec::new();
    for (index, file) in experiment.files.iter().enumerate().filter(|(_, file)| is_damaged(file)) {
        let of_file = damages_of(file).into_iter().map(|damage| (index, damage));
        all.extend(of_file);
    }
    all
}

/// Each number as large as it can be, each byte of the definitions as 0 or 255, and the file cut.
fn damages_of(file: &Stored) -> Vec<Damage> {
    let is_log = file.path.ends_with("definitions");
    let is_header = file.path.ends_with("process");
    let mut all = vec![Damage::Removed];
    for at in 0..file.bytes.len() {
        // Most of a page is empty, and the name of the program may be any.
        let near = &file.bytes[at..(at + 64).min(file.bytes.len())];
        let is_unused = at > 256 && near.iter().all(|&byte| byte == 0);
        if is_unused || is_header && at > offset_of!(ProcessHeader, program) + 8 {
            continue;
        }
        if at % 16 == 0 {
            all.push(Damage::Cut { at });
        }
        match (is_log, at % 8) {
            (true, _) => all.push(Damage::Byte { at, value: if at % 2 == 0 { 0xff } else { 0 } }),
            (false, 0) => {
                all.push(Damage::Long { at, value: u64::MAX });
                all.push(Damage::Word { at, value: u32::MAX });
            }
            (false, 4) => all.push(Damage::Word { at, value: u32::MAX }),
            _ => {}
        }
    }
    all
}

/// Numbers that are added up, as large as they can be at all places.
fn large_numbers(experiment: &Experiment, value: u64) -> Vec<(usize, Damage)> {
    let mut all = Vec::new();
    for (index, file) in experiment.files.iter().enumerate() {
        let places: Vec<usize> = match file.path.extension().and_then(OsStr::to_str) {
            Some("loc") => {
                let nodes = (LOCATION_PAGE_BYTES..file.length as usize).step_by(size_of::<Node>());
                let fields = (offset_of!(Node, visits)..size_of::<Node>()).step_by(8);
                let times = (THREAD_RECORD_OFFSET..LOCATION_PAGE_BYTES).step_by(8);
                let of_nodes = nodes.flat_map(|node| fields.clone().map(move |field| node + field));
                let sums = [
                    offset_of!(LocationHeader, summed_visits),
                    offset_of!(LocationHeader, excluded_visits),
                ];
                sums.into_iter().chain(times).chain(of_nodes).collect()
            }
            Some("tsk" | "vis" | "met" | "smp") => (0..file.length as usize).step_by(8).collect(),
            None if file.path.ends_with("process") => vec![
                offset_of!(ProcessHeader, lost_events),
                offset_of!(ProcessHeader, lost_locations),
                offset_of!(ProcessHeader, cpu_ns),
                offset_of!(ProcessHeader, peak_bytes),
                offset_of!(ProcessHeader, page_faults),
                offset_of!(ProcessHeader, disk_faults),
            ],
            _ => Vec::new(),
        };
        all.extend(places.into_iter().map(|at| (index, Damage::Long { at, value })));
    }
    all
}

#[test]
fn large_numbers_everywhere_make_an_experiment() {
    for experiment in experiments() {
        for value in [u64::MAX, u64::MAX / 2, 1 << 60] {
            assert!(experiment.check(&large_numbers(experiment, value), false));
        }
    }
}

/// What the fuzzer has found interesting.
#[test]
fn kept_inputs_are_errors_or_results() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/live");
    let inputs = fs::read_dir(corpus).unwrap().map(|input| input.unwrap().path());
    let made = inputs.filter(|input| check_input(&fs::read(input).unwrap())).count();
    assert!(made > 20, "{made}");
}

/// In a process of its own, because of the limits.
fn check(number: usize) {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "damaged_live::damage_within_limits", "--nocapture"])
        .env(NUMBER, number.to_string())
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&child.stdout);
    let last: Vec<&str> = output.lines().rev().take(5).collect();
    assert!(child.status.success(), "{last:?}\n{}", String::from_utf8_lossy(&child.stderr));
}

#[test]
fn any_damage_to_a_profile_is_an_error_or_a_result() {
    check(0);
}

#[test]
fn any_damage_to_a_trace_is_an_error_or_a_result() {
    check(1);
}

#[test]
fn any_damage_to_a_job_is_an_error_or_a_result() {
    check(2);
}
