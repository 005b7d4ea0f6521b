//! `cargo xtask sanitize`: the lock-free parts of the runtime, and all of it in real programs,
//! under tools that see what a run does not show. loom tries every order of events with a stable
//! compiler; miri (undefined behaviour) and ThreadSanitizer (races) need a nightly one, and are
//! skipped loudly where it is missing.

use std::process::Command;

use anyhow::Result;

use crate::{races, shell};

/// More threads switches than these in one order of events find nothing more, and take hours.
const PREEMPTIONS: &str = "3";

/// Runs all three, or the one of this name.
pub fn run(tool: Option<&str>) -> Result<()> {
    let wanted = |name: &str| tool.is_none_or(|tool| tool == name);
    if wanted("loom") {
        loom()?;
    }
    if wanted("miri") {
        miri()?;
    }
    if wanted("thread") {
        thread_sanitizer()?;
    }
    Ok(())
}

/// The models under every order of events.
pub fn loom() -> Result<()> {
    let mut cargo = models(shell::cargo(), &["test", "--quiet", "--lib"]);
    shell::run(cargo.env("RUSTFLAGS", "--cfg loom").env("LOOM_MAX_PREEMPTIONS", PREEMPTIONS))
}

fn miri() -> Result<()> {
    if !shell::works("cargo", &["+nightly", "miri", "--version"]) {
        println!("NOT RUN: miri is missing; `rustup +nightly component add miri` installs it");
        return Ok(());
    }
    let mut cargo = models(nightly(), &["miri", "test", "--quiet", "--lib"]);
    // What a process shares is never freed.
    shell::run(cargo.env("MIRIFLAGS", "-Zmiri-ignore-leaks"))
}

/// The models, the process with threads that come from everywhere at once, and the library in
/// programs.
fn thread_sanitizer() -> Result<()> {
    let source = "$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library";
    if !shell::works("sh", &["-c", &format!("test -d {source}")]) {
        println!(
            "NOT RUN: ThreadSanitizer needs a nightly toolchain with the standard library's source; \
             `rustup +nightly component add rust-src` installs it"
        );
        return Ok(());
    }
    let target = "x86_64-unknown-linux-gnu";
    let build = ["-Zbuild-std", "--target", target];
    let mut cargo = models(nightly(), &["test", "--quiet", "--lib"]);
    shell::run(cargo.args(build).env("RUSTFLAGS", "-Zsanitizer=thread"))?;
    let folder = std::path::absolute(shell::target_folder().join("sanitize"))?;
    for words in [&["test", "--lib", "process::"][..], &["build"]] {
        let mut cargo = nightly();
        cargo.args(words).args(["--quiet", "--package", "pompeii-runtime"]).args(build);
        cargo.arg("--target-dir").arg(&folder);
        shell::run(cargo.env("RUSTFLAGS", "-Zsanitizer=thread"))?;
    }
    races::run(&folder.join(target).join("debug"))
}

/// `words` for the package of the models.
fn models(mut cargo: Command, words: &[&str]) -> Command {
    cargo.args(words).arg("--manifest-path").arg(crate::root().join("models/Cargo.toml"));
    cargo.arg("--target-dir").arg(shell::target_folder().join("models"));
    cargo
}

fn nightly() -> Command {
    let mut cargo = Command::new("cargo");
    cargo.arg("+nightly").current_dir(crate::root());
    // Set by the stable cargo that runs this.
    for name in ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN"] {
        cargo.env_remove(name);
    }
    cargo
}
