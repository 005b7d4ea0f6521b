//! Processor time of a process, user and system together: what it costs per core, also on a machine
//! that others use as well.

use std::process::Command;

use anyhow::{Context, Result, bail};

/// Runs `program arguments` with its output thrown away; returns the seconds. The shell counts
/// them, in milliseconds.
pub fn seconds(program: &str, arguments: &[&str]) -> Result<f64> {
    let script = "TIMEFORMAT='%3U %3S'; time \"$@\" > /dev/null 2> /dev/null";
    let mut bash = Command::new("bash");
    bash.args(["-ec", script, "bash", program]).args(arguments).env("LC_ALL", "C");
    let output = bash.output().context("bash")?;
    if !output.status.success() {
        bail!("`{program} {}` failed: {}", arguments.join(" "), output.status);
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let numbers = text.split_whitespace().map(str::parse::<f64>);
    let numbers = numbers.collect::<Result<Vec<_>, _>>().with_context(|| text.clone())?;
    Ok(numbers.iter().sum())
}
