//! What measuring costs per MPI call: processor time added to a ping-pong of empty messages and to
//! an Allreduce of eight bytes, between two processes, with each MPI library that is there.
//!
//! Both processes spin while they wait, so what one takes longer is time of the other, too: an
//! added time is that of both partners of a call, and no less than what the call itself costs. With
//! `--mpi-wait` each call has one of ours next to it.
//!
//! A usual program (`steps.c`) shows what the kinds of `--mpi-wait` cost in wall time.

mod steps;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::median;
use crate::shell;

const TURNS: usize = 5;
const SOURCE: &str = include_str!("micro.c");
const KINDS: [&str; 2] = ["ping-pong", "allreduce"];

/// A library's name behind its programs', and how it starts more processes than cores.
const LIBRARIES: [(&str, &[&str]); 2] = [("openmpi", &["--oversubscribe"]), ("mpich", &[])];

/// Builds the program plain and measured for each library, and prints a table.
pub fn run() -> Result<()> {
    let folder = shell::target_folder().join("bench/mpi");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("micro.c"), SOURCE)?;
    std::fs::write(folder.join("steps.c"), steps::SOURCE)?;
    let pompeii = shell::build_pompeii()?;
    println!("\nprocessor time per MPI call in ns, 2 processes; medians of {TURNS} turns");
    let [plain, profile, trace, waits] = ["plain", "profile adds", "trace adds", "waits add"];
    println!("{:20} {plain:>8} {profile:>14} {trace:>14} {waits:>14}", "");
    for (library, options) in LIBRARIES {
        let launcher = format!("mpirun.{library}");
        if !shell::works(&launcher, &["--version"]) {
            println!("{library}: not installed");
            continue;
        }
        build(&folder, &pompeii, (library, "micro"))?;
        build(&folder, &pompeii, (library, "steps"))?;
        let program =
            Program { folder: folder.clone(), pompeii: pompeii.clone(), launcher, options };
        for kind in KINDS {
            let [plain, measured @ ..] = program.measure(library, kind)?;
            let [profile, trace, waits] = measured.map(|time| time - plain);
            let name = format!("{library} {kind}");
            println!("{name:20} {plain:8.1} {profile:14.1} {trace:14.1} {waits:14.1}");
        }
        steps::run(&program, library)?;
    }
    Ok(())
}

fn build(folder: &Path, pompeii: &Path, (library, name): (&str, &str)) -> Result<()> {
    let compiler = format!("mpicc.{library}");
    let source = format!("{name}.c");
    let arguments = ["-O2", "-w", &source, "-o"];
    let plain = format!("{name}-plain.{library}");
    shell::run(Command::new(&compiler).args(arguments).arg(plain).current_dir(folder))?;
    let mut measured = Command::new(pompeii);
    measured.args(["compile", "-q", "--", &compiler]).args(arguments);
    shell::run(measured.arg(format!("{name}-measured.{library}")).current_dir(folder))
}

/// How a library's programs are started.
struct Program {
    folder: PathBuf,
    pompeii: PathBuf,
    launcher: String,
    options: &'static [&'static str],
}

impl Program {
    /// Medians of the plain program, with a profile, with a trace, and with a profile that has who
    /// waits for whom.
    fn measure(&self, library: &str, kind: &str) -> Result<[f64; 4]> {
        let mut times = [const { Vec::new() }; 4];
        for _ in 0..TURNS {
            times[0].push(self.start(&[], &format!("./micro-plain.{library}"), kind)?);
            times[1].push(self.start(&["-q"], &format!("./micro-measured.{library}"), kind)?);
            let trace = ["-q", "--trace", "--no-guard"];
            times[2].push(self.start(&trace, &format!("./micro-measured.{library}"), kind)?);
            let waits = ["-q", "--mpi-wait=all"];
            times[3].push(self.start(&waits, &format!("./micro-measured.{library}"), kind)?);
        }
        Ok(times.map(median))
    }

    /// Runs it, under `pompeii run` with these options where there are any.
    fn start(&self, options: &[&str], program: &str, kind: &str) -> Result<f64> {
        let experiment = self.folder.join("experiment");
        let _ = std::fs::remove_dir_all(&experiment);
        let mut command = Command::new(&self.launcher);
        if !options.is_empty() {
            command = Command::new(&self.pompeii);
            command.arg("run").args(options).arg("-o").arg(&experiment);
            command.arg("--").arg(&self.launcher);
        }
        command.args(self.options).args(["-n", "2", program, kind]).current_dir(&self.folder);
        // cargo's names other builds of the library.
        command.env_remove("LD_LIBRARY_PATH");
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        let output = command.output().context("cannot start the benchmark")?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.trim().parse().with_context(|| format!("`{program} {kind}` said {text:?}"))
    }
}
