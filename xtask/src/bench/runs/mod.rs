//! What lies beyond one run of one process: commands on large and on several experiments
//! (`reports`), the analysis of a trace by several ranks (`ranks`), calls for threads and files
//! (`calls`), and experiments as one file (`archives`). Each table is a number of rows with a goal.
//!
//! All variants of a row take turns, and the median counts. `BENCH_TURNS` is the number of turns.
//! With `POMPEII_BINARY` nothing is built for release.

mod archives;
mod calls;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::cost;
use super::median;
use super::traces::Writer;
use crate::shell;

/// Turns of which the median counts, if `BENCH_TURNS` says nothing else.
const TURNS: usize = 5;
/// Ranks of 8 threads, and their regions, of a large experiment: 10,000 call paths on 1,024
/// locations.
const LARGE: [&str; 2] = ["128", "10000"];
/// Runs that `scaling` compares, on 8 to 128 threads, and the regions of each.
const RUNS: usize = 16;
const REGIONS: &str = "1000";
/// Traces of two processes that several ranks analyze: shape, threads of each process, and events.
const TRACES: [(&str, u32, u64); 2] = [("hybrid", 4, 64_000_000), ("halo", 1, 8_000_000)];
const OPEN_MPI: &str = "mpirun.openmpi";

type Table = fn(&Bench) -> Result<Vec<Row>>;

const TABLES: [(&str, Table); 4] = [
    ("reports", Bench::reports),
    ("ranks", Bench::ranks),
    ("calls", calls::rows),
    ("archives", archives::rows),
];

/// A figure, and what it may be at most.
#[derive(Debug)]
struct Row {
    what: String,
    value: f64,
    unit: &'static str,
    goal: f64,
}

impl Row {
    fn new(what: &str, value: f64, (unit, goal): (&'static str, f64)) -> Row {
        Row { what: what.to_owned(), value, unit, goal }
    }

    fn line(&self) -> String {
        let Row { what, value, unit, goal } = self;
        let missed = if value > goal { "  MISSED" } else { "" };
        format!("{what:44} {value:8.2} {unit:8} {goal:6}{missed}")
    }
}

/// Prints one table or all.
pub fn run(on: Option<&str>) -> Result<()> {
    let is_wanted = |name: &str| on.is_none_or(|on| on == name);
    if !TABLES.iter().any(|(name, _)| is_wanted(name)) {
        let names = TABLES.map(|(name, _)| name).join(", ");
        bail!("no table `{}`; tables are {names}", on.unwrap_or_default());
    }
    let bench = Bench::new()?;
    println!("{:44} {:>8} {:8} {:>6}", "", "median", "", "goal");
    for (_, table) in TABLES.iter().filter(|(name, _)| is_wanted(name)) {
        table(&bench)?.iter().for_each(|row| println!("{}", row.line()));
    }
    fs::remove_dir_all(&bench.folder)?;
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let turns = turns()?;
    println!("median of {turns} turns; load {}; again: cargo xtask bench runs", load.trim());
    Ok(())
}

/// An odd number of turns.
fn turns() -> Result<usize> {
    let turns = std::env::var("BENCH_TURNS").map_or(Ok(TURNS), |turns| turns.parse());
    Ok(turns.context("BENCH_TURNS is a number of turns")? | 1)
}

/// The program, and the folder for experiments.
struct Bench {
    pompeii: PathBuf,
    folder: PathBuf,
}

impl Bench {
    fn new() -> Result<Bench> {
        let pompeii = shell::build_pompeii()?;
        let folder = shell::target_folder().join("bench-runs");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder)?;
        Ok(Bench { pompeii, folder })
    }

