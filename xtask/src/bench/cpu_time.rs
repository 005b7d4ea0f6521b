//! Processor time of a process, user and system together: what it costs per core, also on a machine
//! that others use as well.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

/// Runs `program arguments` with its output thrown away; returns the seconds.
pub fn seconds(program: &str, arguments: &[&str]) -> Result<f64> {
    Ok(output(Command::new(program).args(arguments))?.0)
}

/// Runs the command; returns the seconds and what it has written to its standard output. A shell
/// counts them, in milliseconds.
pub fn output(command: &mut Command) -> Result<(f64, String)> {
    let script = "TIMEFORMAT='%3U %3S'; time \"$@\" 2> /dev/null";
    let mut bash = Command::new("bash");
    bash.args(["-ec", script, "bash"]).arg(command.get_program()).args(command.get_args());
    shell::like(command, &mut bash);
    let output = bash.env("LC_ALL", "C").output().context("bash")?;
    if !output.status.success() {
        bail!("`{command:?}` failed: {}", output.status);
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let numbers = text.split_whitespace().map(str::parse::<f64>);
    let numbers = numbers.collect::<Result<Vec<_>, _>>().with_context(|| text.clone())?;
    Ok((numbers.iter().sum(), String::from_utf8_lossy(&output.stdout).into_owned()))
}
