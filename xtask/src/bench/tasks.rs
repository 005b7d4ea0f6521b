//! What measuring costs the task benchmarks of the tasks paper (its Table 1): the kernels of the
//! Barcelona OpenMP Tasks Suite, tied and untied, without a cut-off, with an `if` clause and with a
//! manual one.
//!
//! `cargo xtask bench tasks FOLDER` wants a checkout of the suite (`git clone
//! https://github.com/bsc-pm/bots FOLDER`; nothing is configured or built there). All variants of a
//! program take turns, and medians count. Added processor time is what a shared machine can say;
//! in brackets stands the added wall time of the part that the program itself measures, as in the
//! paper. `BENCH_ONLY=fib,sort` takes only the rows whose names are or contain one of these,
//! `BENCH_TURNS=3` fewer turns, `BENCH_THREADS=2` one number of threads. A tool that makes a
//! program five times as slow is ended, and has no number. To add a kernel: its line in `KERNELS`.
//!
//! A sign behind our numbers says how they are beside the cheapest of the other tools, whatever it
//! records ([`verdict`]): `<` below, `>` above, `=` if the turns cannot tell.
//! Machines that others use, too, have phases in which everything takes half as long again: five
//! turns tell twice from once, fifteen what a tenth is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::overhead::peers;
use super::overhead::programs::{self, Against, Variant};
use super::verdict::{self, Verdict};
use super::{cpu_time, median};
use crate::shell;

/// How often each variant runs, unless `BENCH_TURNS` says it.
const TURNS: usize = 5;
const THREADS: [u32; 3] = [1, 2, 4];
/// After so many times of what the uninstrumented program measures, and five seconds, a run is
/// ended.
const PATIENCE: u64 = 5;
const HOUR_S: u64 = 3600;
/// Our columns.
const OURS: [&str; 2] = ["profile", "trace"];

/// A kernel: its name, its folder below `omp-tasks`, and its arguments without a cut-off, with an
/// `if` clause and with a manual cut-off, where it has them; INPUTS stands for the suite's inputs.
/// They take about a second: what a process costs once is not what is asked for.
struct Kernel {
    name: &'static str,
    folder: &'static str,
    arguments: &'static [&'static [&'static str]],
}

const fn kernel(
    name: &'static str,
    folder: &'static str,
    arguments: &'static [&'static [&'static str]],
) -> Kernel {
    Kernel { name, folder, arguments }
}

const KERNELS: [Kernel; 9] = [
    kernel("alignment", "alignment/alignment_single", &[&["-f", "INPUTS/alignment/prot.20.aa"]]),
    kernel("fft", "fft", &[&["-n", "8388608"]]),
    kernel("fib", "fib", &[&["-n", "30"], &["-n", "37"], &["-n", "42"]]),
    kernel(
        "floorplan",
        "floorplan",
        &[
            &["-f", "INPUTS/floorplan/input.15"],
            &["-f", "INPUTS/floorplan/input.15"],
            &["-f", "INPUTS/floorplan/input.15"],
        ],
    ),
    kernel(
        "health",
        "health",
        &[
            &["-f", "INPUTS/health/small.input"],
            &["-f", "INPUTS/health/small.input"],
            &["-f", "INPUTS/health/small.input"],
        ],
    ),
    kernel("nqueens", "nqueens", &[&["-n", "11"], &["-n", "12"], &["-n", "12"]]),
    kernel("sort", "sort", &[&["-n", "8388608"]]),
    kernel("sparselu", "sparselu/sparselu_single", &[&["-n", "50", "-m", "50"]]),
    kernel("strassen", "strassen", &[&["-n", "2048"], &["-n", "2048"], &["-n", "2048"]]),
];

/// The forms of a kernel: what its name says, and the options that select it.
///
/// Below a manual cut-off nearly all is serial code. How many levels of its recursion gcc inlines
/// into the tasks is a matter of what else is in them: `fib` needs 14 million instructions for
/// the same number by itself, 19 million with our calls and 10 million with Score-P's. So nothing
/// is inlined there, and the variants' serial codes are the same.
const FORMS: [(&str, &[&str]); 3] =
    [("", &[]), ("-if_clause", &["-DIF_CUTOFF"]), ("-manual", &["-DMANUAL_CUTOFF", "-fno-inline"])];

/// A row of the table: a kernel in one of its forms.
struct Row<'a> {
    kernel: &'a Kernel,
    /// Of [`FORMS`].
    form: usize,
    tied: bool,
}

impl Row<'_> {
    /// The paper's name for it.
    fn name(&self) -> String {
        let tied = if self.tied { "-tied" } else { "" };
        format!("{}.omp-tasks{}{tied}", self.kernel.name, FORMS[self.form].0)
    }
}

