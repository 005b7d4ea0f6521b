//! `cargo xtask fuzz`: the targets of `fuzz/`, one after the other. Where cargo-fuzz is missing,
//! they are skipped loudly. The checked-in corpus is where each run begins; what it finds goes to
//! `target/fuzz`, so that a run changes nothing that is checked in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{setup, shell};

/// Longest input. Structure needs no more, and a superlinear place shows at this length.
const LONGEST: usize = 8192;
/// An input that takes longer than this hangs, also on a machine that does other things too.
const SECONDS_MAX: usize = 60;

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
                vec![format!("-runs={executions}"), "-seed=1".to_owned()]
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
    let Some(fuzzer) = fuzzer() else {
        println!("NOT RUN: cargo-fuzz is missing; `cargo xtask setup` installs it");
        return Ok(());
    };
    chosen.into_iter().try_for_each(|name| fuzz(&fuzzer, name, limit))
}

/// The fuzzer that the set-up installs, or the one in PATH.
fn fuzzer() -> Option<PathBuf> {
    let candidates = [setup::fuzzer(), PathBuf::from("cargo-fuzz")];
    candidates.into_iter().find(|path| shell::works(&path.to_string_lossy(), &["--version"]))
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

/// Without a sanitizer: the library has no unsafe code, and so a stable compiler will do.
fn fuzz(fuzzer: &Path, target: &str, limit: Limit) -> Result<()> {
    let fuzz = crate::root().join("fuzz");
    let found = shell::target_folder().join("fuzz").join(target);
    fs::create_dir_all(&found)?;
    let kept = fuzz.join("corpus").join(target);
    let mut command = Command::new(fuzzer);
    command.args(["run", "--sanitizer", "none", "--fuzz-dir"]).arg(&fuzz).arg(target);
    command.arg(found).args(Some(kept).filter(|kept: &_| Path::exists(kept))).arg("--");
    command.args(limit.arguments());
    command.arg(format!("-max_len={LONGEST}")).arg(format!("-timeout={SECONDS_MAX}"));
    shell::run(command.arg(format!("-dict={}", fuzz.join("words.dict").display())))
}
