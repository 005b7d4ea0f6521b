//! `cargo xtask test`: every test, fast ones first. A stage can be named to run it alone.

use anyhow::{Result, bail};

use crate::{fuzz, manual, programs, sanitize, setup, shell, tidy};

/// A name, and what is done.
type Stage = (&'static str, fn() -> Result<()>);

/// The stages in their order.
const STAGES: [Stage; 9] = [
    ("format", format),
    ("lint", lint),
    ("cargo", cargo_tests),
    ("models", sanitize::loom),
    ("fuzz", readers),
    ("oracles", oracles),
    ("manual", manual),
    ("programs", all_programs),
    ("large", large),
];

/// Installs what is missing and runs every stage, or only `stage`.
pub fn run(stage: Option<&str>) -> Result<()> {
    let chosen: Vec<_> =
        STAGES.iter().filter(|(name, _)| stage.is_none_or(|s| s == *name)).collect();
    if chosen.is_empty() {
        let names = STAGES.map(|(name, _)| name).join(", ");
        bail!("no stage `{}`; stages are {names}", stage.unwrap_or_default());
    }
    if stage.is_none_or(|stage| matches!(stage, "fuzz" | "oracles" | "manual" | "programs")) {
        setup::install(setup::Purpose::Tests)?;
    }
    for (name, action) in chosen {
        println!("\n==== {name}");
        action()?;
    }
    Ok(())
}

fn format() -> Result<()> {
    shell::run(shell::cargo().args(["fmt", "--all", "--check"]))?;
    tidy::run(&crate::root())
}

fn lint() -> Result<()> {
    let arguments = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
    shell::run(shell::cargo().args(arguments))
}

fn cargo_tests() -> Result<()> {
    shell::run(shell::cargo().args(["test", "--workspace", "--quiet"]))
}

/// The readers of traces and reports on a fixed number of inputs that the fuzzer makes up.
fn readers() -> Result<()> {
    ["otf2", "cubex"].into_iter().try_for_each(|target| fuzz::run(Some(target), Some("20000x")))
}

/// Tests against other people's tools: readers of our files, compilers, a browser.
fn oracles() -> Result<()> {
    let mut cargo = shell::cargo();
    cargo.env("POMPEII_ORACLES", "1").env("PYTHON", setup::python());
    shell::run(cargo.args(["test", "--workspace", "--quiet", "--test", "oracle_*"]))
}

/// Reports so large that only optimized code writes them in seconds.
fn large() -> Result<()> {
    let arguments = ["--package", "pompeii-cubex", "--test", "memory", "--", "--ignored"];
    shell::run(shell::cargo().args(["test", "--quiet", "--release"]).args(arguments))
}

/// The manual's commands.
fn manual() -> Result<()> {
    manual::run(&shell::build_pompeii()?)
}

fn all_programs() -> Result<()> {
    programs(None)
}

/// The real programs whose names contain `part`, compiled, run and compared.
pub fn programs(part: Option<&str>) -> Result<()> {
    let pompeii = shell::build_pompeii()?;
    let jobs = std::thread::available_parallelism().map_or(2, usize::from);
    let summary = programs::run(&pompeii, part, jobs)?;
    if summary.failed > 0 {
        bail!("{} of the real programs failed", summary.failed);
    }
    Ok(())
}