fn rows() -> Vec<Row<'static>> {
    let mut rows = Vec::new();
    for kernel in &KERNELS {
        for form in 0..kernel.arguments.len() {
            rows.extend([true, false].map(|tied| Row { kernel, form, tied }));
        }
    }
    rows
}

/// The rows with these names, or parts of names, between commas.
fn wanted(only: &str) -> Vec<Row<'static>> {
    let names: Vec<String> = rows().iter().map(Row::name).collect();
    let is_whole = |part: &str| names.iter().any(|name| name == part);
    let fits = |name: &str, part| if is_whole(part) { name == part } else { name.contains(part) };
    rows().into_iter().filter(|row| only.split(',').any(|part| fits(&row.name(), part))).collect()
}

/// Builds the programs, runs them in turn and prints the table.
pub fn run(suite: Option<&str>) -> Result<()> {
    let suite = suite.context(
        "a checkout of the suite is needed: git clone https://github.com/bsc-pm/bots FOLDER, \
         then cargo xtask bench tasks FOLDER",
    )?;
    let suite = fs::canonicalize(suite).with_context(|| suite.to_owned())?;
    if !suite.join("common/bots_main.c").is_file() {
        bail!("{}: no common/bots_main.c, so this is no checkout of the suite", suite.display());
    }
    let turns = from_environment("BENCH_TURNS")?.unwrap_or(TURNS);
    let threads = from_environment("BENCH_THREADS")?.map_or(THREADS.to_vec(), |only| vec![only]);
    let folder = shell::target_folder().join("bench/tasks");
    let mut programs = Vec::new();
    for row in wanted(&std::env::var("BENCH_ONLY").unwrap_or_default()) {
        let built = build(&row, &suite, &folder.join(row.name()))?;
        programs.push((row, built));
    }
    println!("\nadded processor time, and wall time in brackets; medians of {turns} turns");
    for threads in threads {
        let mut verdicts = Vec::new();
        println!("\n{threads} thread(s)\n{:36} {:>15}{}", "", "seconds", names(&programs));
        for (row, variants) in &programs {
            let all = measure(row, variants, &suite, (threads, turns))?;
            let (text, said) = line(row, variants, &all)?;
            println!("{text}");
            verdicts.extend(said);
        }
        if !verdicts.is_empty() {
            println!("{}", summary(&verdicts));
        }
    }
    println!("\nagain: cargo xtask bench tasks {}", suite.display());
    Ok(())
}

fn from_environment<T: std::str::FromStr>(name: &str) -> Result<Option<T>> {
    let Ok(value) = std::env::var(name) else { return Ok(None) };
    let Ok(number) = value.parse() else { bail!("{name} is `{value}`, no number") };
    Ok(Some(number))
}

