//! `cargo xtask test [STAGE] [--all]`: every test, fast ones first, with the time of each stage. A
//! stage can be named to run it alone.
//!
//! What a fresh machine lacks is installed while the first stages compute: they need a compiler
//! only. One tree of the dev profile, with dependencies and hot crates optimized, serves all
//! stages.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::{dist, fuzz, manual, programs, python, sanitize, setup, shell, tidy};

/// How much of what has no end is tried.
#[derive(Clone, Copy, PartialEq)]
enum Effort {
    /// What fits into a check of every change.
    Short,
    /// `--all`: all fuzz targets, each for a minute, 10,000 random programs, and the packages.
    Full,
}

/// One part of the tests.
struct Stage {
    name: &'static str,
    /// When it may begin, and next to what it runs.
    when: When,
    action: fn(Effort) -> Result<()>,
}

#[derive(Clone, Copy, PartialEq)]
enum When {
    /// While the set-up installs what other stages need.
    First,
    /// After the set-up: compilers, other people's tools and MPI libraries must be there.
    Later,
    /// Next to the later ones, with the time that they leave while they sleep or wait.
    Meanwhile,
}
use When::{First, Later, Meanwhile};

const fn stage(name: &'static str, when: When, action: fn(Effort) -> Result<()>) -> Stage {
    Stage { name, when, action }
}

/// The stages in their order.
const STAGES: [Stage; 11] = [
    stage("format", First, |_| format()),
    stage("lint", First, |_| lint()),
    stage("build", First, |_| shell::build_tests().map(drop)),
    stage("tests", Later, tests),
    stage("python", Later, |_| python::run()),
    stage("packages", Later, packages),
    stage("spelling", Meanwhile, |_| spelling()),
    stage("fuzz", Meanwhile, fuzz),
    stage("models", Meanwhile, |_| sanitize::loom()),
    stage("manual", Meanwhile, |_| manual()),
    // Last, because after the tests it is the only one that keeps all cores busy.
    stage("programs", Meanwhile, |_| programs(None)),
];

/// Installs what is missing and runs every stage, or only those that `words` name.
pub fn run(words: &[String]) -> Result<()> {
    let (options, names): (Vec<&String>, Vec<_>) =
        words.iter().partition(|word| word.starts_with('-'));
    if let Some(unknown) = options.iter().find(|option| **option != "--all") {
        bail!("no option `{unknown}`; there is `--all`");
    }
    if let Some(unknown) = names.iter().find(|name| STAGES.iter().all(|s| s.name != ***name)) {
        let known = STAGES.each_ref().map(|stage| stage.name).join(", ");
        bail!("no stage `{unknown}`; stages are {known}");
    }
    let effort = if options.is_empty() { Effort::Short } else { Effort::Full };
    let mut times = Times::begin();
    let done = match names.is_empty() {
        true => run_all(words, effort, &mut times),
        false => {
            let chosen = STAGES.iter().filter(|stage| names.iter().any(|n| *n == stage.name));
            run_some(&chosen.collect::<Vec<_>>(), effort, &mut times)
        }
    };
    times.print();
    done
}

/// The named stages, after the set-up where one of them needs it. One that fails stops no other.
fn run_some(stages: &[&Stage], effort: Effort, times: &mut Times) -> Result<()> {
    if stages.iter().any(|stage| stage.when != First) {
        setup::install(setup::Purpose::Tests)?;
    }
    let mut failed = Vec::new();
    for stage in stages {
        if let Err(error) = times.measure(stage.name, || (stage.action)(effort)) {
            println!("FAILED {}: {error:#}", stage.name);
            failed.push(stage.name);
        }
    }
    if failed.is_empty() { Ok(()) } else { bail!("failed: {}", failed.join(", ")) }
}

/// All stages; the set-up and what runs meanwhile are processes of their own, shown at their ends.
fn run_all(options: &[String], effort: Effort, times: &mut Times) -> Result<()> {
    let of = |when: When| STAGES.iter().filter(move |stage| stage.when == when);
    let setup = Background::start("setup", 0, &["setup".to_owned()])?;
    for stage in of(First) {
        times.measure(stage.name, || (stage.action)(effort))?;
    }
    times.measure("set-up, beyond the stages above", || setup.finish())?;
    let words = ["test".to_owned()].into_iter();
    let words = words.chain(of(Meanwhile).map(|stage| stage.name.to_owned()));
    let words: Vec<String> = words.chain(options.iter().cloned()).collect();
    let meanwhile = Background::start("meanwhile", 19, &words)?;
    let done = of(Later).try_for_each(|stage| times.measure(stage.name, || (stage.action)(effort)));
    let also = times.measure("what runs next to the tests, beyond them", || meanwhile.finish());
    done.and(also)
}

