//! What `pompeii analyze` takes, on generated traces (`traces.rs`). `speed`:
//! events per second of CPU time for each shape of a trace, and what a second thread brings.
//! `memory`: whether it follows the length of a trace, and 10,000 locations with few files that
//! may be open.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Result, bail, ensure};

use super::cost::{self, Cost};
use super::median;
use super::traces::Writer;
use crate::shell;

const TURNS: usize = 5;
const MILLION: u64 = 1_000_000;
/// Two threads take at most this share of the wall time of one.
const SHARE_MAX: f64 = 0.75;
/// What 100 million events may take at most, and how much more than 10 million.
const PEAK_BYTES_MAX: u64 = 768 << 20;
const GROWTH_MAX: f64 = 1.1;
/// What 10,000 locations may take at most.
const MANY_BYTES_MAX: u64 = 1 << 30;

/// A trace: its shape, processes, threads of each, events, and the least million events per second
/// of CPU time with the critical path and the causes of waiting.
type Row = (&'static str, u32, u32, u64, f64);

const SPEED: [Row; 6] = [
    ("functions", 1, 8, 30 * MILLION, 5.0),
    ("tasks", 1, 8, 30 * MILLION, 5.0),
    ("barriers", 1, 8, 30 * MILLION, 3.5),
    ("halo", 8, 1, 30 * MILLION, 2.5),
    ("barriers", 8, 16, 10 * MILLION, 3.5 * 0.67),
    ("halo", 128, 1, 10 * MILLION, 2.5 * 0.67),
];

/// Shape, processes, threads of each.
const MEMORY: [(&str, u32, u32); 5] =
    [("functions", 1, 8), ("barriers", 1, 8), ("tasks", 1, 8), ("halo", 8, 1), ("pipeline", 64, 1)];

/// Prints one table or both.
pub fn run(on: Option<&str>) -> Result<()> {
    let bench = Bench::new()?;
    match on {
        Some("speed") => bench.speed()?,
        Some("memory") => bench.memory()?,
        None => {
            bench.speed()?;
            bench.memory()?;
        }
        Some(other) => bail!("no table `{other}`; tables are speed, memory"),
    }
    bench.writer.end()?;
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("median of {TURNS} turns; load {}; again: cargo xtask bench analyze", load.trim());
    Ok(())
}

/// The programs, and the folder for traces.
struct Bench {
    pompeii: PathBuf,
    writer: Writer,
    folder: PathBuf,
}

impl Bench {
    fn new() -> Result<Bench> {
        let pompeii = shell::build_pompeii()?;
        let folder = shell::target_folder().join("bench-analyze");
        let writer = Writer::new(&folder)?;
        Ok(Bench { pompeii, writer, folder })
    }

    /// Analyses a trace. With the limit, few files may be open.
    fn analyze(&self, anchor: &Path, threads: u32, files_max: Option<u32>) -> Result<Cost> {
        let limit = files_max.map(|files| format!("ulimit -n {files}; ")).unwrap_or_default();
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{limit}exec \"$@\""), "sh"]).arg(&self.pompeii);
        command.args(["analyze", "-j", &threads.to_string()]).arg(anchor);
        command.arg("-o").arg(self.folder.join("results")).stdout(Stdio::null());
        let cost = cost::of(&mut command)?;
        ensure!(cost.is_success, "analyze {} failed", anchor.display());
        Ok(cost)
    }

    fn speed(&self) -> Result<()> {
        println!(
            "{:10} {:>9} {:>9} {:>12} {:>7} {:>10} {:>7}",
            "trace", "locations", "M events", "M/s of CPU", "bound", "2 threads", "MB"
        );
        for (shape, processes, threads, events, bound) in SPEED {
            let (anchor, events) = self.writer.write(shape, (processes, threads), events)?;
            let (mut one, mut two) = (Vec::new(), Vec::new());
            for _ in 0..TURNS {
                one.push(self.analyze(&anchor, 1, None)?);
                two.push(self.analyze(&anchor, 2, None)?);
            }
            let rate = events as f64 / 1e6 / median(one.iter().map(|cost| cost.cpu_s).collect());
            let wall_s = |costs: &[Cost]| median(costs.iter().map(|cost| cost.wall_s).collect());
            let share = wall_s(&two) / wall_s(&one);
            let peak = two.iter().map(|cost| cost.peak_bytes).max().unwrap_or(0);
            let missed = if rate < bound || share > SHARE_MAX { "  MISSED" } else { "" };
            let (locations, events) = (processes * threads, events / MILLION);
            let megabytes = peak >> 20;
            println!(
                "{shape:10} {locations:9} {events:9} {rate:12.1} {bound:7.1} {share:10.2} \
                 {megabytes:7}{missed}"
            );
        }
        println!("2 threads: their share of the wall time of one, at most {SHARE_MAX}");
        Ok(())
    }

    fn memory(&self) -> Result<()> {
        println!(
            "{:10} {:>9} {:>12} {:>13} {:>7}",
            "trace", "locations", "MB of 10 M", "MB of 100 M", "growth"
        );
        for (shape, processes, threads) in MEMORY {
            let peak = |events: u64| -> Result<u64> {
                let (anchor, _) = self.writer.write(shape, (processes, threads), events)?;
                Ok(self.analyze(&anchor, 2, None)?.peak_bytes)
            };
            let (short, long) = (peak(10 * MILLION)?, peak(100 * MILLION)?);
            let growth = long as f64 / short as f64;
            let is_missed = growth > GROWTH_MAX || long > PEAK_BYTES_MAX;
            let missed = if is_missed { "  MISSED" } else { "" };
            let (locations, short, long) = (processes * threads, short >> 20, long >> 20);
            println!("{shape:10} {locations:9} {short:12} {long:13} {growth:7.2}{missed}");
        }
        let (anchor, events) = self.writer.write("barriers", (625, 16), 10 * MILLION)?;
        let cost = self.analyze(&anchor, 2, Some(1024))?;
        let missed = if cost.peak_bytes > MANY_BYTES_MAX { "  MISSED" } else { "" };
        let (rate, megabytes) = (events as f64 / 1e6 / cost.cpu_s, cost.peak_bytes >> 20);
        println!(
            "10,000 locations, 1,024 files: {rate:.1} M events/s of CPU, {megabytes} MB{missed}"
        );
        Ok(())
    }
}
