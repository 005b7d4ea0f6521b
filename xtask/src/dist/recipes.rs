//! The recipes for Spack and for containers. That for containers is read by a checker of such
//! files. Spack is no package of Debian or PyPI: if it is not here, the steps of its recipe are
//! done without it.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::{packages, tools};
use crate::{root, shell};

/// Checks both; `folder` is where the one for Spack installs.
pub fn check(pompeii: &Path, folder: &Path) -> Result<()> {
    let recipes = root().join("packaging");
    shell::run(Command::new(tools::program("hadolint")).arg(recipes.join("Containerfile")))?;
    let repository = recipes.join("spack/spack_repo/pompeii");
    let recipe = repository.join("packages/pompeii/package.py");
    packages::empty(&folder.join("bin"))?;
    fs::copy(pompeii, folder.join("bin/pompeii"))?;
    let mut steps = Command::new("python3");
    steps.arg(recipes.join("spack/check.py").canonicalize()?).arg(recipe.canonicalize()?);
    shell::run(steps.arg(folder.canonicalize()?).current_dir(root()))?;
    if !shell::works("spack", &["--version"]) {
        println!("spack is not here: its recipe was checked without it");
        return Ok(());
    }
    let repositories = format!("repos:[{}]", repository.canonicalize()?.display());
    shell::run(Command::new("spack").args(["-c", &repositories, "info", "pompeii"]))
}
