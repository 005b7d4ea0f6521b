//! What an event costs in processor time, beside the reference library and `otf2-print`: written,
//! read location by location, read merged, printed. Both sides do the same work, in turns; they
//! must have seen the same events; the median of several turns counts. Then our own reading with
//! two threads, in wall time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use super::{cpu_time, median};
use crate::shell;

const TURNS: usize = 5;
const EVENTS: u64 = 20_000_000;
/// `otf2-print` needs a minute for all of them.
const PRINTED_EVENTS: u64 = 1_000_000;
const LOCATIONS: u64 = 16;
const REFERENCE: &str = include_str!("otf2/reference.c");

/// A row of the table, and the share of the reference's time that we may need.
struct Work {
    what: &'static str,
    share_max: f64,
    ours: Vec<String>,
    theirs: Vec<String>,
    events: u64,
}

/// Builds both sides, writes the archives and prints the table.
pub fn run() -> Result<()> {
    let folder = folder()?;
    let ours = build_workload()?;
    let pompeii = shell::build_pompeii()?.display().to_string();
    let reference = build_reference(&folder)?;
    for (locations, events) in [(1, EVENTS), (LOCATIONS, EVENTS), (4, PRINTED_EVENTS)] {
        let place = folder.join(format!("{events}x{locations}")).display().to_string();
        output(&words([&ours, "write", &place, &events.to_string(), &locations.to_string()]))?;
    }
    let big = folder.join("big").display().to_string();
    output(&words([&ours, "write", &big, &EVENTS.to_string(), "1", "big"]))?;
    println!(
        "{:30} {:>10} {:>10} {:>8} {:>8}",
        "ns per event", "ours", "reference", "share", "bound"
    );
    for work in works(&folder, &ours, &pompeii, reference.as_deref()) {
        println!("{}", row(&work)?);
    }
    two_threads(&folder, &ours)?;
    fs::remove_dir_all(&folder)?;
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("median of {TURNS} turns; load {}; again: cargo xtask bench otf2", load.trim());
    Ok(())
}

/// In memory where there is such a place, so that no disk counts.
fn folder() -> Result<PathBuf> {
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() { memory.to_owned() } else { shell::target_folder() };
    let folder = parent.join("pompeii-bench-otf2");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder)
}

fn build_workload() -> Result<String> {
    let arguments = ["build", "--release", "-p", "pompeii-otf2", "--example", "workload"];
    shell::run(shell::cargo().args(arguments))?;
    Ok(shell::target_folder().join("release/examples/workload").display().to_string())
}

/// The program of the reference library; `None` without it.
fn build_reference(folder: &Path) -> Result<Option<String>> {
    if !shell::works("otf2-config", &["--version"]) {
        let packages = "apt-get install libotf2-trace-dev otf2-tools";
        println!(
            "NOT RUN: the reference library is missing; `cargo xtask setup` or, on Debian, \
             `{packages}` brings it"
        );
        return Ok(None);
    }
    let (source, program) = (folder.join("reference.c"), folder.join("reference"));
    fs::write(&source, REFERENCE)?;
    let mut gcc = Command::new("gcc");
    shell::run(gcc.arg("-O2").arg("-o").arg(&program).arg(&source).arg("-lotf2"))?;
    Ok(Some(program.display().to_string()))
}

