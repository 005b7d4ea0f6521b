//! One program with one compiler: compiled, run and reported, plainly and measured.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::case::{Case, Language, Toolchain};
use super::process::{self, End, Outcome};
use super::visits;

/// Far above what any of the programs needs, also on a machine that does other things too.
const COMPILE_LIMIT: Duration = Duration::from_secs(1200);
const RUN_LIMIT: Duration = Duration::from_secs(300);

/// The thread counts for which expectations have columns are among these.
const THREADS: [usize; 3] = [1, 2, 4];
const COUNTED_THREADS: [usize; 2] = [1, 4];
/// With this number of threads the run also records a trace, which must keep the rules of
/// `dump --check`.
const TRACED_THREADS: usize = 2;

/// Variables of the developer's shell that would change what the programs do.
const CLEARED_PREFIXES: [&str; 6] = ["OMP_", "GOMP_", "KMP_", "LIBOMP_", "POMPEII_", "SCOREP_"];

/// How a trial ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Passed,
    Skipped(String),
    /// Failed, and passed when tried again.
    Unsteady(Vec<String>),
    Failed(Vec<String>),
}

/// One program with one compiler.
pub(super) struct Trial<'a> {
    case: &'a Case,
    toolchain: Toolchain,
    pompeii: &'a Path,
    /// Holds everything that the trial writes; removed where it passes.
    pub(super) work: PathBuf,
}

impl fmt::Display for Trial<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.case.name, self.toolchain.compiler(self.main_language()))
    }
}

/// Why a trial cannot go on.
enum Stop {
    Skip(String),
    Fail(String),
}

impl From<anyhow::Error> for Stop {
    fn from(error: anyhow::Error) -> Self {
        Self::Fail(format!("{error:#}"))
    }
}

/// The same program twice; each has a folder of its own, so that even argv[0] is the same.
#[derive(Clone, Copy)]
enum Build {
    Plain,
    Measured,
}

impl Build {
    fn folder(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Measured => "measured",
        }
    }
}

impl<'a> Trial<'a> {
    pub(super) fn new(
        case: &'a Case,
        toolchain: Toolchain,
        pompeii: &'a Path,
        work: &Path,
    ) -> Self {
        let name = case.name.replace('/', "-");
        let work = work.join(format!("{name}-{toolchain:?}").to_lowercase());
        Self { case, toolchain, pompeii, work }
    }

    /// Does it all, and again where it fails.
    pub(super) fn verdict(&self) -> Verdict {
        match self.one_verdict() {
            Verdict::Failed(first) => match self.one_verdict() {
                Verdict::Passed => Verdict::Unsteady(first),
                again => again,
            },
            other => other,
        }
    }

    /// An error of the tool or of this harness is a failed trial.
    fn one_verdict(&self) -> Verdict {
        let verdict = match self.attempt() {
            Ok(complaints) if complaints.is_empty() => Verdict::Passed,
            Ok(complaints) => Verdict::Failed(complaints),
            Err(Stop::Skip(why)) => Verdict::Skipped(why),
            Err(Stop::Fail(why)) => Verdict::Failed(vec![why]),
        };
        if !matches!(verdict, Verdict::Failed(_)) {
            // A folder that stays is a nuisance, not a wrong verdict.
            let _ = fs::remove_dir_all(&self.work);
        }
        verdict
    }

    fn attempt(&self) -> Result<Vec<String>, Stop> {
        if self.work.exists() {
            // Left by a failure of an earlier process with our number; `run` would refuse it.
            fs::remove_dir_all(&self.work).with_context(|| self.work.display().to_string())?;
        }
        let plain = self.build(Build::Plain)?;
        if let Some(outcome) = plain.filter(|outcome| !outcome.succeeded()) {
            return Err(self.plain_failure("does not compile plainly", &outcome));
        }
        let measured = self.build(Build::Measured)?;
        if let Some(outcome) = measured.filter(|outcome| !outcome.succeeded()) {
            return Err(Stop::Fail(format!("does not compile measured: {}", outcome.explain())));
        }
        let mut complaints = Vec::new();
        for threads in THREADS {
            complaints.extend(self.compare_runs(threads)?);
            if COUNTED_THREADS.contains(&threads) {
                complaints.extend(self.compare_visits(threads)?);
            }
            if threads == TRACED_THREADS {
                complaints.extend(self.check_trace(threads)?);
            }
        }
        Ok(complaints)
    }

    fn plain_failure(&self, what: &str, outcome: &Outcome) -> Stop {
        if self.case.may_fail_plainly {
            Stop::Skip(what.to_owned())
        } else {
            Stop::Fail(format!("{what}: {}", outcome.explain()))
        }
    }

    /// Compiles and links as a user would: one file in one step, several files one by one. The
    /// last outcome, or the first that is no success.
    fn build(&self, build: Build) -> Result<Option<Outcome>> {
        let folder = self.work.join(build.folder());
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let mut last = None;
        for (number, arguments) in self.compilations().into_iter().enumerate() {
            let mut command = match build {
                Build::Plain => Command::new(&arguments[0]),
                Build::Measured => {
                    let mut command = Command::new(self.pompeii);
                    command.args(["compile", "--strict"]).args(self.case.instrument_options());
                    command.arg("--").arg(&arguments[0]);
                    command
                }
            };
            command.args(&arguments[1..]);
            self.set_environment(&mut command);
            let name = format!("compile-{number}");
            let outcome = process::run(&mut command, &folder, &name, COMPILE_LIMIT)?;
            let stop = !outcome.succeeded();
            last = Some(outcome);
            if stop {
                break;
            }
        }
        Ok(last)
    }

