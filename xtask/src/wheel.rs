//! The wheel of the Python package: it has the module, the command, and the launcher of the
//! command. It is installed and tested as a user has it: in an empty environment, with an empty
//! home folder, and without cargo among the programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::{root, setup, shell};

/// The native part of the module, as cargo names it.
const NATIVE: &str = "debug/libpompeii_native.so";

/// The last part of the wheel's tag: it is for machines like this one, and for no others.
const PLATFORM: &str = "import sysconfig; print(sysconfig.get_platform().replace('-', '_'))";

/// What an installed package must do, with the folder of the examples as its first argument.
const CHECK: &str = "
import os, subprocess, sys, pompeii
source = os.path.join(sys.argv[1], 'ocean', 'ocean.c')
compiler = ['gcc', '-O2', '-fopenmp', source, '-o', 'ocean', '-lm']
subprocess.run(['pompeii', 'compile', '--', *compiler], check=True)
x = pompeii.run(['./ocean', '64', '5'], trace=True, output='measured')
assert x.totals()['time'] > 0 and len(list(x.visits)) > 0
subprocess.run([sys.executable, '-m', 'pompeii', '--version'], check=True)
";

/// Builds the wheel in the development profile, with this command in it. Returns its path.
pub fn build(pompeii: &Path) -> Result<PathBuf> {
    // All libraries, because cargo would compile some again if this one was built on its own: the
    // features of foreign crates are those that all chosen crates need together.
    shell::run(shell::cargo().args(["build", "--quiet", "--workspace", "--lib"]))?;
    let folder = shell::target_folder().join("wheels");
    let _ = fs::remove_dir_all(&folder);
    let platform = shell::output(Command::new(setup::frames()).args(["-c", PLATFORM]))?;
    pack(&shell::target_folder().join(NATIVE), pompeii, &platform, &folder)
}

/// Makes a wheel of the native part and the command, with this platform in its tag.
pub fn pack(native: &Path, pompeii: &Path, platform: &str, folder: &Path) -> Result<PathBuf> {
    let mut wheel = Command::new(setup::frames());
    wheel.arg(root().join("crates/python/wheel.py")).arg(native).arg(pompeii);
    wheel.args([env!("CARGO_PKG_VERSION"), platform]).arg(folder);
    Ok(PathBuf::from(shell::output(&mut wheel)?))
}

/// Installs the wheel into an empty environment. Returns its folder.
pub fn install(wheel: &Path) -> Result<PathBuf> {
    let folder = shell::target_folder().join("wheel");
    let mut empty = Command::new(setup::frames());
    shell::run(empty.args(["-m", "venv", "--without-pip", "--clear"]).arg(&folder))?;
    let folder = folder.canonicalize()?;
    // The environment of the data frames has a program that installs packages.
    let mut install = Command::new(setup::frames());
    install.args(["-m", "pip", "--python"]).arg(folder.join("bin/python"));
    install.args(["install", "--quiet", "--no-index", "--no-deps", "--no-compile"]);
    shell::run(install.arg(wheel))?;
    Ok(folder)
}

/// Tests what is installed: it compiles, measures and opens an example.
pub fn check(installed: &Path) -> Result<()> {
    let (home, work) = (installed.join("home"), installed.join("work"));
    [&home, &work].into_iter().try_for_each(fs::create_dir_all)?;
    let bin = installed.join("bin");
    let mut test = Command::new(bin.join("python"));
    test.args(["-c", CHECK]).arg(root().join("examples").canonicalize()?);
    test.current_dir(&work).env_clear().env("HOME", home);
    shell::run(test.env("PATH", format!("{}:/usr/bin:/bin", bin.display())))
}
