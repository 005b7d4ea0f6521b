//! `pompeii wrappers`: drop-in compilers, links to this binary that it knows by their names. For
//! builds that call `gcc` whatever they are told, `--plain` adds scripts with the compilers' own
//! names, which come first in PATH.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::executables::executable_in;
use crate::output::say;
use crate::shell;
use crate::terminal::{cannot, shown};

/// Options of `wrappers`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii wrappers --dir ~/bin
    pompeii wrappers --dir ~/bin gcc-12 icx
    CC=pompeii-gcc FC=pompeii-gfortran cmake -B build
    ./configure CC=pompeii-gcc
    POMPEII_INSTRUMENT='--verbose --pomp-disable=sync' make CC=pompeii-gcc

For makefiles that contain the word gcc and ignore CC:
    pompeii wrappers --plain --dir ~/plain
    PATH=~/plain:$PATH make")]
pub struct Arguments {
    /// Folder for the drop-in compilers
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// Also use the compilers' own names, for makefiles that contain `gcc`; put DIR first in PATH
    #[arg(long)]
    plain: bool,
    /// Further compilers; the usual ones are always included, in all versions found in PATH
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
    let path = env::var_os("PATH").unwrap_or_default();
    let mut more = versioned(&path);
    more.extend(arguments.more.iter().cloned());
    let more: Vec<String> = more.into_iter().collect();
    let count = create(&arguments.dir, &own, &more)?;
    say(format!("{count} compilers in {}", shown(&arguments.dir)));
    if arguments.plain {
        let folder = fs::canonicalize(&arguments.dir)?;
        let count = create_plain(&folder, &path, &more)?;
        say(format!(
            "{count} of them also have the compilers' own names: PATH={}:$PATH",
            shown(&folder)
        ));
    }
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
    fs::create_dir_all(folder).with_context(|| cannot("create the folder", folder))?;
    let compilers = COMPILERS.into_iter().chain(more.iter().map(String::as_str));
    for compiler in compilers {
        link(program, &folder.join(format!("pompeii-{compiler}")))?;
    }
    Ok(COMPILERS.len() + more.len())
}

/// In every script, and nowhere else: within a compilation it is set.
const WITHIN: &str = "_pompeii_compiles";

/// Makes a script of its own name for each compiler that PATH has elsewhere; returns how many.
fn create_plain(folder: &Path, path: &OsStr, more: &[String]) -> Result<usize> {
    let is_other = |other: &PathBuf| !fs::canonicalize(other).is_ok_and(|other| other == folder);
    let others = env::join_paths(env::split_paths(path).filter(is_other))?;
    let names = COMPILERS.into_iter().chain(more.iter().map(String::as_str));
    let found = |name| Some((name, executable_in(&others, name)?));
    let compilers: Vec<(&str, PathBuf)> = names.filter_map(found).collect();
    for (name, _) in &compilers {
        refuse_others(&folder.join(name))?;
    }
    for (name, compiler) in &compilers {
        let script = folder.join(name);
        let drop_in = folder.join(format!("pompeii-{name}"));
        fs::write(&script, plain_script(&drop_in, &std::path::absolute(compiler)?))
            .and_then(|()| fs::set_permissions(&script, fs::Permissions::from_mode(0o755)))
            .with_context(|| cannot("write", &script))?;
    }
    Ok(compilers.len())
}

/// An error where a file stands that is none of our scripts, such as a compiler.
fn refuse_others(script: &Path) -> Result<()> {
    let Ok(kind) = fs::symlink_metadata(script) else { return Ok(()) };
    let is_ours = || fs::read_to_string(script).is_ok_and(|text| text.contains(WITHIN));
    if !kind.is_file() || !is_ours() {
        bail!(
            "{} exists and is no script of `pompeii wrappers`: for --plain, choose a folder of its \
             own; no script was made",
            shown(script)
        );
    }
    Ok(())
}

/// The drop-in compiler calls the compiler by its name, and `mpicc` calls `gcc`: within it, a
/// script is what it stands for.
fn plain_script(drop_in: &Path, compiler: &Path) -> Vec<u8> {
    let start = format!("#!/bin/sh\nif [ -n \"${WITHIN}\" ]; then exec ");
    let within = format!(" \"$@\"; fi\n{WITHIN}=1; export {WITHIN}\nexec ");
    let (drop_in, compiler) = (shell::word(drop_in), shell::word(compiler));
    let names = [compiler.as_bytes(), within.as_bytes(), drop_in.as_bytes()].concat();
    [start.as_bytes(), &names, b" \"$@\"\n"].concat()
}

fn link(own: &Path, path: &Path) -> Result<()> {
    if fs::read_link(path).is_ok() {
        fs::remove_file(path).with_context(|| cannot("remove", path))?;
    }
    symlink(own, path).with_context(|| cannot("create the link", path))
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
    fn a_compiler_is_not_overwritten() {
        let [own, tools] = [(), ()].map(|()| tempfile::tempdir().unwrap());
        for name in ["gcc", "g++"] {
            let tool = tools.path().join(name);
            fs::write(&tool, "a compiler").unwrap();
            fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let [own, tools] = [&own, &tools].map(|folder| fs::canonicalize(folder.path()).unwrap());
        let make = || create_plain(&own, tools.as_os_str(), &[]);
        symlink(tools.join("gcc"), own.join("gcc")).unwrap();
        let message = make().unwrap_err().to_string();
        assert!(message.contains("/gcc exists and is no script"), "{message}");
        assert_eq!(fs::read_to_string(tools.join("gcc")).unwrap(), "a compiler");
        assert!(!own.join("g++").exists());
        fs::remove_file(own.join("gcc")).unwrap();
        assert_eq!([make().unwrap(), make().unwrap()], [2, 2]);
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
