//! `pompeii wrappers`: drop-in compilers, links to this binary that it knows by their names.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
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
    /// More compilers than the usual ones, which are taken with every version that is in PATH
    #[arg(value_name = "COMPILER")]
    more: Vec<String>,
}

/// The usual ones. Those of them in PATH that have a version in their names get wrappers as well.
const COMPILERS: [&str; 11] = [
    "gcc", "g++", "gfortran", "cc", "c++", "clang", "clang++", "mpicc", "mpicxx", "mpif90",
    "mpifort",
];

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let own = env::current_exe()?;
    let mut more = versioned(&env::var_os("PATH").unwrap_or_default());
    more.extend(arguments.more.iter().cloned());
    let count = create(&arguments.dir, &own, &more.into_iter().collect::<Vec<_>>())?;
    say(format!("{count} compilers in {}", arguments.dir.display()));
    Ok(ExitCode::SUCCESS)
}

/// The usual compilers with a version in their names, `gcc-12` and `clang++-19`, in these folders.
fn versioned(folders: &OsStr) -> BTreeSet<String> {
    let has_version = |name: &str| {
        COMPILERS.iter().filter_map(|compiler| name.strip_prefix(compiler)).any(|rest| {
            let version = rest.strip_prefix('-').unwrap_or_default();
            let number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            version.split('.').all(number)
        })
    };
    let entries = env::split_paths(folders).filter_map(|folder| fs::read_dir(folder).ok());
    let names =
        entries.flatten().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| has_version(name)).collect()
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that fails may panic")]
mod tests {
    use super::*;

    #[test]
    fn compilers_with_versions_are_found() {
        let [one, two] = [(), ()].map(|()| tempfile::tempdir().unwrap());
        for name in ["gcc", "gcc-12", "gcc-ar-12", "gcc-", "clang++-19", "c++filt-12", "ccache-3"] {
            fs::write(one.path().join(name), "").unwrap();
        }
        for name in ["gfortran-12.3", "gcc-12", "gcc-12.bak", "x86_64-linux-gnu-gcc-12"] {
            fs::write(two.path().join(name), "").unwrap();
        }
        let missing = one.path().join("missing");
        let path = env::join_paths([one.path(), missing.as_path(), two.path()]).unwrap();
        let found: Vec<String> = versioned(&path).into_iter().collect();
        assert_eq!(found, ["clang++-19", "gcc-12", "gfortran-12.3"]);
    }

    #[test]
    fn each_compiler_gets_one_link() {
        let folder = tempfile::tempdir().unwrap();
        let more = ["gcc-12".to_owned()];
        let program = Path::new("pompeii");
        for _ in 0..2 {
            assert_eq!(create(folder.path(), program, &more).unwrap(), COMPILERS.len() + 1);
        }
        assert_eq!(fs::read_link(folder.path().join("pompeii-gcc-12")).unwrap(), program);
    }
}