    fn main_language(&self) -> Language {
        self.case.sources.first().map_or(Language::C, |(_, language)| *language)
    }

    fn compilations(&self) -> Vec<Vec<String>> {
        let line = |language: Language, files: &[String], output: &[&str]| {
            let (before, after) = self.case.flags(language);
            let mut words = vec![self.toolchain.compiler(language).to_owned()];
            words.extend(before.into_iter().map(str::to_owned));
            words.extend(files.iter().cloned());
            words.extend(after.into_iter().chain(output.iter().copied()).map(str::to_owned));
            words
        };
        if let [(path, language)] = self.case.sources.as_slice() {
            return vec![line(*language, &[path.display().to_string()], &["-o", "program"])];
        }
        let mut lines = Vec::new();
        let mut objects = Vec::new();
        for (number, (path, language)) in self.case.sources.iter().enumerate() {
            let object = format!("{number}.o");
            lines.push(line(*language, &[path.display().to_string()], &["-c", "-o", &object]));
            objects.push(object);
        }
        lines.push(line(self.main_language(), &objects, &["-o", "program"]));
        lines
    }

    fn set_environment(&self, command: &mut Command) {
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            let foreign = CLEARED_PREFIXES.iter().any(|prefix| text.starts_with(prefix));
            // Where the installed libraries lie is no matter of taste.
            if foreign && text != "POMPEII_HOME" {
                command.env_remove(&name);
            }
        }
        command.env("LC_ALL", "C");
    }

    /// Runs the program; under `pompeii run` where it was built measured.
    fn start(&self, build: Build, threads: usize, name: &str) -> Result<Outcome> {
        let folder = self.work.join(build.folder());
        let mut command = match build {
            Build::Plain => Command::new("./program"),
            Build::Measured => {
                let mut command = Command::new(self.pompeii);
                command.args(["run", "-o"]).arg(self.experiment(threads));
                command.args((threads == TRACED_THREADS).then_some("--trace"));
                command.args(["--", "./program"]);
                command
            }
        };
        self.set_environment(&mut command);
        command.env("OMP_NUM_THREADS", threads.to_string()).env("OMP_WAIT_POLICY", "passive");
        command.envs(self.case.environment.iter().map(|(name, value)| (name, value)));
        process::run(&mut command, &folder, &format!("{name}-{threads}"), RUN_LIMIT)
    }

    fn experiment(&self, threads: usize) -> PathBuf {
        self.work.join(format!("experiment-{threads}"))
    }

    /// The plain program runs twice: what differs there already proves nothing about us.
    fn compare_runs(&self, threads: usize) -> Result<Vec<String>, Stop> {
        let first = self.start(Build::Plain, threads, "first")?;
        let second = self.start(Build::Plain, threads, "second")?;
        for plain in [&first, &second] {
            if plain.end != End::Code(self.case.exit_code) {
                let what = format!("fails plainly with OMP_NUM_THREADS={threads}");
                return Err(self.plain_failure(&what, plain));
            }
        }
        let measured = self.start(Build::Measured, threads, "run")?;
        let mut complaints = Vec::new();
        if measured.end != first.end {
            complaints.push(format!(
                "{} with OMP_NUM_THREADS={threads}, plainly {}",
                measured.explain(),
                first.end
            ));
        }
        if first.stdout == second.stdout && measured.stdout != first.stdout {
            complaints.push(format!(
                "other output with OMP_NUM_THREADS={threads}\nplainly:\n{}measured:\n{}",
                indented(&first.stdout),
                indented(&measured.stdout)
            ));
        }
        Ok(complaints)
    }

    fn compare_visits(&self, threads: usize) -> Result<Option<String>> {
        let expected = self.case.expectation.visits(threads, self.toolchain.runtime());
        // A program that raises no event is measured in vain: `run` says so and leaves nothing.
        if !self.experiment(threads).exists() {
            let table = visits::differences(&expected, &BTreeMap::new());
            return Ok((!table.is_empty()).then(|| format!("not observed\n{table}")));
        }
        let mut command = Command::new(self.pompeii);
        command.arg("report").arg(self.experiment(threads)).arg("--json");
        self.set_environment(&mut command);
        let name = format!("report-{threads}");
        let outcome = process::run(&mut command, &self.work, &name, RUN_LIMIT)?;
        if !outcome.succeeded() {
            return Ok(Some(format!("{name}: {}", outcome.explain())));
        }
        let report = serde_json::from_slice(&outcome.stdout).context("report --json")?;
        let table = visits::differences(&expected, &visits::observed(&report)?);
        Ok((!table.is_empty()).then(|| format!("visits with OMP_NUM_THREADS={threads}\n{table}")))
    }

    fn check_trace(&self, threads: usize) -> Result<Option<String>> {
        let experiment = self.experiment(threads);
        if !experiment.join("traces.otf2").exists() {
            return Ok(None);
        }
        let mut command = Command::new(self.pompeii);
        command.arg("dump").arg(experiment).arg("--check");
        self.set_environment(&mut command);
        let outcome =
            process::run(&mut command, &self.work, &format!("check-{threads}"), RUN_LIMIT)?;
        let found = indented(&outcome.stdout);
        Ok((!outcome.succeeded()).then(|| format!("the trace breaks rules\n{found}")))
    }
}

fn indented(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    text.lines().take(20).map(|line| format!("  | {line}\n")).collect()
}
