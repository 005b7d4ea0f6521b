//! What `pompeii analyze` takes, on generated traces (`traces.rs`). `speed`: events per second of
//! CPU time for each shape of a trace, with and without the critical path and the causes of
//! waiting, and what a second thread brings. `scenarios`: what the runs with changes cost that are
//! computed meanwhile (`scenarios.rs`). `simulation`: how many tasks per second `pompeii tasks
//! --threads` simulates (`simulation.rs`). `memory`: whether it follows the length of a trace,
//! and 10,000 locations with few files that may be open.
//!
//! `BENCH_TURNS` is the number of runs of which the median counts, and `BENCH_EVENTS` the number of
//! events of each trace, except for `memory`. With `POMPEII_BINARY` nothing is built for release:
//! `POMPEII_BINARY=target/debug/pompeii BENCH_EVENTS=100000 BENCH_TURNS=1` tries a table.

mod scenarios;
mod simulation;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::cost::{self, Cost};
use super::median;
use super::traces::Writer;
use crate::shell;

/// Runs of which the median counts, if `BENCH_TURNS` says nothing else.
const TURNS: usize = 5;
const MILLION: u64 = 1_000_000;
/// Two threads take at most this share of the wall time of one: without the critical path and the
/// causes of waiting, and with them.
const SHARES_MAX: [f64; 2] = [0.6, 0.75];
/// The least rate with 128 locations, as a part of that with 8.
const OF_EIGHT_MIN: f64 = 0.67;
/// What 100 million events may take at most, and how much more than 10 million.
const PEAK_BYTES_MAX: u64 = 768 << 20;
const GROWTH_MAX: f64 = 1.1;
/// What two threads may take at most, compared with one.
const OF_ONE_THREAD_MAX: f64 = 1.1;
/// What 10,000 locations may take at most.
const MANY_BYTES_MAX: u64 = 1 << 30;

/// Properties that need neither the critical path nor the causes of waiting. The analysis finds all
/// waiting, whatever is selected: only these two are left out.
const WITHOUT_CAUSES: [&str; 3] = ["--no-whatif", "--properties", "omp_barrier,mpi_latesender"];
/// All properties in one pass: without a profile, scenarios would take a second one.
const WITH_CAUSES: [&str; 1] = ["--no-whatif"];

