//! What measuring costs programs of tasks: the kernels of `tests/tasks`, tied and untied, without a
//! cut-off, with an `if` clause, with a `final` one and with a manual one.
//!
//! `cargo xtask bench tasks [fib,sort]`: all rows, or those whose names are or contain one of
//! these. All variants of a program take turns, and medians count. Added processor time is what a
//! shared machine can say; in brackets stands the added wall time of the part that the program
//! itself measures. `BENCH_TURNS=3` means fewer turns, `BENCH_THREADS=2` one number of threads. A
//! tool that makes a program five times as slow is ended, and has no number. To add a kernel: its
//! file in `tests/tasks`, its line in `KERNELS`, and its test in `oracle_kernels.rs` of the CLI.
//!
//! A sign after our numbers compares them with the cheapest of the other tools, whatever it records
//! ([`verdict`]): `<` below, `>` above, `=` if the turns cannot tell.
//! Machines that others use, too, have phases in which everything takes half as long again: five
//! turns tell twice from once, fifteen what a tenth is.

use std::fs;
use std::path::Path;
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

/// A kernel: the name of its file, and the forms that it has with their arguments. They take about
/// a second: what a process costs once is not what is asked for.
struct Kernel {
    name: &'static str,
    forms: &'static [(Form, &'static [&'static str])],
}

const fn kernel(name: &'static str, forms: &'static [(Form, &'static [&'static str])]) -> Kernel {
    Kernel { name, forms }
}

/// Where a kernel stops to create tasks, or to let them be deferred.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// Nowhere.
    Plain,
    /// By an `if` clause.
    If,
    /// By a `final` clause.
    Final,
    /// Below a depth or a size the kernel calls a function without tasks.
    Manual,
}
use Form::{Final, If, Manual, Plain};

const KERNELS: [Kernel; 10] = [
    kernel("alignment", &[(Plain, &["50", "600"])]),
    kernel(
        "fft",
        &[(Plain, &["1000000"]), (If, &["1000000"]), (Final, &["1000000"]), (Manual, &["1000000"])],
    ),
    kernel("fib", &[(Plain, &["31"]), (If, &["37"]), (Final, &["37"]), (Manual, &["43"])]),
    kernel("floorplan", &[(Plain, &["12"]), (If, &["12"]), (Final, &["12"]), (Manual, &["12"])]),
    kernel(
        "health",
        &[
            (Plain, &["6", "1500"]),
            (If, &["6", "1500"]),
            (Final, &["6", "1500"]),
            (Manual, &["6", "1500"]),
        ],
    ),
    kernel("nqueens", &[(Plain, &["13"]), (If, &["13"]), (Final, &["13"]), (Manual, &["14"])]),
    kernel(
        "sort",
        &[(Plain, &["4000000"]), (If, &["4000000"]), (Final, &["4000000"]), (Manual, &["8000000"])],
    ),
    kernel("sparselu", &[(Plain, &["40", "50"])]),
    kernel(
        "strassen",
        &[(Plain, &["1024"]), (If, &["1024"]), (Final, &["1024"]), (Manual, &["1024"])],
    ),
    kernel(
        "uts",
        &[(Plain, &["500000"]), (If, &["1000000"]), (Final, &["1000000"]), (Manual, &["2000000"])],
    ),
];

impl Form {
    /// What a row's name says of it, and the options that select it.
    ///
    /// Below a manual cut-off nearly all is serial code. How many levels of its recursion gcc
    /// inlines into the tasks depends on what else is in them: `fib` may need half as many
    /// instructions with one tool's calls as with another's. So nothing is inlined there, and all
    /// variants have the same serial code.
    fn name_and_options(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Plain => ("", &[]),
            If => ("-if", &["-DIF_CLAUSE"]),
            Final => ("-final", &["-DFINAL"]),
            Manual => ("-manual", &["-DMANUAL", "-fno-inline"]),
        }
    }
}

/// A row of the table: a kernel in one of its forms.
struct Row<'a> {
    kernel: &'a Kernel,
    form: Form,
    arguments: &'a [&'a str],
    tied: bool,
}

impl Row<'_> {
    fn name(&self) -> String {
        let tied = if self.tied { "-tied" } else { "-untied" };
        format!("{}{}{tied}", self.kernel.name, self.form.name_and_options().0)
    }
}

