//! OpenMP libraries and a compiler for tests, unpacked aside in `target/openmp`. Debian's packages
//! of LLVM's OpenMP libraries exclude each other, and of flang's packages, which take 840 MB, tests
//! need a few files. Without them all other tests run, and theirs say so.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::shell;

/// A package of Debian, the files in it, and the folder in `target/openmp` that they get into.
const PACKAGES: [(&str, &[&str], &str); 3] = [
    ("libomp5-14", &["./usr/lib/llvm-14/lib/*"], "llvm14"),
    ("flang-19", &["./usr/lib/llvm-19/bin/flang-new"], "flang"),
    (
        "libflang-19-dev",
        &["./usr/lib/llvm-19/lib/libFortran[DR]*.a", "./usr/lib/llvm-19/include/flang/*.mod"],
        "flang",
    ),
];

/// Intel's library, from PyPI.
const INTEL: &str = "intel-openmp==2025.0.4";
/// What takes it out of its package.
const UNPACK: &str = "
import glob, sys, zipfile
with zipfile.ZipFile(glob.glob('*.whl')[0]) as wheel:
    name = next(name for name in wheel.namelist() if name.endswith('/lib/libiomp5.so'))
    open('libiomp5.so', 'wb').write(wheel.read(name))
";

/// Unpacks what is missing.
pub fn unpack_missing() -> Result<()> {
    let root = std::path::absolute(shell::target_folder().join("openmp"))?;
    for (package, files, folder) in PACKAGES {
        let done = root.join(package);
        if !done.exists() {
            unpack(&root, package, files, &root.join(folder))?;
            fs::write(done, "")?;
        }
    }
    let intel = root.join("intel");
    if !intel.join("libiomp5.so").exists() {
        fs::create_dir_all(&intel)?;
        let pip = ["-m", "pip", "download", "-q", "--no-deps", "-d", ".", INTEL];
        shell::run(Command::new("python3").args(pip).current_dir(&intel))?;
        shell::run(Command::new("python3").args(["-c", UNPACK]).current_dir(&intel))?;
    }
    Ok(())
}

/// Downloads a package, and unpacks files of it.
fn unpack(root: &Path, package: &str, files: &[&str], folder: &Path) -> Result<()> {
    let fresh = root.join("fresh");
    let _ = fs::remove_dir_all(&fresh);
    fs::create_dir_all(&fresh)?;
    fs::create_dir_all(folder)?;
    shell::run(Command::new("apt-get").args(["-q", "download", package]).current_dir(&fresh))?;
    let archive = fs::read_dir(&fresh)?.next().context("apt-get has downloaded nothing")??.path();
    let mut open = Command::new("dpkg");
    let mut open = open.arg("--fsys-tarfile").arg(&archive).stdout(Stdio::piped()).spawn()?;
    let content = open.stdout.take().context("the output of dpkg")?;
    let mut tar = Command::new("tar");
    tar.args(["-x", "--wildcards", "-C"]).arg(folder).args(files).stdin(content);
    shell::run(&mut tar)?;
    ensure!(open.wait()?.success(), "dpkg cannot read {}", archive.display());
    fs::remove_dir_all(&fresh)?;
    Ok(())
}
