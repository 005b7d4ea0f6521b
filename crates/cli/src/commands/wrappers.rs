//! `pompeii wrappers`: drop-in compilers, links to this binary that it knows by their names.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::say;

/// Options of `wrappers`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii wrappers --dir ~/bin
    CC=pompeii-gcc FC=pompeii-gfortran cmake -B build")]
pub struct Arguments {
    /// Where they go
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
}

const COMPILERS: [&str; 11] = [
    "gcc", "g++", "gfortran", "cc", "c++", "clang", "clang++", "mpicc", "mpicxx", "mpif90",
    "mpifort",
];

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let own = std::env::current_exe()?;
    fs::create_dir_all(&arguments.dir).with_context(|| arguments.dir.display().to_string())?;
    for compiler in COMPILERS {
        link(&own, &arguments.dir.join(format!("pompeii-{compiler}")))?;
    }
    say(format!("{} compilers in {}", COMPILERS.len(), arguments.dir.display()));
    Ok(ExitCode::SUCCESS)
}

fn link(own: &Path, path: &Path) -> Result<()> {
    if fs::read_link(path).is_ok() {
        fs::remove_file(path).with_context(|| path.display().to_string())?;
    }
    symlink(own, path).with_context(|| path.display().to_string())
}
