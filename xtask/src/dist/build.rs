//! The release build that zig links against an old C library. It has a target folder of its own,
//! because it would otherwise displace what the usual builds have made.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::{glibc, tools};
use crate::shell;

/// What packages are made of.
pub struct Built {
    /// The command.
    pub pompeii: PathBuf,
    /// The native part of the Python module.
    pub native: PathBuf,
}

impl Built {
    /// What lies in the folder of a build.
    pub fn in_folder(folder: &Path) -> Result<Built> {
        let folder = std::path::absolute(folder)?;
        let file = |name: &str| folder.join(name);
        let built = Built { pompeii: file("pompeii"), native: file("libpompeii_native.so") };
        for path in [&built.pompeii, &built.native] {
            ensure!(path.is_file(), "{} is missing: call without a folder", path.display());
        }
        Ok(built)
    }
}

/// Builds the command, with the measurement library in it, and the module.
pub fn release() -> Result<Built> {
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let target = super::folder();
    let (major, minor) = glibc::HIGHEST;
    let mut build = shell::cargo();
    build.args(["zigbuild", "--release", "-p", "pompeii-cli", "-p", "pompeii-python"]);
    build.args(["--target", &format!("{triple}.{major}.{minor}"), "--target-dir"]).arg(&target);
    shell::run(build.env("PATH", tools::path()?))?;
    Built::in_folder(&target.join(triple).join("release"))
}
