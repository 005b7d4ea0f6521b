//! `cargo xtask python`: builds the wheel of the Python package in the development profile,
//! installs it (`wheel.rs`), and runs the package's tests with the data frames and databases that
//! it must work with.

use std::process::Command;

use anyhow::Result;

use crate::{root, setup, shell, wheel};

/// Where the environment has its packages.
const PACKAGES: &str = "import sysconfig; print(sysconfig.get_path('purelib'))";

/// Builds and tests it.
pub fn run() -> Result<()> {
    let pompeii = shell::build_tests()?.canonicalize()?;
    let installed = wheel::install(&wheel::build(&pompeii)?)?;
    wheel::check(&installed)?;
    let mut packages = Command::new(installed.join("bin/python"));
    let packages = shell::output(packages.args(["-c", PACKAGES]))?;
    let folder = root().join("crates/python/tests");
    let mut tests = Command::new(setup::frames());
    tests.args(["-m", "unittest", "discover", "--start-directory"]).arg(&folder);
    shell::run(prepared(&mut tests, &packages)?)?;
    let mut hatchet = Command::new(std::path::absolute(setup::python())?);
    hatchet.args(["-m", "unittest", "oracle_hatchet"]).current_dir(folder);
    shell::run(prepared(&mut hatchet, &packages)?)
}

/// Gives tests the installed package, and what they need besides.
fn prepared<'a>(tests: &'a mut Command, packages: &str) -> Result<&'a mut Command> {
    tests.env("PYTHONPATH", packages).env("PYTHONDONTWRITEBYTECODE", "1");
    // The build of all tests has made it.
    let writer = std::path::absolute(shell::target_folder().join("debug/examples/trace"))?;
    Ok(tests.env("POMPEII_TRACE_WRITER", writer).env("POMPEII_ORACLES", "1"))
}
