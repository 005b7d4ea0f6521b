//! `cargo xtask fuzz`: the targets of `fuzz/`, one after the other. They are ordinary programs that
//! are linked with libFuzzer; all that they need of the compiler is counters at every branch, which
//! the stable one has. The checked-in corpus is where each run begins; what it finds goes to
//! `target/fuzz`, so that a run changes nothing that is checked in.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

/// Longest input. Structure needs no more, and a superlinear place shows at this length.
const LONGEST: usize = 8192;
/// An input that takes longer than this hangs, also on a machine that does other things too.
const SECONDS_MAX: usize = 60;

/// The targets that read files of foreign origin, with the executions for which `cargo xtask test`
/// runs each. One of `live` takes some milliseconds, because it makes an experiment.
pub const READERS: [(&str, &str); 8] = [
    ("cubex", "20000x"),
    ("epilog", "5000x"),
    ("export", "1000x"),
    ("index", "20000x"),
    ("live", "2500x"),
    ("otf2", "20000x"),
    ("replay", "1000x"),
    ("tau", "2000x"),
];

/// When a run ends.
#[derive(Clone, Copy)]
enum Limit {
    Seconds(u64),
    /// So many executions, with the same random numbers each time.
    Executions(u64),
}

impl Limit {
    /// `60` are seconds, `5000x` are executions.
    fn parse(text: &str) -> Result<Limit> {
        let number = |text: &str| text.parse().context("expected seconds, or executions as 5000x");
        match text.strip_suffix('x') {
            Some(executions) => number(executions).map(Limit::Executions),
            None => number(text).map(Limit::Seconds),
        }
    }

    fn arguments(self) -> Vec<String> {
        match self {
            Limit::Seconds(seconds) => vec![format!("-max_total_time={seconds}")],
            Limit::Executions(executions) => {
                // Each new input would be a line; what fails is printed all the same.
                let silent = "-verbosity=0".to_owned();
                vec![format!("-runs={executions}"), "-seed=1".to_owned(), silent]
            }
        }
    }
}

/// Runs `target`, or all of them, each for so many seconds or executions.
pub fn run(target: Option<&str>, limit: Option<&str>) -> Result<()> {
    let limit = Limit::parse(limit.unwrap_or("60"))?;
    let targets = targets()?;
    let chosen: Vec<&String> =
        targets.iter().filter(|name| target.is_none_or(|target| target == *name)).collect();
    if chosen.is_empty() {
        let names = targets.join(", ");
        bail!("no target `{}`; targets are {names}", target.unwrap_or_default());
    }
    chosen.into_iter().try_for_each(|name| fuzz(name, limit))
}

/// The names of all targets: their files.
fn targets() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(crate::root().join("fuzz/fuzz_targets"))? {
        let path = entry?.path();
        names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

/// What libFuzzer learns from a run: counters of edges with their places in the program, and the
/// operands of comparisons. No sanitizer: the libraries have no unsafe code.
const COUNTED: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Builds these targets, and returns the folder of their programs. With a target machine that is
/// named, cargo keeps the flags from build scripts, which have nothing that takes the counters.
pub fn build(targets: &[&str]) -> Result<PathBuf> {
    let host = host()?;
    let folder = shell::target_folder().join("fuzz/build");
    let mut cargo = shell::cargo();
    cargo.args(["build", "--quiet", "--release", "--target", &host]);
    cargo.args(targets.iter().flat_map(|target| ["--bin", target]));
    cargo.arg("--manifest-path").arg(crate::root().join("fuzz/Cargo.toml"));
    shell::run(cargo.arg("--target-dir").arg(&folder).env("RUSTFLAGS", COUNTED))?;
    Ok(folder.join(host).join("release"))
}

/// This machine, as the compiler calls it.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("rustc -vV")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.with_context(|| format!("`rustc -vV` names no host:\n{text}"))?.to_owned())
}

fn fuzz(target: &str, limit: Limit) -> Result<()> {
    let fuzz = crate::root().join("fuzz");
    let found = shell::target_folder().join("fuzz").join(target);
    fs::create_dir_all(&found)?;
    let kept = fuzz.join("corpus").join(target);
    let mut command = Command::new(build(&[target])?.join(target));
    command.arg(format!("-artifact_prefix={}-failed-", found.display()));
    command.arg(&found).args(Some(kept).filter(|kept| kept.exists())).args(limit.arguments());
    command.arg(format!("-max_len={LONGEST}")).arg(format!("-timeout={SECONDS_MAX}"));
    shell::run(command.arg(format!("-dict={}", fuzz.join("words.dict").display())))
}
