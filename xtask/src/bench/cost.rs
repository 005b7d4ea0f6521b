//! What a command takes: CPU time, wall time and memory. Its memory is looked at while it runs,
//! because the operating system has the largest of all children only.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use nix::sys::resource::{UsageWho, getrusage};

/// Time from one look at the memory to the next.
const PAUSE: Duration = Duration::from_millis(2);

/// What a command took.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    pub cpu_s: f64,
    pub wall_s: f64,
    /// Largest resident memory.
    pub peak_bytes: u64,
    pub is_success: bool,
}

/// Runs the command; no other child may end meanwhile.
#[allow(clippy::disallowed_methods, reason = "a benchmark measures wall time")]
pub fn of(command: &mut Command) -> Result<Cost> {
    let (before_s, begin) = (cpu_s_of_children()?, Instant::now());
    let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
    let status = Path::new("/proc").join(child.id().to_string()).join("status");
    let mut peak_kb = 0;
    let ended = loop {
        peak_kb = fs::read_to_string(&status).ok().and_then(|text| peak(&text)).unwrap_or(peak_kb);
        match child.try_wait()? {
            Some(ended) => break ended,
            None => std::thread::sleep(PAUSE),
        }
    };
    Ok(Cost {
        cpu_s: cpu_s_of_children()? - before_s,
        wall_s: begin.elapsed().as_secs_f64(),
        peak_bytes: peak_kb * 1024,
        is_success: ended.success(),
    })
}

/// The largest resident memory so far, in kilobytes.
fn peak(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// CPU time of all children that have ended.
fn cpu_s_of_children() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("getrusage")?;
    let times = [usage.user_time(), usage.system_time()];
    Ok(times.iter().map(|time| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6).sum())
}
