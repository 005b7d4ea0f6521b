//! Unification of the definitions of 64 to 10,000 simulated ranks: the time per rank is to stay
//! below a second and to grow with the logarithm of their number, and so is the memory beside the
//! union.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::shell;

pub fn run() -> Result<()> {
    let arguments = ["build", "--release", "-q", "-p", "pompeii-model", "--example", "unify"];
    ensure!(Command::new("cargo").args(arguments).status()?.success(), "cargo build failed");
    let program = shell::target_folder().join("release/examples/unify");
    for ranks in ["64", "1000", "10000"] {
        ensure!(Command::new(&program).arg(ranks).status()?.success(), "unify {ranks} failed");
    }
    Ok(())
}