    /// The program in the folder for experiments.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.pompeii);
        command.current_dir(&self.folder).env_remove("LD_LIBRARY_PATH");
        command
    }

    /// Seconds of wall time of `pompeii WORDS`.
    fn wall_s(&self, words: &str) -> Result<f64> {
        seconds(self.command().args(words.split(' ')))
    }

    fn reports(&self) -> Result<Vec<Row>> {
        self.write_large()?;
        let commands = [
            ("check", "check a --max omp_ibarrier_wait<100%".to_owned(), 1.0),
            ("diff", "diff a b".to_owned(), 1.0),
            ("scaling", format!("scaling {}", runs().join(" ")), 2.0),
        ];
        let mut times = [const { Vec::new() }; 3];
        for _ in 0..turns()? {
            for ((_, words, _), times) in commands.iter().zip(&mut times) {
                times.push(self.wall_s(words)?);
            }
        }
        let rows = commands.iter().zip(times);
        Ok(rows
            .map(|((name, _, goal), times)| {
                let what = match *name {
                    "scaling" => format!("scaling, {RUNS} runs"),
                    name => format!("{name}, 10,000 call paths, 1,024 locations"),
                };
                Row::new(&what, median(times), ("s", *goal))
            })
            .collect())
    }

    /// Two experiments of the same shape, and those for `scaling`.
    fn write_large(&self) -> Result<()> {
        let mut build = shell::cargo();
        shell::run(
            build
                .args(["build", "-q", "--release", "-p", "pompeii-finish"])
                .args(["--example", "job"]),
        )?;
        let writer = shell::target_folder().join("release/examples/job");
        let write = |name: &str, shape: [&str; 2]| {
            let mut command = Command::new(&writer);
            command.arg(self.folder.join(name)).args(shape).stdout(Stdio::null());
            let status = command.status().context("job")?;
            ensure!(status.success(), "{name} was not written");
            anyhow::Ok(())
        };
        write("a", LARGE)?;
        write("b", LARGE)?;
        for (ranks, name) in (1..).zip(runs()) {
            write(&name, [&i32::to_string(&ranks), REGIONS])?;
        }
        Ok(())
    }

    /// Traces of two processes, by one rank and by two: one of a hybrid program, and one that has
    /// no other events than those of MPI, each of which concerns both ranks.
    fn ranks(&self) -> Result<Vec<Row>> {
        if !shell::works(OPEN_MPI, &["--version"]) {
            println!("{OPEN_MPI} is not installed: no row for ranks");
            return Ok(Vec::new());
        }
        TRACES.map(|of| self.ranks_with(of)).into_iter().collect()
    }

    fn ranks_with(&self, (shape, threads, events): (&str, u32, u64)) -> Result<Row> {
        let writer = Writer::new(&self.folder.join("trace"))?;
        let (anchor, _) = writer.write(shape, (2, threads), events)?;
        let mut times = [const { Vec::new() }; 2];
        for _ in 0..turns()? {
            for (ranks, times) in ["1", "2"].into_iter().zip(&mut times) {
                times.push(seconds(&mut self.analysis(ranks, &anchor))?);
            }
        }
        let [one, two] = times.map(median);
        println!("{shape}: analysis on 1 rank {one:.2} s, on 2 ranks {two:.2} s");
        Ok(Row::new(&format!("analysis of {shape} on 2 ranks / 1"), two / one, ("", 0.6)))
    }

    fn analysis(&self, ranks: &str, anchor: &Path) -> Command {
        let mut command = Command::new(OPEN_MPI);
        command.args(["--oversubscribe", "-n", ranks]).arg(&self.pompeii);
        command.args(["analyze", "-j", "1", "--no-whatif"]).arg(anchor).args(["-o", "results"]);
        command.current_dir(&self.folder).env_remove("LD_LIBRARY_PATH");
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command
    }
}

/// Wall time of a command that succeeds.
fn seconds(command: &mut Command) -> Result<f64> {
    let cost = cost::of(command.stdout(Stdio::null()).stderr(Stdio::null()))?;
    ensure!(cost.is_success, "{command:?} failed");
    Ok(cost.wall_s)
}

/// The names of the runs for `scaling`.
fn runs() -> Vec<String> {
    (1..=RUNS).map(|ranks| format!("run{ranks}")).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_row_says_whether_its_goal_is_missed() {
        let rows = [
            Row::new("check", 0.25, ("s", 1.0)),
            Row::new("read adds", 130.0, ("ns", 100.0)),
            Row::new("analysis on 2 ranks / 1", 0.6, ("", 0.6)),
        ];
        let text: String = rows.iter().map(|row| row.line() + "|\n").collect();
        expect![[r#"
            check                                            0.25 s             1|
            read adds                                      130.00 ns          100  MISSED|
            analysis on 2 ranks / 1                          0.60             0.6|
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn a_table_that_is_not_there_is_an_error_with_the_names() {
        let error = run(Some("none")).unwrap_err().to_string();
        assert_eq!(error, "no table `none`; tables are reports, ranks, calls, archives");
    }
}