fn works(folder: &Path, ours: &str, pompeii: &str, reference: Option<&str>) -> Vec<Work> {
    let anchor = |events: u64, locations: u64| {
        folder.join(format!("{events}x{locations}/traces.otf2")).display().to_string()
    };
    let same = |what, share_max, arguments: [&str; 2], theirs: &str| {
        let [mode, anchor] = arguments;
        let theirs = reference.map(|program| words([program, theirs, anchor]));
        let theirs = theirs.unwrap_or_default();
        Work { what, share_max, ours: words([ours, mode, anchor]), theirs, events: EVENTS }
    };
    let (one, many) = (anchor(EVENTS, 1), anchor(EVENTS, LOCATIONS));
    let big = folder.join("big/traces.otf2").display().to_string();
    let write = |program: &str, name: &str| {
        let place = folder.join(name).display().to_string();
        words([program, "write", &place, &EVENTS.to_string(), "1"])
    };
    let printed = anchor(PRINTED_EVENTS, 4);
    vec![
        Work {
            what: "write, 1 location",
            share_max: 0.5,
            ours: write(ours, "written"),
            theirs: reference
                .map(|program| write(program, "reference-written"))
                .unwrap_or_default(),
            events: EVENTS,
        },
        same("read local, 1 location", 0.2, ["local", &one], "local"),
        same("read local, 16 locations", 0.2, ["local", &many], "local"),
        same("read local, big-endian", 0.3, ["local", &big], "local"),
        same("read merged, 1 location", 0.5, ["merged", &one], "merged"),
        same("read merged, 16 locations", 0.25, ["merged", &many], "merged"),
        Work {
            what: "dump, beside otf2-print",
            share_max: 0.1,
            ours: words([pompeii, "dump", &printed]),
            theirs: reference.map(|_| words(["otf2-print", &printed])).unwrap_or_default(),
            events: PRINTED_EVENTS,
        },
    ]
}

fn row(work: &Work) -> Result<String> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        ours.push(seconds(&work.ours)?);
        if !work.theirs.is_empty() {
            theirs.push(seconds(&work.theirs)?);
        }
    }
    let nanoseconds = |seconds: f64| 1e9 * seconds / work.events as f64;
    let (what, bound, ours) = (work.what, work.share_max, median(ours));
    if theirs.is_empty() {
        return Ok(format!(
            "{what:30} {:10.1} {:>10} {:>8} {bound:8.2}",
            nanoseconds(ours),
            "-",
            "-"
        ));
    }
    let (mine, other) = (output(&work.ours)?, output(&work.theirs)?);
    ensure!(mine == other, "{what}: ours is not what the reference has");
    let theirs = median(theirs);
    let share = ours / theirs;
    let verdict = if share <= bound { "" } else { "  MISSED" };
    let (ours, theirs) = (nanoseconds(ours), nanoseconds(theirs));
    Ok(format!("{what:30} {ours:10.1} {theirs:10.1} {share:8.2} {bound:8.2}{verdict}"))
}

/// Wall time of reading by one and by two threads.
#[allow(clippy::disallowed_methods, reason = "a benchmark measures wall time")]
fn two_threads(folder: &Path, ours: &str) -> Result<()> {
    for locations in [1, LOCATIONS] {
        let anchor = folder.join(format!("{EVENTS}x{locations}/traces.otf2")).display().to_string();
        let wall = |threads: &str| -> Result<f64> {
            let begin = Instant::now();
            output(&words([ours, "local", &anchor, threads]))?;
            Ok(begin.elapsed().as_secs_f64())
        };
        let (mut one, mut two) = (Vec::new(), Vec::new());
        for _ in 0..TURNS {
            one.push(wall("1")?);
            two.push(wall("2")?);
        }
        let (one, two) = (median(one), median(two));
        let (milliseconds, share) = (1e3 * two, two / one);
        println!(
            "2 threads, {locations:2} locations: {milliseconds:.0} ms wall time, {share:.2} of that \
             of one thread (bound 0.60)"
        );
    }
    Ok(())
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

/// Processor time of a command; a folder that it wrote before is removed first.
fn seconds(command: &[String]) -> Result<f64> {
    remove_written(command)?;
    let [program, arguments @ ..] = command else { bail!("no command") };
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    cpu_time::seconds(program, &arguments)
}

/// What a command prints.
fn output(command: &[String]) -> Result<Vec<u8>> {
    remove_written(command)?;
    let [program, arguments @ ..] = command else { bail!("no command") };
    let output = Command::new(program).args(arguments).output().with_context(|| program.clone())?;
    if !output.status.success() {
        bail!("{} failed: {}", command.join(" "), String::from_utf8_lossy(&output.stderr));
    }
    Ok(output.stdout)
}

fn remove_written(command: &[String]) -> Result<()> {
    match command {
        [_, mode, folder, _, _] if mode == "write" && Path::new(folder).exists() => {
            Ok(fs::remove_dir_all(folder)?)
        }
        _ => Ok(()),
    }
}
