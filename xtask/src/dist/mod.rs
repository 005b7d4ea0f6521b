//! `cargo xtask dist [FOLDER]`: what users install without Rust, in `target/dist/packages`: the
//! wheel, a tarball that may lie anywhere, and a Debian package. Each is tested by installing it
//! into an empty folder, with an empty environment and without cargo; the recipes for Spack and
//! for containers are checked, too.
//!
//! All of it runs on systems with version 2.17 of the C library or later, because zig links it
//! against that version. FOLDER has the files of an earlier build, which are packed as they are.

mod build;
mod glibc;
mod packages;
mod recipes;
mod tools;
mod tree;
mod trial;

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::{shell, wheel};

/// The wheel's platform: what pip calls systems with version 2.17 of the C library.
const PLATFORM: &str = "manylinux2014";

/// Makes all packages and tests them.
pub fn run(built: Option<&str>) -> Result<()> {
    tools::install()?;
    let built = match built {
        Some(folder) => build::Built::in_folder(Path::new(folder))?,
        None => build::release()?,
    };
    let folder = folder();
    let tree = tree::make(&built.pompeii, &folder.join("tree"))?;
    let packages = folder.join("packages");
    packages::empty(&packages)?;
    let tarball = packages::tarball(&tree, &packages)?;
    let deb = packages::deb(&tree, &packages)?;
    let platform = format!("{PLATFORM}_{}", std::env::consts::ARCH);
    let wheel = wheel::pack(&built.native, &built.pompeii, &platform, &packages)?;

    glibc::check(&built.native)?;
    trial::tarball(&tarball, &folder.join("trial tarball"))?;
    trial::deb(&deb, &folder.join("trial-deb"))?;
    trial::wheel(&wheel)?;
    recipes::check(&built.pompeii, &folder.join("trial-spack"))?;
    for package in [&tarball, &deb, &wheel] {
        println!("{:>10} bytes  {}", package.metadata()?.len(), package.display());
    }
    Ok(())
}

/// Where everything lies.
fn folder() -> PathBuf {
    shell::target_folder().join("dist")
}
