//! How many tasks per second a simulation executes. `pompeii tasks --threads` reads the trace and
//! makes the graph of its tasks, whatever it simulates. Therefore the difference between simulating
//! more and fewer numbers of threads is the time of the simulation alone.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{Bench, MILLION, cpu_s, events_or, peak_bytes, turns};
use crate::bench::cost::{self, Cost};
use crate::shell;

/// The least million tasks per second of CPU time.
const RATE_MIN: f64 = 4.0;
/// The run has 8 threads, and is simulated on these numbers of threads.
const FEW: &str = "8";
const MANY: &str = "8,2,16,32";
/// Simulations that only [`MANY`] has: each number of threads is simulated twice, with the newest
/// task first and with the oldest one first.
const MORE: f64 = 6.0;

impl Bench {
    /// Prints the table.
    pub(super) fn simulation(&self) -> Result<()> {
        let (anchor, _) = self.writer.write("tasks", (1, 8), events_or(30 * MILLION)?)?;
        let (mut few, mut many) = (Vec::new(), Vec::new());
        for _ in 0..turns()? {
            few.push(self.simulate(&anchor, FEW)?);
            many.push(self.simulate(&anchor, MANY)?);
        }
        let tasks = self.tasks(&anchor)? as f64 / MILLION as f64;
        let (few_s, many_s) = (cpu_s(&few), cpu_s(&many));
        let rate = tasks * MORE / (many_s - few_s);
        let peak = peak_bytes(&many) >> 20;
        let missed = if rate < RATE_MIN { "  MISSED" } else { "" };
        println!(
            "{:>7} {:>12} {:>20} {:>9} {:>5} {:>5}",
            "M tasks", "CPU s, for 8", "for 8, 2, 16 and 32", "M tasks/s", "goal", "MB"
        );
        println!(
            "{tasks:7.2} {few_s:12.2} {many_s:20.2} {rate:9.1} {RATE_MIN:5.1} {peak:5}{missed}"
        );
        println!("M tasks/s: of CPU time of the simulation alone");
        Ok(())
    }

    /// The number of tasks, all of which are simulated.
    fn tasks(&self, anchor: &Path) -> Result<u64> {
        let mut command = Command::new(&self.pompeii);
        command.args(["tasks", "--json", "--threads", FEW]).arg(anchor);
        let tasks: Value = serde_json::from_str(&shell::output(&mut command)?)?;
        let region = &tasks["regions"][0];
        ensure!(region["simulated"]["executions"] == 1, "the parallel region is not simulated");
        region["tasks"].as_u64().context("the parallel region has no number of tasks")
    }

    /// Simulates the tasks of a trace with one thread of the analysis.
    fn simulate(&self, anchor: &Path, on_threads: &str) -> Result<Cost> {
        let mut command = Command::new(&self.pompeii);
        command.args(["tasks", "-j", "1", "--threads", on_threads]).arg(anchor);
        let cost = cost::of(command.stdout(Stdio::null()))?;
        ensure!(cost.is_success, "tasks {} failed", anchor.display());
        Ok(cost)
    }
}
