//! Running other programs: each is shown as it is started, and its failure is an error.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Runs `command` in the foreground.
pub fn run(command: &mut Command) -> Result<()> {
    println!("$ {}", shown(command));
    let status = command.status().with_context(|| shown(command))?;
    if !status.success() {
        bail!("`{}` failed: {status}", shown(command));
    }
    Ok(())
}

/// What a program prints, without the end of its line.
pub fn output(command: &mut Command) -> Result<String> {
    let done = command.output().with_context(|| shown(command))?;
    if !done.status.success() {
        let errors = String::from_utf8_lossy(&done.stderr);
        bail!("`{}` failed: {}\n{errors}", shown(command), done.status);
    }
    Ok(String::from_utf8(done.stdout)?.trim_end().to_owned())
}

/// Whether `program arguments` can be started and succeeds; its output is dropped.
pub fn works(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Gives `command` the folder and the environment of another one.
pub fn like<'a>(other: &Command, command: &'a mut Command) -> &'a mut Command {
    if let Some(folder) = other.get_current_dir() {
        command.current_dir(folder);
    }
    for (name, value) in other.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// The cargo that runs this.
pub fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(crate::root());
    cargo
}

/// Builds the command line and returns the path of the binary; `POMPEII_BINARY` names another one.
pub fn build_pompeii() -> Result<PathBuf> {
    if let Some(binary) = std::env::var_os("POMPEII_BINARY") {
        return std::path::absolute(binary).context("POMPEII_BINARY");
    }
    run(cargo().args(["build", "--release", "--package", "pompeii-cli"]))?;
    Ok(target_folder().join("release/pompeii"))
}

/// Builds all tests, and with them the command line that they run, whose path is returned;
/// `POMPEII_BINARY` names another one.
pub fn build_tests() -> Result<PathBuf> {
    if let Some(binary) = std::env::var_os("POMPEII_BINARY") {
        return std::path::absolute(binary).context("POMPEII_BINARY");
    }
    run(cargo().args(["test", "--workspace", "--no-run", "--quiet"]))?;
    Ok(target_folder().join("debug/pompeii"))
}

/// Where cargo builds.
pub fn target_folder() -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    named.unwrap_or_else(|| crate::root().join("target"))
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