fn names(programs: &[(Row<'_>, Vec<Variant>)]) -> String {
    let variants = programs.first().map_or(&[][..], |(_, variants)| &variants[1..]);
    variants.iter().map(|variant| format!(" {:>22}", variant.name)).collect()
}

/// How often our processor time was below, as and above that of the cheapest of the others.
fn summary(verdicts: &[Verdict]) -> String {
    let count = |of: Verdict| verdicts.iter().filter(|&&verdict| verdict == of).count();
    format!(
        "beside the cheapest of the others: {} below (<), {} not told apart (=), {} above (>)",
        count(Verdict::Below),
        count(Verdict::Equal),
        count(Verdict::Above)
    )
}

/// All variants of a program, the uninstrumented one first.
fn build(row: &Row<'_>, suite: &Path, folder: &Path) -> Result<Vec<Variant>> {
    fs::create_dir_all(folder)?;
    let common = suite.join("common");
    let mut sources = vec![common.join("bots_common.c"), common.join("bots_main.c")];
    sources.extend(copy(row, &suite.join("omp-tasks").join(row.kernel.folder), folder)?);
    let include = format!("-I{}", common.display());
    let mut options = vec!["-O2", "-fopenmp", "-w", "-I.", &include];
    options.extend(ALIGNED);
    options.extend(ABOUT);
    options.extend(FORMS[row.form].1);
    let sources: Vec<String> = sources.iter().map(|path| path.display().to_string()).collect();
    options.extend(sources.iter().map(String::as_str));
    let mut variants = vec![programs::plain(folder, &options)?];
    variants.extend(programs::ours(folder, &options, &[("", "libpomp.a")])?);
    variants.extend(peers::build(folder, &options)?);
    Ok(variants)
}

/// A kernel's inner loop that lies elsewhere, with the same instructions, may take half as long
/// again: without these, sparselu costs 45 % more under any tool, or 45 % less. Floorplan copies a
/// board of 4 KiB from each function's frame to the next one's, which takes a seventh longer where
/// 16 bytes in a frame, for whatever it is, put the two boards differently into their cache lines.
const ALIGNED: [&str; 3] =
    ["-falign-functions=64", "-falign-loops=64", "-mpreferred-stack-boundary=6"];

/// What the suite's makefiles tell about themselves.
const ABOUT: [&str; 6] = [
    "-DCC=\"gcc\"",
    "-DLD=\"gcc\"",
    "-DCDATE=\"\"",
    "-DCMESSAGE=\"\"",
    "-DCFLAGS=\"\"",
    "-DLDFLAGS=\"\"",
];

/// Copies the kernel's files, where its tasks become tied ones if wanted. Returns its sources.
fn copy(row: &Row<'_>, from: &Path, folder: &Path) -> Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let path = entry?.path();
        let suffix = path.extension().unwrap_or_default();
        let Some(name) = path.file_name().filter(|_| suffix == "c" || suffix == "h") else {
            continue;
        };
        let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
        let text = if row.tied { tied(&text) } else { text };
        fs::write(folder.join(name), text)?;
        if suffix == "c" {
            sources.push(folder.join(name));
        }
    }
    sources.sort();
    Ok(sources)
}

/// `untied` is the first clause of the suite's directives, wherever they have it.
fn tied(text: &str) -> String {
    let lines = text.lines().map(|line| match line.trim_start().starts_with("#pragma omp task") {
        true => line.replacen(" untied", "", 1),
        false => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Processor time and measured wall time, in seconds; or what they are to the uninstrumented
/// program's.
#[derive(Clone, Default)]
struct Times {
    cpu: Vec<f64>,
    wall: Vec<f64>,
    /// Why it does not run again: that a tool ends the program, or makes it this slow, is a result.
    given_up: Option<&'static str>,
}

impl Times {
    fn add(&mut self, run: Result<(f64, f64), Ended>) {
        match run {
            Ok((cpu, wall)) => {
                self.cpu.push(cpu);
                self.wall.push(wall);
            }
            Err(Ended::Failed) => self.given_up = Some("failed"),
            Err(Ended::TooLate) => self.given_up = Some("over 400 %"),
        }
    }

    /// The middle of both; `None` where no run came to its end.
    fn medians(&self) -> Option<(f64, f64)> {
        (!self.cpu.is_empty()).then(|| (median(self.cpu.clone()), median(self.wall.clone())))
    }

    /// How often as long as these medians.
    fn over(&self, (cpu, wall): (f64, f64)) -> Self {
        let each = |times: &[f64], by: f64| times.iter().map(|time| time / by).collect();
        Self { cpu: each(&self.cpu, cpu), wall: each(&self.wall, wall), ..self.clone() }
    }
}

/// The times of all variants, which take turns.
fn measure(
    row: &Row<'_>,
    variants: &[Variant],
    suite: &Path,
    (threads, turns): (u32, usize),
) -> Result<Vec<Times>> {
    let inputs = suite.join("inputs").display().to_string();
    let given = row.kernel.arguments[row.form].iter();
    let given: Vec<String> = given.map(|word| word.replace("INPUTS", &inputs)).collect();
    let mut all = vec![Times::default(); variants.len()];
    let patience_s = patience_s(&variants[0].start(&given, threads)?);
    for _ in 0..turns {
        for (times, variant) in all.iter_mut().zip(variants) {
            if times.given_up.is_none() {
                times.add(once(&variant.start(&given, threads)?, patience_s));
                let _ = fs::remove_dir_all(variant.results());
            }
        }
    }
    Ok(all)
}

/// The row's line, and what it says of ours.
fn line(row: &Row<'_>, variants: &[Variant], all: &[Times]) -> Result<(String, Vec<Verdict>)> {
    let (cpu, wall) = all[0].medians().with_context(|| format!("{} fails", row.name()))?;
    let mut text = format!("{:36} {cpu:7.2} ({wall:5.2})", row.name());
    let added = added(variants, all);
    let is_peer = |variant: &Variant| !is_ours(variant) && variant.against != Against::Nothing;
    let peers = || added.iter().zip(variants).skip(1).filter(|(_, variant)| is_peer(variant));
    let mut verdicts = Vec::new();
    for ((times, variant), seconds) in added.iter().zip(variants).zip(all).skip(1) {
        let Some((cpu, wall)) = times.medians() else {
            text += &format!(" {:>22}", seconds.given_up.unwrap_or_default());
            continue;
        };
        if variant.against == Against::Nothing {
            let (cpu, wall) = seconds.medians().unwrap_or_default();
            text += &format!(" {cpu:13.2} ({wall:6.2})");
            continue;
        }
        let mut signs = [' '; 2];
        if is_ours(variant) {
            let of = [|times: &Times| times.cpu.clone(), |times: &Times| times.wall.clone()];
            let said = of.map(|of| beside(&of(times), peers().map(|(times, _)| of(times))));
            signs = said.map(|verdict| verdict.map_or(' ', Verdict::sign));
            verdicts.extend(said[0]);
        }
        let (cpu, wall) = ((cpu - 1.0) * 100.0, (wall - 1.0) * 100.0);
        text += &format!(" {cpu:+8.1} %{} ({wall:+5.0} %{})", signs[0], signs[1]);
    }
    Ok((text, verdicts))
}

/// All times as parts of the medians of what they are compared with.
fn added(variants: &[Variant], all: &[Times]) -> Vec<Times> {
    let by = |against: Against| {
        let place = variants.iter().position(|variant| variant.against == against);
        place.and_then(|place| all[place].medians())
    };
    let (gcc, clang) = (all[0].medians(), by(Against::Nothing));
    let base = |variant: &Variant| if variant.against == Against::Gcc { gcc } else { clang };
    let over = |(times, variant): (&Times, &Variant)| base(variant).map(|base| times.over(base));
    all.iter().zip(variants).map(|each| over(each).unwrap_or_default()).collect()
}

/// Our times beside those of the cheapest of the others, if there is one.
fn beside(ours: &[f64], peers: impl Iterator<Item = Vec<f64>>) -> Option<Verdict> {
    let peers = peers.filter(|times| !times.is_empty());
    let cheapest = peers.min_by(|a, b| median(a.clone()).total_cmp(&median(b.clone())))?;
    Some(verdict::compare(ours, &cheapest))
}

fn is_ours(variant: &Variant) -> bool {
    OURS.contains(&variant.name.as_str())
}

/// After how long a run is ended where the uninstrumented program is this.
fn patience_s(plain: &Command) -> u64 {
    let wall_s = once(plain, HOUR_S).map_or(0.0, |(_, wall)| wall);
    5 + (PATIENCE as f64 * wall_s).ceil() as u64
}

/// How a run ended that came to no end of its own.
#[derive(Debug)]
enum Ended {
    Failed,
    TooLate,
}

/// One run's processor time and wall time, in seconds.
#[allow(clippy::disallowed_methods, reason = "that a run takes too long is no measurement")]
fn once(command: &Command, patience_s: u64) -> Result<(f64, f64), Ended> {
    let mut limited = Command::new("timeout");
    limited.args(["--signal=KILL", &patience_s.to_string()]);
    limited.arg(command.get_program()).args(command.get_args());
    let begin = Instant::now();
    let Ok((seconds, output)) = cpu_time::output(shell::like(command, &mut limited)) else {
        let is_late = begin.elapsed().as_secs() >= patience_s;
        return Err(if is_late { Ended::TooLate } else { Ended::Failed });
    };
    let measured =
        output.lines().find_map(|line| line.strip_prefix("Time Program")?.split_once('='));
    let wall = measured.and_then(|(_, text)| text.split_whitespace().next()?.parse().ok());
    wall.map(|wall| (seconds, wall)).ok_or(Ended::Failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tied_tasks_and_nothing_else() {
        let text = "#pragma omp task untied shared(x)\n\t#pragma omp taskwait\nint untied;\n";
        let expected = "#pragma omp task shared(x)\n\t#pragma omp taskwait\nint untied;\n";
        assert_eq!(tied(text), expected);
    }

    #[test]
    fn rows_have_the_names_of_the_paper() {
        let names: Vec<String> = rows().iter().map(Row::name).collect();
        for name in ["alignment.omp-tasks-tied", "fib.omp-tasks-if_clause-tied", "sort.omp-tasks"] {
            assert!(names.iter().any(|known| known == name), "{name}");
        }
        assert_eq!(names.len(), 38);
        let wanted = |only| wanted(only).iter().map(Row::name).collect::<Vec<_>>();
        assert_eq!(wanted(""), names);
        assert_eq!(wanted("sort"), ["sort.omp-tasks-tied", "sort.omp-tasks"]);
        assert_eq!(wanted("sort.omp-tasks,fft.omp-tasks"), ["fft.omp-tasks", "sort.omp-tasks"]);
    }

    fn times(of: [f64; 3]) -> Times {
        let wall = of.map(|time| time / 2.0).to_vec();
        Times { cpu: of.to_vec(), wall, given_up: None }
    }

    /// A peer that clang's program is for counts from that one, and a tool that fails says so.
    #[test]
    fn a_line_says_what_is_added_and_how_that_is_beside_the_cheapest() {
        let variant =
            |name, against| Variant { against, ..Variant::new(name, Path::new("."), &["x"], &[]) };
        let variants = [
            variant("plain", Against::Gcc),
            variant("profile", Against::Gcc),
            variant("trace", Against::Gcc),
            variant("dear", Against::Gcc),
            variant("plain clang", Against::Nothing),
            variant("cheap", Against::Clang),
            variant("broken", Against::Clang),
        ];
        let all = [
            times([1.0, 1.0, 1.1]),
            times([1.1, 1.2, 1.3]),
            times([1.5, 1.6, 1.4]),
            times([3.0, 3.0, 3.0]),
            times([2.0, 2.0, 2.0]),
            times([3.0, 3.2, 2.8]),
            Times { given_up: Some("failed"), ..Times::default() },
        ];
        let rows = rows();
        let (text, verdicts) = line(&rows[0], &variants, &all).unwrap();
        let expected = "alignment.omp-tasks-tied                1.00 ( 0.50)    +20.0 %< (  +20 %<)    \
                        +50.0 %= (  +50 %=)   +200.0 %  ( +200 % )          2.00 (  1.00)    \
                        +50.0 %  (  +50 % )                 failed";
        assert_eq!(text, expected);
        assert_eq!(verdicts, [Verdict::Below, Verdict::Equal]);
        let said =
            "beside the cheapest of the others: 1 below (<), 1 not told apart (=), 0 above (>)";
        assert_eq!(summary(&verdicts), said);
        let alone = line(&rows[0], &variants[..3], &all[..3]).unwrap();
        assert_eq!(alone.1, []);
        assert!(line(&rows[0], &variants[..1], &[Times::default()]).is_err());
    }

    /// A run that takes too long is ended, and one that fails is not taken for it.
    #[test]
    fn a_run_has_its_time() {
        let run = |script: &str| once(Command::new("sh").args(["-c", script]), 1);
        let (_, wall) = run("echo Time Program = 0.25 seconds").unwrap();
        assert_eq!(wall, 0.25);
        assert!(matches!(run("sleep 60"), Err(Ended::TooLate)));
        assert!(matches!(run("exit 3"), Err(Ended::Failed)));
        assert!(matches!(run("echo Time"), Err(Ended::Failed)));
    }
}
