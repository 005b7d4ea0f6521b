//! What `pompeii convert` takes, on generated traces (`traces.rs`): events per second of CPU time
//! for each format and shape of a trace, and whether memory follows the length of a trace.
//!
//! `BENCH_TURNS` is the number of runs of which the median counts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::cost::{self, Cost};
use super::median;
use super::traces::Writer;
use crate::shell;

/// Runs of which the median counts, if `BENCH_TURNS` says nothing else.
const TURNS: usize = 3;
const MILLION: u64 = 1_000_000;
/// What 100 million events may take at most.
const PEAK_BYTES_MAX: u64 = 512 << 20;

/// A format, and the least million events per second of CPU time. OTF2 is the whole trace again,
/// without a cut.
const FORMATS: [(&str, f64); 4] =
    [("perfetto", 5.0), ("parquet", 5.0), ("csv", 0.0), ("otf2", 10.0)];

/// Formats without a goal. Their files are many times as large as the trace, so they are made of
/// short traces only.
const FURTHER: [(&str, f64); 5] =
    [("speedscope", 0.0), ("chrome", 0.0), ("firefox", 0.0), ("paraver", 0.0), ("epilog", 0.0)];

/// Shape, processes, threads of each.
const SHAPES: [(&str, u32, u32); 4] =
    [("functions", 1, 8), ("tasks", 1, 8), ("barriers", 1, 8), ("halo", 8, 1)];

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
    let turns = turns()?;
    println!("median of {turns} turns; load {}; again: cargo xtask bench convert", load.trim());
    Ok(())
}

/// An odd number of runs.
fn turns() -> Result<usize> {
    let turns = std::env::var("BENCH_TURNS").map_or(Ok(TURNS), |turns| turns.parse());
    Ok(turns.context("BENCH_TURNS is a number of turns")? | 1)
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
        let folder = shell::target_folder().join("bench-convert");
        let writer = Writer::new(&folder)?;
        Ok(Bench { pompeii, writer, folder })
    }

    /// Converts a trace with one thread, and removes the result.
    fn convert(&self, anchor: &Path, format: &str) -> Result<Cost> {
        let out = self.folder.join("result");
        let mut command = Command::new(&self.pompeii);
        command.args(["convert", "-j", "1", "--to", format]).arg(anchor).arg("-o").arg(&out);
        let cost = cost::of(command.stdout(Stdio::null()).stderr(Stdio::null()))?;
        ensure!(cost.is_success, "convert {} --to {format} failed", anchor.display());
        if out.is_dir() {
            fs::remove_dir_all(&out)?
        } else {
            fs::remove_file(&out)?
        }
        Ok(cost)
    }

    fn speed(&self) -> Result<()> {
        println!(
            "{:10} {:10} {:>8} {:>10} {:>5}",
            "trace", "format", "M events", "M/s of CPU", "goal"
        );
        for (shape, processes, threads) in SHAPES {
            let (anchor, events) = self.writer.write(shape, (processes, threads), 10 * MILLION)?;
            for (format, rate_min) in FORMATS.into_iter().chain(FURTHER) {
                let costs: Result<Vec<f64>> =
                    (0..turns()?).map(|_| Ok(self.convert(&anchor, format)?.cpu_s)).collect();
                let rate = events as f64 / 1e6 / median(costs?);
                let missed = if rate < rate_min { "  MISSED" } else { "" };
                let millions = events / MILLION;
                println!("{shape:10} {format:10} {millions:8} {rate:10.1} {rate_min:5.1}{missed}");
            }
        }
        Ok(())
    }

    fn memory(&self) -> Result<()> {
        println!("{:10} {:9} {:>12} {:>13}", "trace", "format", "MB of 10 M", "MB of 100 M");
        for (shape, processes, threads) in SHAPES {
            let mut peaks = [[0; FORMATS.len()]; 2];
            for (millions, peaks) in [10, 100].into_iter().zip(&mut peaks) {
                let of = (processes, threads);
                let (anchor, _) = self.writer.write(shape, of, millions * MILLION)?;
                for ((format, _), peak) in FORMATS.iter().zip(peaks) {
                    *peak = self.convert(&anchor, format)?.peak_bytes;
                }
            }
            let [short, long] = peaks;
            for ((format, _), (short, long)) in FORMATS.iter().zip(short.iter().zip(long)) {
                let missed = if long > PEAK_BYTES_MAX { "  MISSED" } else { "" };
                let (short, long) = (short >> 20, long >> 20);
                println!("{shape:10} {format:9} {short:12} {long:13}{missed}");
            }
        }
        Ok(())
    }
}
