//! What measuring costs the task benchmarks of the tasks paper (its Table 1): the kernels of the
//! Barcelona OpenMP Tasks Suite, tied and untied, without a cut-off, with an `if` clause and with a
//! manual one.
//!
//! `cargo xtask bench tasks FOLDER` wants a checkout of the suite (`git clone
//! https://github.com/bsc-pm/bots FOLDER`; nothing is configured or built there). All variants of a
//! program take turns, and medians count. Added processor time is what a shared machine can say;
//! in brackets stands the added wall time of the part that the program itself measures, as in the
//! paper. `BENCH_ONLY=fib` takes only the programs whose names contain that, `BENCH_TURNS=3` fewer
//! turns, `BENCH_THREADS=2` one number of threads. To add a kernel: its line in `KERNELS`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::overhead::peers;
use super::overhead::programs::{self, Against, Variant};
use super::{cpu_time, median};
use crate::shell;

/// How often each variant runs, unless `BENCH_TURNS` says it.
const TURNS: usize = 5;
const THREADS: [u32; 3] = [1, 2, 4];

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
    kernel("fft", "fft", &[&["-n", "16777216"]]),
    kernel("fib", "fib", &[&["-n", "32"], &["-n", "38"], &["-n", "47"]]),
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
    kernel("nqueens", "nqueens", &[&["-n", "12"], &["-n", "13"], &["-n", "13"]]),
    kernel("sort", "sort", &[&["-n", "16777216"]]),
    kernel("sparselu", "sparselu/sparselu_single", &[&["-n", "50", "-m", "70"]]),
    kernel("strassen", "strassen", &[&["-n", "2048"], &["-n", "2048"], &["-n", "2048"]]),
];

/// The forms of a kernel: what its name says, and the macro that selects it.
const FORMS: [(&str, &str); 3] =
    [("", ""), ("-if_clause", "-DIF_CUTOFF"), ("-manual", "-DMANUAL_CUTOFF")];

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
    let only = std::env::var("BENCH_ONLY").unwrap_or_default();
    let mut rows = Vec::new();
    for kernel in &KERNELS {
        for form in 0..kernel.arguments.len() {
            rows.extend([true, false].map(|tied| Row { kernel, form, tied }));
        }
    }
    rows.retain(|row| row.name().contains(&only));
    rows
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
    for row in rows() {
        let built = build(&row, &suite, &folder.join(row.name()))?;
        programs.push((row, built));
    }
    println!("\nadded processor time, and wall time in brackets; medians of {turns} turns");
    for threads in threads {
        println!("\n{threads} thread(s)\n{:36} {:>15}{}", "", "seconds", names(&programs));
        for (row, variants) in &programs {
            println!("{}", measure(row, variants, &suite, (threads, turns))?);
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
    variants.iter().map(|variant| format!(" {:>19}", variant.name)).collect()
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
    options.extend(Some(FORMS[row.form].1).filter(|option| !option.is_empty()));
    let sources: Vec<String> = sources.iter().map(|path| path.display().to_string()).collect();
    options.extend(sources.iter().map(String::as_str));
    let mut variants = vec![programs::plain(folder, &options)?];
    variants.extend(programs::ours(folder, &options, &[("", "libpomp.a")])?);
    variants.extend(peers::build(folder, &options)?);
    Ok(variants)
}

/// A kernel's inner loop that lies elsewhere, with the same instructions, may take half as long
/// again: without these, sparselu costs 45 % more under any tool, or 45 % less.
const ALIGNED: [&str; 2] = ["-falign-functions=64", "-falign-loops=64"];

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

/// Processor time and measured wall time, in seconds.
type Times = (f64, f64);

fn measure(
    row: &Row<'_>,
    variants: &[Variant],
    suite: &Path,
    (threads, turns): (u32, usize),
) -> Result<String> {
    let inputs = suite.join("inputs").display().to_string();
    let given = row.kernel.arguments[row.form].iter();
    let given: Vec<String> = given.map(|word| word.replace("INPUTS", &inputs)).collect();
    let mut times: Vec<Vec<Times>> = vec![Vec::new(); variants.len()];
    for _ in 0..turns {
        for (times, variant) in times.iter_mut().zip(variants) {
            let taken = once(&mut variant.start(&given, threads)?);
            let _ = fs::remove_dir_all(variant.results());
            // A tool that ends the program is a result, too.
            times.extend(taken.ok());
        }
    }
    let median = |times: &[Times]| {
        let of = |of: fn(&Times) -> f64| median(times.iter().map(of).collect());
        (!times.is_empty()).then(|| (of(|times| times.0), of(|times| times.1)))
    };
    let (cpu, wall) = median(&times[0]).with_context(|| format!("{} fails", row.name()))?;
    let mut text = format!("{:36} {cpu:7.2} ({wall:5.2})", row.name());
    let mut by_clang = (f64::NAN, f64::NAN);
    for (times, variant) in times.iter().zip(variants).skip(1) {
        let added = |all: f64, plain: f64| (all / plain - 1.0) * 100.0;
        let plain = if variant.against == Against::Gcc { (cpu, wall) } else { by_clang };
        match median(times) {
            Some(all) if variant.against == Against::Nothing => {
                by_clang = all;
                text += &format!(" {:11.2} ({:5.2})", all.0, all.1);
            }
            Some(all) => {
                let (cpu, wall) = (added(all.0, plain.0), added(all.1, plain.1));
                text += &format!(" {cpu:+8.1} % ({wall:+5.0} %)");
            }
            None => text += &format!(" {:>19}", "failed"),
        }
    }
    Ok(text)
}

fn once(command: &mut Command) -> Result<Times> {
    let (seconds, output) = cpu_time::output(command)?;
    let measured =
        output.lines().find_map(|line| line.strip_prefix("Time Program")?.split_once('='));
    let wall = measured.and_then(|(_, text)| text.split_whitespace().next()?.parse().ok());
    Ok((seconds, wall.context("the program has not said what it has measured")?))
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
    }
}
