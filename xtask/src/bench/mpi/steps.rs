//! What measuring the waiting between processes costs a usual program: a step of two processes is
//! 100 us of work, a halo of 8 kB, and one Allreduce. Programs without measurement and measured
//! ones run in alternating pairs; the medians of their ratios have intervals of 95 %.

use anyhow::{Context, Result};

use super::Program;
use crate::truth::statistics::Median;

pub(super) const SOURCE: &str = include_str!("steps.c");
const PAIRS: usize = 15;
/// The steps of `steps.c`.
const STEPS: f64 = 3000.0;
/// The work of a step, and turns of its loop that take about as long.
const WORK_US: f64 = 100.0;
const FIRST_TURNS: f64 = 300_000.0;
/// What is measured by default must not cost more.
const MOST_PERCENT: f64 = 2.0;

/// Prints a line for each kind of waiting that can be measured.
pub(super) fn run(program: &Program, library: &str) -> Result<()> {
    let [plain, measured] = ["plain", "measured"].map(|which| format!("./steps-{which}.{library}"));
    let first = program.start(&[], &plain, &FIRST_TURNS.to_string())?;
    let turns = (FIRST_TURNS * WORK_US / (first / STEPS * 1e6)).round().to_string();
    for kind in ["no", "collectives", "all"] {
        let wait = format!("--mpi-wait={kind}");
        let mut ratios = Vec::new();
        for _ in 0..PAIRS {
            let without = program.start(&[], &plain, &turns)?;
            ratios.push(program.start(&["-q", &wait], &measured, &turns)? / without);
        }
        let Median { value, low, high } = Median::of(&ratios).context("too few pairs")?;
        let [value, low, high] = [value, low, high].map(|ratio| 100.0 * (ratio - 1.0));
        let is_sure = if high <= MOST_PERCENT { "" } else { "not " };
        println!(
            "{library:8} {wait:22} {value:+6.2} % ({low:+.2} to {high:+.2}), {is_sure}at most \
             {MOST_PERCENT} %"
        );
    }
    Ok(())
}
