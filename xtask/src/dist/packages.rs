//! The tarball and the Debian package, made of the same tree. Files belong to root and have one
//! time, so that the same tree makes the same packages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::tree::{self, VERSION};
use crate::shell;

/// The time of all files, in seconds since 1970: the first one that archives of all kinds can name.
const TIME_S: &str = "315532800";

/// What Debian's tools read about the package. Programs are instrumented by their compilers, and
/// linked with tools of binutils.
const CONTROL: &str = "\
Package: pompeii
Version: @VERSION@
Architecture: @ARCHITECTURE@
Maintainer: The Pompeii developers <pompeii@example.invalid>
Section: devel
Priority: optional
Depends: libc6 (>= 2.17)
Recommends: gcc | clang, binutils
Description: performance observation for OpenMP and MPI programs
 Pompeii measures one run of a program in C, C++ or Fortran, and shows the lost time
 with its source line and cause.
";

/// Makes an empty folder.
pub fn empty(folder: &Path) -> Result<()> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())
}

/// Packs the tree, with its name in front of all paths.
pub fn tarball(tree: &Path, folder: &Path) -> Result<PathBuf> {
    let name = tree.file_name().context("a tree with a name")?.to_string_lossy().into_owned();
    let path = folder.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=go-w"]);
    tar.arg(format!("--mtime=@{TIME_S}")).arg("-czf").arg(&path);
    shell::run(tar.arg("-C").arg(tree.parent().unwrap_or(tree)).arg(&name))?;
    Ok(path)
}

/// Packs the tree below `/usr`.
pub fn deb(tree: &Path, folder: &Path) -> Result<PathBuf> {
    let stage = tree.with_file_name("deb");
    let _ = fs::remove_dir_all(&stage);
    let usr = stage.join("usr");
    fs::create_dir_all(&usr)?;
    shell::run(
        Command::new("cp").args(["-a", "--no-preserve=ownership"]).arg(tree.join(".")).arg(&usr),
    )?;
    // Debian has no environment modules of its own, and manual pages are compressed.
    fs::remove_dir_all(usr.join("share/modulefiles"))?;
    for page in fs::read_dir(usr.join("share/man/man1"))? {
        shell::run(Command::new("gzip").args(["-9", "-n"]).arg(page?.path()))?;
    }
    let mit = fs::read_to_string(crate::root().join("LICENSE-MIT"))?;
    let copyright =
        "The Apache License 2.0 or, at your choice, the MIT License:\n\n".to_owned() + &mit;
    tree::write(&usr.join("share/doc/pompeii/copyright"), &copyright)?;
    let architecture = shell::output(Command::new("dpkg").arg("--print-architecture"))?;
    let control = CONTROL.replace("@VERSION@", VERSION).replace("@ARCHITECTURE@", &architecture);
    tree::write(&stage.join("DEBIAN/control"), &control)?;
    let path = folder.join(format!("pompeii_{VERSION}_{architecture}.deb"));
    let mut pack = Command::new("dpkg-deb");
    pack.args(["--root-owner-group", "--build"]).arg(&stage).arg(&path);
    shell::run(pack.env("SOURCE_DATE_EPOCH", TIME_S))?;
    fs::remove_dir_all(stage)?;
    Ok(path)
}