/// A trace: its shape, processes, threads of each, and events.
type Row = (&'static str, u32, u32, u64);

/// The rows with 8 locations come first, because those with 128 are compared with them.
const SPEED: [Row; 6] = [
    ("functions", 1, 8, 30 * MILLION),
    ("tasks", 1, 8, 30 * MILLION),
    ("barriers", 1, 8, 30 * MILLION),
    ("halo", 8, 1, 30 * MILLION),
    ("barriers", 8, 16, 10 * MILLION),
    ("halo", 128, 1, 10 * MILLION),
];

/// The least million events per second of CPU time of a shape with 8 locations, without the
/// critical path and the causes of waiting. With them it is half of that.
fn rate_min(shape: &str) -> f64 {
    match shape {
        "functions" | "tasks" => 10.0,
        "barriers" => 7.0,
        _ => 5.0,
    }
}

/// Shape, processes, threads of each.
const MEMORY: [(&str, u32, u32); 5] =
    [("functions", 1, 8), ("barriers", 1, 8), ("tasks", 1, 8), ("halo", 8, 1), ("pipeline", 64, 1)];

/// Measures, and prints a table.
type Table = fn(&Bench) -> Result<()>;

/// The tables with their names, in the order in which they are printed.
const TABLES: [(&str, Table); 4] = [
    ("speed", Bench::speed),
    ("scenarios", Bench::scenarios),
    ("simulation", Bench::simulation),
    ("memory", Bench::memory),
];

/// Prints one table or all.
pub fn run(on: Option<&str>) -> Result<()> {
    let is_wanted = |name: &str| on.is_none_or(|on| on == name);
    if !TABLES.iter().any(|(name, _)| is_wanted(name)) {
        let names = TABLES.map(|(name, _)| name).join(", ");
        bail!("no table `{}`; tables are {names}", on.unwrap_or_default());
    }
    let bench = Bench::new()?;
    for (_, table) in TABLES.iter().filter(|(name, _)| is_wanted(name)) {
        table(&bench)?;
    }
    bench.writer.end()?;
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let turns = turns()?;
    println!("median of {turns} turns; load {}; again: cargo xtask bench analyze", load.trim());
    Ok(())
}

/// The number of events of a trace, unless `BENCH_EVENTS` says another one.
fn events_or(usual: u64) -> Result<u64> {
    let events = std::env::var("BENCH_EVENTS").map_or(Ok(usual), |events| events.parse());
    events.context("BENCH_EVENTS is a number of events")
}

/// Seconds of CPU time: the median of the runs.
fn cpu_s(costs: &[Cost]) -> f64 {
    median(costs.iter().map(|cost| cost.cpu_s).collect())
}

/// The largest memory of all runs.
fn peak_bytes(costs: &[Cost]) -> u64 {
    costs.iter().map(|cost| cost.peak_bytes).max().unwrap_or(0)
}

/// An odd number of runs.
fn turns() -> Result<usize> {
    let turns = std::env::var("BENCH_TURNS").map_or(Ok(TURNS), |turns| turns.parse());
    Ok(turns.context("BENCH_TURNS is a number of turns")? | 1)
}

/// What analyses with some properties took.
struct Speed {
    /// Million events per second of CPU time, with one thread.
    rate: f64,
    /// Share of the wall time of one thread that two threads take.
    share: f64,
    /// Largest memory of two threads, and its ratio to that of one.
    peak_bytes: u64,
    of_one_thread: f64,
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

    /// Where the results of an analysis go.
    fn results(&self) -> PathBuf {
        self.folder.join("results")
    }

    /// Analyses a trace with further options. With the limit, few files may be open.
    fn analyze(
        &self,
        anchor: &Path,
        threads: u32,
        options: &[&str],
        files_max: Option<u32>,
    ) -> Result<Cost> {
        let limit = files_max.map(|files| format!("ulimit -n {files}; ")).unwrap_or_default();
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{limit}exec \"$@\""), "sh"]).arg(&self.pompeii);
        command.args(["analyze", "-j", &threads.to_string()]).args(options);
        command.arg(anchor);
        command.arg("-o").arg(self.results()).stdout(Stdio::null());
        let cost = cost::of(&mut command)?;
        ensure!(cost.is_success, "analyze {} failed", anchor.display());
        Ok(cost)
    }

    /// The speed without the critical path and the causes of waiting, and with them.
    fn speeds(&self, anchor: &Path, events: u64) -> Result<[Speed; 2]> {
        let selections: [&[&str]; 2] = [&WITHOUT_CAUSES, &WITH_CAUSES];
        let mut costs: [[Vec<Cost>; 2]; 2] = Default::default();
        for _ in 0..turns()? {
            for (options, costs) in selections.iter().zip(&mut costs) {
                for (threads, costs) in (1..).zip(costs) {
                    costs.push(self.analyze(anchor, threads, options, None)?);
                }
            }
        }
        let wall_s = |costs: &[Cost]| median(costs.iter().map(|cost| cost.wall_s).collect());
        Ok(costs.map(|[one, two]| {
            let peak = peak_bytes(&two);
            Speed {
                rate: events as f64 / 1e6 / cpu_s(&one),
                share: wall_s(&two) / wall_s(&one),
                peak_bytes: peak,
                of_one_thread: peak as f64 / peak_bytes(&one).max(1) as f64,
            }
        }))
    }

    fn speed(&self) -> Result<()> {
        println!(
            "{:10} {:>9} {:>8} {:8} {:>10} {:>5} {:>5} {:>9} {:>5} {:>5}",
            "trace",
            "locations",
            "M events",
            "causes",
            "M/s of CPU",
            "goal",
            "of 8",
            "2 threads",
            "MB",
            "of 1"
        );
        let mut with_eight: Vec<(&str, [f64; 2])> = Vec::new();
        for (shape, processes, threads, events) in SPEED {
            let of = (processes, threads);
            let (anchor, events) = self.writer.write(shape, of, events_or(events)?)?;
            let speeds = self.speeds(&anchor, events)?;
            let rates = [speeds[0].rate, speeds[1].rate];
            let few = with_eight.iter().find(|(of, _)| *of == shape).map(|(_, rates)| *rates);
            with_eight.push((shape, rates));
            for (place, (causes, speed)) in ["without", "with"].into_iter().zip(&speeds).enumerate()
            {
                let rate_min = few.map_or_else(
                    || rate_min(shape) / (place + 1) as f64,
                    |rates| rates[place] * OF_EIGHT_MIN,
                );
                let of_eight =
                    few.map_or("-".to_owned(), |rates| format!("{:.2}", speed.rate / rates[place]));
                let is_missed = speed.rate < rate_min
                    || speed.share > SHARES_MAX[place]
                    || speed.of_one_thread > OF_ONE_THREAD_MAX;
                let missed = if is_missed { "  MISSED" } else { "" };
                println!(
                    "{shape:10} {:9} {:8} {causes:8} {:10.1} {rate_min:5.1} {of_eight:>5} {:9.2} \
                     {:5} {:5.2}{missed}",
                    processes * threads,
                    events / MILLION,
                    speed.rate,
                    speed.share,
                    speed.peak_bytes >> 20,
                    speed.of_one_thread
                );
            }
        }
        let [without, with] = SHARES_MAX;
        println!("causes: the critical path and the causes of waiting");
        println!("of 8: part of the rate with 8 locations, at least {OF_EIGHT_MIN}");
        println!(
            "2 threads: share of the wall time of one, at most {without} without, {with} with"
        );
        println!("of 1: memory compared with one thread, at most {OF_ONE_THREAD_MAX}");
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
                Ok(self.analyze(&anchor, 2, &WITH_CAUSES, None)?.peak_bytes)
            };
            let (short, long) = (peak(10 * MILLION)?, peak(100 * MILLION)?);
            let growth = long as f64 / short as f64;
            let is_missed = growth > GROWTH_MAX || long > PEAK_BYTES_MAX;
            let missed = if is_missed { "  MISSED" } else { "" };
            let (locations, short, long) = (processes * threads, short >> 20, long >> 20);
            println!("{shape:10} {locations:9} {short:12} {long:13} {growth:7.2}{missed}");
        }
        let (anchor, events) = self.writer.write("barriers", (625, 16), 10 * MILLION)?;
        let cost = self.analyze(&anchor, 2, &WITH_CAUSES, Some(1024))?;
        let is_missed = cost.peak_bytes > MANY_BYTES_MAX;
        let missed = if is_missed { "  MISSED" } else { "" };
        let (rate, megabytes) = (events as f64 / 1e6 / cost.cpu_s, cost.peak_bytes >> 20);
        println!(
            "10,000 locations, 1,024 files: {rate:.1} M events/s of CPU, {megabytes} MB{missed}"
        );
        Ok(())
    }
}
