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
    pompeii wrappers --dir ~/bin gcc-12 icx
    CC=pompeii-gcc FC=pompeii-gfortran cmake -B build
    ./configure CC=pompeii-gcc
    POMPEII_INSTRUMENT='--verbose --pomp-disable=sync' make CC=pompeii-gcc")]
pub struct Arguments {
    /// Where they go
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// More compilers than the usual ones
    #[arg(value_name = "COMPILER")]
    more: Vec<String>,
}

const COMPILERS: [&str; 11] = [
    "gcc", "g++", "gfortran", "cc", "c++", "clang", "clang++", "mpicc", "mpicxx", "mpif90",
    "mpifort",
];

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let own = std::env::current_exe()?;
    let count = create(&arguments.dir, &own, &arguments.more)?;
    say(format!("{count} compilers in {}", arguments.dir.display()));
    Ok(ExitCode::SUCCESS)
}

/// Makes the links to the program, as seen from the folder; returns how many.
///
/// # Errors
/// What the system says.
pub fn create(folder: &Path, program: &Path, more: &[String]) -> Result<usize> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let compilers = COMPILERS.into_iter().chain(more.iter().map(String::as_str));
    for compiler in compilers {
        link(program, &folder.join(format!("pompeii-{compiler}")))?;
    }
    Ok(COMPILERS.len() + more.len())
}

fn link(own: &Path, path: &Path) -> Result<()> {
    if fs::read_link(path).is_ok() {
        fs::remove_file(path).with_context(|| path.display().to_string())?;
    }
    symlink(own, path).with_context(|| path.display().to_string())
}
