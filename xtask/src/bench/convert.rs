//! What `pompeii convert` takes, on generated traces (`traces.rs`): events per second of CPU time
//! for each format and shape of a trace, and whether memory follows the length of a trace. The same
//! for tables of the Python module, read batch by batch.
//!
//! `BENCH_TURNS` is the number of runs of which the median counts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::cost::{self, Cost};
use super::median;
use super::traces::Writer;
use crate::{shell, wheel};

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

/// Tables of Python, by name, and the same goal. That of events is made of the records alone, that
/// of visits of the call paths, too, and that of waits of nearly all that is found in a trace.
const TABLES: [(&str, f64); 3] = [("events", 10.0), ("visits", 10.0), ("waits", 10.0)];

/// Reads a table of a trace. The anchor is its first argument, the name the second one.
const READ: &str = "
import sys, pompeii
table = pompeii.open(sys.argv[1]).table('trace.' + sys.argv[2])
sys.exit(sum(len(rows) for rows in table.batches()) == 0)
";

/// Shape, processes, threads of each.
const SHAPES: [(&str, u32, u32); 4] =
    [("functions", 1, 8), ("tasks", 1, 8), ("barriers", 1, 8), ("halo", 8, 1)];

fn of_python(table: &str) -> String {
    format!("Python {table}")
}

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

/// Installs the Python package with a module of the release profile. Returns its environment.
fn install(pompeii: &Path) -> Result<PathBuf> {
    shell::run(shell::cargo().args(["build", "--release", "-q", "-p", "pompeii-python"]))?;
    let native = shell::target_folder().join("release/libpompeii_native.so");
    let platform = format!("linux_{}", std::env::consts::ARCH);
    let folder = shell::target_folder().join("wheels");
    wheel::install(&wheel::pack(&native, pompeii, &platform, &folder)?)
}

/// The programs, and the folder for traces.
struct Bench {
    pompeii: PathBuf,
    writer: Writer,
    folder: PathBuf,
    /// Where the Python package is installed.
    python: PathBuf,
}

impl Bench {
    fn new() -> Result<Bench> {
        let pompeii = shell::build_pompeii()?;
        let folder = shell::target_folder().join("bench-convert");
        let writer = Writer::new(&folder)?;
        let python = install(&pompeii)?.join("bin/python");
        Ok(Bench { pompeii, writer, folder, python })
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

    /// Reads a table in Python.
    fn read(&self, anchor: &Path, table: &str) -> Result<Cost> {
        let mut command = Command::new(&self.python);
        let cost = cost::of(command.args(["-c", READ]).arg(anchor).arg(table))?;
        ensure!(cost.is_success, "the table {table} of {} cannot be read", anchor.display());
        Ok(cost)
    }

    fn speed(&self) -> Result<()> {
        println!(
            "{:10} {:13} {:>8} {:>10} {:>5}",
            "trace", "format", "M events", "M/s of CPU", "goal"
        );
        for (shape, processes, threads) in SHAPES {
            let (anchor, events) = self.writer.write(shape, (processes, threads), 10 * MILLION)?;
            let show = |what: &str, rate_min: f64, run: &dyn Fn() -> Result<Cost>| -> Result<()> {
                let costs: Result<Vec<f64>> = (0..turns()?).map(|_| Ok(run()?.cpu_s)).collect();
                let rate = events as f64 / 1e6 / median(costs?);
                let missed = if rate < rate_min { "  MISSED" } else { "" };
                let millions = events / MILLION;
                println!("{shape:10} {what:13} {millions:8} {rate:10.1} {rate_min:5.1}{missed}");
                Ok(())
            };
            for (format, rate_min) in FORMATS.into_iter().chain(FURTHER) {
                show(format, rate_min, &|| self.convert(&anchor, format))?;
            }
            for (table, rate_min) in TABLES {
                show(&of_python(table), rate_min, &|| self.read(&anchor, table))?;
            }
        }
        Ok(())
    }

    fn memory(&self) -> Result<()> {
        println!("{:10} {:13} {:>12} {:>13}", "trace", "format", "MB of 10 M", "MB of 100 M");
        for (shape, processes, threads) in SHAPES {
            let peaks = |millions: u64| {
                let of = (processes, threads);
                let (anchor, _) = self.writer.write(shape, of, millions * MILLION)?;
                self.peaks_bytes(&anchor)
            };
            for ((what, short), (_, long)) in peaks(10)?.into_iter().zip(peaks(100)?) {
                let missed = if long > PEAK_BYTES_MAX { "  MISSED" } else { "" };
                let (short, long) = (short >> 20, long >> 20);
                println!("{shape:10} {what:13} {short:12} {long:13}{missed}");
            }
        }
        Ok(())
    }

    /// The largest resident memory of each conversion of a trace, and of each table.
    fn peaks_bytes(&self, anchor: &Path) -> Result<Vec<(String, u64)>> {
        let formats = FORMATS.iter().map(|(format, _)| {
            Ok(((*format).to_owned(), self.convert(anchor, format)?.peak_bytes))
        });
        let tables = TABLES
            .iter()
            .map(|(table, _)| Ok((of_python(table), self.read(anchor, table)?.peak_bytes)));
        formats.chain(tables).collect()
    }
}
