//! `cargo xtask demo`: Pompeii on the ocean example, with one and with two threads.

use std::process::Command;

use anyhow::Result;

use crate::{root, setup, shell};

/// Installs what is missing, builds, compiles the example, runs it, and says what to type next.
pub fn run() -> Result<()> {
    setup::install(setup::Purpose::Demo)?;
    let pompeii = shell::build_pompeii()?.canonicalize()?;
    let folder = shell::target_folder().join("demo");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    let source = root().join("examples/ocean/ocean.c").canonicalize()?;
    let mut compile = Command::new(&pompeii);
    compile.args(["compile", "--strict", "--", "gcc", "-O2", "-fopenmp"]).arg(source);
    shell::run(compile.args(["-o", "ocean", "-lm"]).current_dir(&folder))?;
    for threads in ["1", "2"] {
        let mut program = Command::new(&pompeii);
        program.args(["run", "-o", &format!("threads-{threads}"), "--", "./ocean"]);
        shell::run(program.env("OMP_NUM_THREADS", threads).current_dir(&folder))?;
    }
    let experiment = folder.join("threads-2").canonicalize()?;
    println!("\nNext, look at all three dimensions of the second run, as text or as a page:");
    println!("  {} report {}", pompeii.display(), experiment.display());
    println!("  {} html {} -o ocean.html", pompeii.display(), experiment.display());
    Ok(())
}
