//! What serial parts lie between, as a profile of a run has it.

use pompeii_finish::{RunInfo, finish};
use pompeii_live::{Calibration, NotedEnd};

use super::{Run, Setting};

/// Serial parts of a script: what precedes and follows each, how often, and the ticks.
fn parts(script: &str) -> Vec<String> {
    let run = Run::new(script, Setting::default());
    let end = Calibration { ticks: 1_000_000, monotonic_ns: 1_000_000, realtime_ns: 1_000_000 };
    run.process.end(NotedEnd::Exit(0), end);
    finish(run.folder.path(), &RunInfo::default()).unwrap().unwrap();
    let profile = run.folder.path().join("profile.cubex");
    let cube = pompeii_analysis::load(&pompeii_cubex::Reader::open(profile).unwrap()).unwrap();
    let name = |call| cube.regions[cube.calls.region(call)].construct();
    let serial = cube.waits.iter().filter(|wait| wait.is_serial());
    let parts = serial.map(|wait| {
        let (after, _) = wait.by.unwrap();
        let from = if cube.calls.parent(after).is_none() { "start" } else { name(after) };
        format!("{from} - {} x{} {}", name(wait.call), wait.visits, wait.wait_ticks)
    });
    parts.collect()
}

/// A parallel region of a team of two, which takes 100 ticks.
fn region(name: &str, team: usize, at: u64) -> String {
    let end = at + 100;
    format!(
        "{at} T0 fork {name} p{team}
         {at} T0 begin p{team} 0/2
         {at} T1 begin p{team} 1/2
         {end} T0 end p{team}
         {end} T1 end p{team}
         {end} T0 join p{team}\n"
    )
}

#[test]
fn each_part_is_between_two_parallel_regions() {
    let forks = [("solve", 1_000), ("smooth", 1_400), ("solve", 1_600), ("solve", 2_000)];
    let regions = forks.iter().enumerate().map(|(team, &(name, at))| region(name, team, at));
    let found = parts(&regions.collect::<String>());
    assert_eq!(
        found,
        [
            "start - solve x1 1000",
            "solve - solve x1 300",
            "smooth - solve x1 100",
            "solve - smooth x1 300"
        ]
    );
}

/// The list of a region is bounded: what has no entry is not known.
#[test]
fn more_predecessors_than_a_list_has_are_not_told_apart() {
    let mut script = String::new();
    for team in 0..20 {
        script += &region(&format!("r{team}"), 2 * team, 1_000 * (team as u64 + 1));
        script += &region("solve", 2 * team + 1, 1_000 * (team as u64 + 1) + 500);
    }
    let found = parts(&script);
    assert_eq!(found.iter().filter(|part| part.contains("- solve")).count(), 16);
    assert_eq!(found.iter().filter(|part| part.contains("solve - ")).count(), 19);
}