fn rows() -> Vec<Row<'static>> {
    let mut rows = Vec::new();
    for kernel in &KERNELS {
        for &(form, arguments) in kernel.forms {
            rows.extend([true, false].map(|tied| Row { kernel, form, arguments, tied }));
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
pub fn run(only: Option<&str>) -> Result<()> {
    let only = only.unwrap_or_default();
    let turns = from_environment("BENCH_TURNS")?.unwrap_or(TURNS);
    let threads = from_environment("BENCH_THREADS")?.map_or(THREADS.to_vec(), |only| vec![only]);
    let folder = shell::target_folder().join("bench/tasks");
    let mut programs = Vec::new();
    for row in wanted(only) {
        let built = build(&row, &folder.join(row.name()))?;
        programs.push((row, built));
    }
    println!("\nadded processor time, and wall time in brackets; medians of {turns} turns");
    for threads in threads {
        let mut verdicts = Vec::new();
        println!("\n{threads} thread(s)\n{:36} {:>15}{}", "", "seconds", names(&programs));
        for (row, variants) in &programs {
            let all = measure(row, variants, (threads, turns))?;
            let (text, said) = line(row, variants, &all)?;
            println!("{text}");
            verdicts.extend(said);
        }
        if !verdicts.is_empty() {
            println!("{}", summary(&verdicts));
        }
    }
    println!("\nagain: cargo xtask bench tasks {only}");
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
fn build(row: &Row<'_>, folder: &Path) -> Result<Vec<Variant>> {
    fs::create_dir_all(folder)?;
    let kernels = crate::root().join("tests/tasks");
    fs::copy(kernels.join("kernel.h"), folder.join("kernel.h"))?;
    let source = format!("{}.c", row.kernel.name);
    let text = fs::read_to_string(kernels.join(&source)).with_context(|| source.clone())?;
    fs::write(folder.join(&source), if row.tied { tied(&text) } else { text })?;
    let mut options = vec!["-O2", "-fopenmp", "-w", "-I."];
    options.extend(ALIGNED);
    options.extend(row.form.name_and_options().1);
    options.push(&source);
    let mut variants = vec![programs::plain(folder, &options)?];
    variants.extend(programs::ours(folder, &options, &[("", "libpomp.a")])?);
    variants.extend(peers::build(folder, &options)?);
    Ok(variants)
}

/// A kernel's inner loop that lies elsewhere, with the same instructions, may take half as long
/// again, and a large frame whose copy begins 16 bytes further a seventh longer: with these, both
/// begin where a cache line does, in all variants.
const ALIGNED: [&str; 3] =
    ["-falign-functions=64", "-falign-loops=64", "-mpreferred-stack-boundary=6"];

/// `untied` is the first clause of the kernels' directives, wherever they have it.
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
    (threads, turns): (u32, usize),
) -> Result<Vec<Times>> {
    let given: Vec<String> = row.arguments.iter().map(|&word| word.to_owned()).collect();
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
    let measured = output.lines().find_map(|line| line.strip_prefix("seconds "));
    let wall = measured.and_then(|text| text.trim().parse().ok());
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
    fn rows_are_chosen_by_their_names() {
        let names: Vec<String> = rows().iter().map(Row::name).collect();
        for name in ["alignment-tied", "fib-if-tied", "sort-untied", "uts-final-untied"] {
            assert!(names.iter().any(|known| known == name), "{name}");
        }
        let wanted = |only| wanted(only).iter().map(Row::name).collect::<Vec<_>>();
        assert_eq!(wanted(""), names);
        assert_eq!(wanted("sort-if"), ["sort-if-tied", "sort-if-untied"]);
        assert_eq!(wanted("fib-tied,fft-untied"), ["fft-untied", "fib-tied"]);
    }

    /// A form of the table that a kernel lacks would be measured as another one.
    #[test]
    fn kernels_have_the_forms_of_their_rows() {
        for row in rows() {
            let path = crate::root().join("tests/tasks").join(format!("{}.c", row.kernel.name));
            let text = fs::read_to_string(path).unwrap();
            assert_ne!(tied(&text), text);
            let macros = row.form.name_and_options().1.iter().filter_map(|o| o.strip_prefix("-D"));
            macros.for_each(|name| assert!(text.contains(name), "{}", row.name()));
        }
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
        let expected = "alignment-tied                          1.00 ( 0.50)    +20.0 %< (  +20 %<)    \
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
        let (_, wall) = run("echo seconds 0.25").unwrap();
        assert_eq!(wall, 0.25);
        assert!(matches!(run("sleep 60"), Err(Ended::TooLate)));
        assert!(matches!(run("exit 3"), Err(Ended::Failed)));
        assert!(matches!(run("echo second"), Err(Ended::Failed)));
    }
}
