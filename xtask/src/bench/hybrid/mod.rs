//! What measuring costs a program of MPI and OpenMP that has more processes than cores: processor
//! time of all processes, for start and end (no steps) and for the steps, and that of finishing the
//! experiment.
//!
//! Processes that wait spin and give their core away again and again, so processor time is about
//! cores x wall time, and everything that makes one process later costs time in the others. On a
//! machine that does other work as well, the medians differ by more than what is measured.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::{cpu_time, median};
use crate::shell;

const TURNS: usize = 9;
const PROCESSES: &str = "8";
const STEPS: &str = "400";
const SOURCE: &str = include_str!("halo.c");
const KINDS: [&str; 3] = ["plain", "profile", "trace"];

/// Seconds of processor time: start and end, start and end with steps, finishing after that.
type Times = [Vec<f64>; 3];

/// Builds the program plain and measured, runs both in turns, and prints a table.
pub fn run() -> Result<()> {
    if !shell::works("mpirun.openmpi", &["--version"]) {
        println!("Open MPI is not installed");
        return Ok(());
    }
    let folder = shell::target_folder().join("bench/hybrid");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("halo.c"), SOURCE)?;
    let pompeii = shell::build_pompeii()?;
    let arguments = ["mpicc.openmpi", "-O2", "-fopenmp", "halo.c", "-o"];
    let mut plain = Command::new(arguments[0]);
    shell::run(plain.args(&arguments[1..]).arg("plain").current_dir(&folder))?;
    let mut measured = Command::new(&pompeii);
    measured.args(["compile", "-q", "--"]).args(arguments);
    shell::run(measured.arg("measured").current_dir(&folder))?;
    let mut times: [Times; 3] = Default::default();
    for _ in 0..TURNS {
        for (kind, times) in KINDS.iter().zip(&mut times) {
            turn(&folder, &pompeii, kind, times)?;
        }
    }
    print(times);
    Ok(())
}

fn turn(folder: &Path, pompeii: &Path, kind: &str, times: &mut Times) -> Result<()> {
    let experiment = folder.join("experiment");
    for (steps, times) in ["0", STEPS].into_iter().zip(&mut *times) {
        let _ = std::fs::remove_dir_all(&experiment);
        std::fs::create_dir(&experiment)?;
        times.push(cpu_time::output(&mut start(folder, &experiment, kind, steps))?.0);
    }
    let mut finish = Command::new(pompeii);
    finish.arg("recover").arg(&experiment);
    times[2].push(if kind == "plain" { 0.0 } else { cpu_time::output(&mut finish)?.0 });
    Ok(())
}

/// All processes, one thread each; a measured one leaves live state in `experiment`.
fn start(folder: &Path, experiment: &PathBuf, kind: &str, steps: &str) -> Command {
    let program = if kind == "plain" { "./plain" } else { "./measured" };
    let mut command = Command::new("mpirun.openmpi");
    command.args(["--oversubscribe", "-n", PROCESSES, program, steps]).current_dir(folder);
    command.env("OMP_NUM_THREADS", "1").env("POMPEII_EXPERIMENT", experiment);
    command.env("POMPEII_TRACE", if kind == "trace" { "1" } else { "0" });
    // cargo's names other builds of the library.
    command.env_remove("LD_LIBRARY_PATH");
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command
}

fn print(times: [Times; 3]) {
    println!(
        "\nprocessor time in s, {PROCESSES} processes, {STEPS} steps; medians of {TURNS} turns"
    );
    let [start, steps, adds, finish] = ["start, end", "steps", "steps add", "finish"];
    println!("{:8} {start:>11} {steps:>8} {adds:>10} {finish:>8}", "");
    let mut plain = None;
    for (kind, [start, whole, finish]) in KINDS.iter().zip(times) {
        let steps = median(whole.iter().zip(&start).map(|(whole, start)| whole - start).collect());
        let adds = (steps / *plain.get_or_insert(steps) - 1.0) * 100.0;
        let (start, finish) = (median(start), median(finish));
        println!("{kind:8} {start:11.3} {steps:8.3} {adds:8.0} % {finish:8.3}");
    }
}