/// `cargo xtask WORDS` in a process of its own, whose output is shown when it is waited for.
struct Background {
    child: Child,
    log: PathBuf,
}

impl Background {
    /// `nice`: how far other processes go first, 19 at most.
    fn start(name: &str, nice: u32, words: &[String]) -> Result<Self> {
        fs::create_dir_all(shell::target_folder())?;
        let log = shell::target_folder().join(format!("{name}.log"));
        let file = File::create(&log).with_context(|| log.display().to_string())?;
        let mut command = Command::new("nice");
        command.args(["-n", &nice.to_string()]).arg(std::env::current_exe()?).args(words);
        command.stdout(file.try_clone()?).stderr(file);
        Ok(Self { child: command.spawn()?, log })
    }

    fn finish(mut self) -> Result<()> {
        let status = self.child.wait()?;
        print!("{}", fs::read_to_string(&self.log)?);
        if !status.success() {
            bail!("`{}` tells what failed: {status}", self.log.display());
        }
        Ok(())
    }
}

/// How long each stage took, and the processor time of the processes that it waited for.
struct Times {
    begin: Instant,
    stages: Vec<(&'static str, f64, u64)>,
}

#[allow(clippy::disallowed_methods, reason = "what is shown, and decides about nothing")]
impl Times {
    fn begin() -> Self {
        Self { begin: Instant::now(), stages: Vec::new() }
    }

    fn measure(&mut self, name: &'static str, action: impl FnOnce() -> Result<()>) -> Result<()> {
        println!("\n==== {name}");
        let (begin, computed) = (Instant::now(), cpu_time_of_children_s());
        let done = action();
        let seconds = begin.elapsed().as_secs_f64();
        let computed = cpu_time_of_children_s() - computed;
        println!("---- {name}: {seconds:.0} s, {computed} s of CPU time");
        self.stages.push((name, seconds, computed));
        done
    }

