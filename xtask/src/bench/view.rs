//! What the index of a timeline costs: events per second of processor time while it is built, its
//! size compared with the trace, its memory, and the time of answers for random windows. The traces
//! come from a generator: 64 long locations, and thousands of short ones. The program that is
//! measured is `crates/index/examples/workload`; `BENCH_WORKLOAD` names one that is built already.
//!
//! `cargo xtask bench view` takes traces of 105 million events; `bench view small` takes a tenth of
//! them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::cpu_time;
use crate::shell;

const WINDOWS: &str = "200";
/// Answers that may take 200 ms.
const SLOW_KINDS: [&str; 3] = ["find", "matrix", "histogram"];

/// A trace, and the largest share of its size that its index may have.
struct Trace {
    what: &'static str,
    events: u64,
    processes: u64,
    threads: u64,
    share_max: f64,
}

const TRACES: [Trace; 2] = [
    Trace { what: "64 locations", events: 105_000_000, processes: 4, threads: 16, share_max: 0.12 },
    Trace {
        what: "4096 locations",
        events: 102_400_000,
        processes: 256,
        threads: 16,
        share_max: 0.2,
    },
];

/// Builds the program that is measured, writes the traces and prints the figures.
pub fn run(on: Option<&str>) -> Result<()> {
    let divisor = match on {
        None => 1,
        Some("small") => 10,
        Some(other) => bail!("`bench view` knows `small`, not `{other}`"),
    };
    let program = workload()?;
    let folder = shell::target_folder().join("pompeii-bench-view");
    for trace in TRACES {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        measure(&program, &folder, &trace, divisor)?;
    }
    fs::remove_dir_all(&folder)?;
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("load {}; again: cargo xtask bench view", load.trim());
    Ok(())
}

/// The program: built, or the one that `BENCH_WORKLOAD` names.
fn workload() -> Result<PathBuf> {
    if let Some(program) = std::env::var_os("BENCH_WORKLOAD") {
        return Ok(program.into());
    }
    let arguments = ["build", "--release", "-p", "pompeii-index", "--example", "workload"];
    shell::run(shell::cargo().args(arguments))?;
    Ok(shell::target_folder().join("release/examples/workload"))
}

fn measure(program: &Path, folder: &Path, trace: &Trace, divisor: u64) -> Result<()> {
    let Trace { what, events, processes, threads, share_max } = trace;
    let numbers = [events / divisor, *processes, *threads].map(|number| number.to_string());
    shell::run(Command::new(program).arg("write").arg(folder).args(numbers))?;
    let (anchor, index) = (folder.join("traces.otf2"), folder.join("view.index"));
    let mut build = Command::new(program);
    build.arg("build").arg(&anchor).arg(&index).arg("1");
    let (seconds, text) = cpu_time::output(&mut build)?;
    let numbers = text.split_whitespace().map(str::parse::<f64>);
    let numbers = numbers.collect::<Result<Vec<_>, _>>().with_context(|| text.clone())?;
    let [events, trace_bytes, index_bytes, peak_kb] = numbers[..] else {
        bail!("four numbers, not `{text}`")
    };
    println!("{what}: {events} events, {:.0} MB", trace_bytes / 1e6);
    let speed = events / seconds / 1e6;
    println!("  build     {speed:6.1} million events per second and core, bound 10");
    let share = index_bytes / trace_bytes * 100.0;
    println!("  size      {share:6.1} % of the trace, bound {:.0} %", share_max * 100.0);
    println!("  memory    {:6.0} MB, bound 128 MB", peak_kb / 1e3);
    let mut windows = Command::new(program);
    windows.arg("windows").arg(&anchor).arg(&index).arg(WINDOWS);
    let (_, text) = cpu_time::output(&mut windows)?;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [kind, median, most, longest, size] = words[..] else {
            bail!("five words, not `{line}`")
        };
        let bound = if SLOW_KINDS.contains(&kind) { 200 } else { 50 };
        println!(
            "  {kind:9} {median:>7} ms median, {most} ms 95th percentile, bound {bound} ms; \
             {longest} ms longest; {size} boxes or other entries"
        );
    }
    Ok(())
}