    fn print(&self) {
        println!("\ntimes on {} cores, then CPU times", cores());
        for (name, seconds, computed) in &self.stages {
            println!("{seconds:7.0} s {computed:7} s  {name}");
        }
        let (seconds, computed) = (self.begin.elapsed().as_secs_f64(), cpu_time_of_children_s());
        println!("{seconds:7.0} s {computed:7} s  total");
    }
}

/// CPU time in seconds, user and system, of all processes that this one has waited for and that
/// they have waited for; 0 where the system does not tell (proc(5), `cutime` and `cstime`).
fn cpu_time_of_children_s() -> u64 {
    /// Of Linux, in each second, whatever the kernel's own are.
    const TICKS: u64 = 100;
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The program's name, in parentheses, may have blanks.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    fields.skip(13).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>() / TICKS
}

fn cores() -> usize {
    thread::available_parallelism().map_or(2, usize::from)
}

fn format() -> Result<()> {
    shell::run(shell::cargo().args(["fmt", "--all", "--check"]))?;
    tidy::run(&crate::root())
}

fn lint() -> Result<()> {
    let arguments = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
    shell::run(shell::cargo().args(arguments))
}

/// Unit and integration tests, also those against other people's tools: readers of our files,
/// compilers, a browser. Many sleep or wait for what they started, so there are two at a time for
/// each core, unless `RUST_TEST_THREADS` says how many. Tests that fail run once more without
/// others: one that then passes depends on what runs next to it. This is a defect, which the output
/// names, but not one of the change that is tested.
fn tests(effort: Effort) -> Result<()> {
    let cargo = |threads: &str| {
        let mut cargo = shell::cargo();
        if effort == Effort::Full {
            cargo.env("POMPEII_RANDOM_PROGRAMS", "10000");
        }
        cargo.env("POMPEII_ORACLES", "1").env("PYTHON", setup::python());
        cargo.env("RUST_TEST_THREADS", threads);
        cargo.args(["test", "--workspace", "--quiet", "--no-fail-fast"]);
        cargo
    };
    let threads = std::env::var("RUST_TEST_THREADS").unwrap_or((2 * cores()).to_string());
    let failed = run_tests(&mut cargo(&threads))?;
    if failed.is_empty() {
        return Ok(());
    }
    println!("\n==== {} failed, again one after the other", failed.join(", "));
    let again = run_tests(cargo("1").args(["--", "--exact"]).args(&failed))?;
    if !again.is_empty() {
        bail!("tests that failed twice: {}", again.join(", "));
    }
    println!("UNSTEADY, because they failed next to others: {}", failed.join(", "));
    Ok(())
}

/// Runs `cargo test`, shows its output, and gives the names of the tests that failed, because the
/// output is long and other stages print theirs after it. The output goes through a file: a pipe
/// would stay open as long as any process that a test left.
fn run_tests(cargo: &mut Command) -> Result<Vec<String>> {
    let path = shell::target_folder().join("tests.log");
    let log = || path.display().to_string();
    let mut tests = cargo.stdout(File::create(&path).with_context(log)?).spawn()?;
    let mut output = File::open(&path).with_context(log)?;
    let status = loop {
        let ended = tests.try_wait()?;
        io::copy(&mut output, &mut io::stdout())?;
        match ended {
            Some(status) => break status,
            None => thread::sleep(Duration::from_millis(200)),
        }
    };
    if status.success() {
        return Ok(Vec::new());
    }
    let output = fs::read(&path).with_context(log)?;
    let output = String::from_utf8_lossy(&output);
    let failed: Vec<_> = output.lines().filter_map(failed_test).map(str::to_owned).collect();
    if failed.is_empty() || !all_ended(&output) {
        bail!("`cargo test` failed ({status}), not only because of tests; see {}", log());
    }
    Ok(failed)
}

/// Whether each program of tests that began has a result: one that dies has none.
fn all_ended(output: &str) -> bool {
    let begins = |line: &&str| {
        let number = line.strip_prefix("running ").and_then(|rest| rest.split_once(" test"));
        number.is_some_and(|(number, _)| number.parse::<u32>().is_ok())
    };
    let ends = output.lines().filter(|line| line.starts_with("test result: ")).count();
    output.lines().filter(begins).count() <= ends
}

/// The test whose output follows this line: only tests that failed show theirs.
fn failed_test(line: &str) -> Option<&str> {
    line.strip_prefix("---- ")?.strip_suffix(" stdout ----")
}

/// The targets that read files on a fixed number of inputs that the fuzzer makes up, or all.
fn fuzz(effort: Effort) -> Result<()> {
    match effort {
        Effort::Short => {
            fuzz::build(&fuzz::READERS.map(|(target, _)| target))?;
            fuzz::READERS.into_iter().try_for_each(|(t, limit)| fuzz::run(Some(t), Some(limit)))
        }
        Effort::Full => fuzz::run(None, None),
    }
}

/// The packages, whose release build takes longer than all other stages together.
fn packages(effort: Effort) -> Result<()> {
    match effort {
        Effort::Short => Ok(()),
        Effort::Full => dist::run(None),
    }
}

/// Misspelled words in all files; `.typos.toml` has those that are right.
fn spelling() -> Result<()> {
    shell::run(Command::new(setup::typos()).current_dir(crate::root()))
}

/// The manual's commands.
fn manual() -> Result<()> {
    manual::run(&shell::build_tests()?)
}

/// The real programs whose names contain `part`, compiled, run and compared.
pub fn programs(part: Option<&str>) -> Result<()> {
    let pompeii = shell::build_tests()?;
    let summary = programs::run(&pompeii, part, cores())?;
    if summary.failed > 0 {
        bail!("{} of the real programs failed", summary.failed);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(words: &[&str]) -> String {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        run(&words).unwrap_err().to_string()
    }

    #[test]
    fn the_heading_of_an_output_names_the_test_that_failed() {
        assert_eq!(failed_test("---- ends::killed stdout ----"), Some("ends::killed"));
        assert_eq!(failed_test("---- fuzz: 65 s"), None);
    }

    #[test]
    fn a_program_of_tests_that_dies_has_no_result() {
        let ended = "running 12 tests\n......\ntest result: ok. 12 passed\n\nrunning 1 test\n";
        assert!(!all_ended(ended));
        assert!(all_ended(&format!("{ended}F\ntest result: FAILED. 0 passed\n")));
    }

    #[test]
    fn what_does_not_exist_is_refused_before_the_first_stage() {
        assert!(message(&["nosuch"]).starts_with("no stage `nosuch`; stages are format, lint"));
        assert_eq!(message(&["--full"]), "no option `--full`; there is `--all`");
    }
}
