//! Installs each package into an empty folder, and uses it there as a user does: with an empty
//! home folder, and with the programs of the system only.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{glibc, packages, tools, tree};
use crate::{root, shell, wheel};

/// A program without OpenMP, because zig has no library of it.
const PROGRAM: &str = "\
#include <math.h>
#include <stdio.h>
double work(int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += sin(i);
    return sum;
}
int main(void) {
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += work(1000 * i);
    printf(\"%.3f\\n\", sum);
    return 0;
}
";

/// An installation.
struct Installed {
    prefix: PathBuf,
    /// An empty home folder, and where programs are compiled.
    home: PathBuf,
}

impl Installed {
    fn new(prefix: PathBuf, home: PathBuf) -> Result<Installed> {
        packages::empty(&home)?;
        Ok(Installed { prefix, home })
    }

    /// A command with the installed programs in `PATH`, and nothing else of this environment.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new("/usr/bin/env");
        command.arg(program).env_clear().current_dir(&self.home).env("HOME", &self.home);
        command.env("LC_ALL", "C.UTF-8");
        command.env("PATH", format!("{}:/usr/bin:/bin", self.prefix.join("bin").display()));
        command
    }

    /// Compiles, measures and reports an example.
    fn measures(&self) -> Result<()> {
        let source = root().canonicalize()?.join("examples/ocean/ocean.c");
        let mut compile = self.command("pompeii");
        compile.args(["compile", "--", "gcc", "-O2", "-fopenmp"]).arg(source);
        shell::run(compile.args(["-o", "ocean", "-lm"]))?;
        shell::run(self.command("pompeii").args(["run", "-o", "exp", "--", "./ocean", "64", "5"]))?;
        let report = shell::output(self.command("pompeii").args(["report", "exp"]))?;
        ensure!(report.contains("ocean.c"), "a report without a source line:\n{report}");
        let folder = shell::output(self.command("pompeii").args(["config", "--libdir"]))?;
        let own = self.prefix.join("lib/pompeii");
        ensure!(Path::new(&folder) == own, "libraries of {folder} are used, not those installed");
        Ok(())
    }

    /// No executable and no shared library needs a later C library.
    fn is_for_old_systems(&self) -> Result<()> {
        let files = [
            "bin/pompeii",
            "lib/pompeii/libpomp.so",
            "lib/pompeii/libpompeii-io.so",
            "lib/pompeii/libpompeii-threads.so",
        ];
        files.iter().try_for_each(|file| glibc::check(&self.prefix.join(file)))
    }

    /// What shells and `man` read is where they look, and they understand it.
    fn is_complete(&self) -> Result<()> {
        let share = self.prefix.join("share");
        let script = share.join("bash-completion/completions/pompeii");
        let mut bash = self.command("bash");
        bash.args(["-c", ". \"$1\" && complete -p pompeii", "bash"]).arg(script);
        let known = shell::output(&mut bash)?;
        ensure!(known.ends_with(" pompeii"), "bash completes nothing: {known}");
        let mut man = self.command("man");
        man.arg("-M").arg(share.join("man")).arg("pompeii-run").env("MANPAGER", "cat");
        let page = shell::output(&mut man)?;
        ensure!(page.contains("EXAMPLES"), "no manual page of `pompeii run`:\n{page}");
        let mut pkg_config = self.command("pkg-config");
        pkg_config.env("PKG_CONFIG_PATH", self.prefix.join("lib/pkgconfig"));
        shell::run(pkg_config.args(["--exists", "--print-errors", "pompeii"]))
    }

    /// The module file makes the command known to a shell.
    fn is_module(&self) -> Result<()> {
        let modules = self.prefix.join("share/modulefiles");
        let load = "eval \"$(tclsh \"$1\" bash load pompeii)\" && command -v pompeii";
        let mut bash = self.command("bash");
        bash.env("PATH", "/usr/bin:/bin").env("MODULEPATH", &modules).args(["-c", load, "bash"]);
        let found = shell::output(bash.arg(tools::modulecmd().canonicalize()?))?;
        let own = self.prefix.join("bin/pompeii");
        ensure!(Path::new(&found) == own, "the module file makes `{found}` known");
        Ok(())
    }

    /// A program for old systems, which zig links with the libraries that `config --libs` names.
    fn links_with_zig(&self) -> Result<()> {
        let zig = self.home.join("clang");
        let (major, minor) = glibc::HIGHEST;
        let target = format!("{}-linux-gnu.{major}.{minor}", std::env::consts::ARCH);
        let python = std::path::absolute(tools::program("python"))?;
        let start = format!("exec '{}' -m ziglang cc -target {target}", python.display());
        tree::write(&zig, &format!("#!/bin/sh\n{start} \"$@\"\n"))?;
        shell::run(Command::new("chmod").arg("+x").arg(&zig))?;
        tree::write(&self.home.join("sines.c"), PROGRAM)?;
        let mut compile = self.command("pompeii");
        compile.args(["compile", "--functions", "--", "./clang", "-O1", "-c", "sines.c"]);
        shell::run(compile.args(["-o", "sines.o"]))?;
        let libraries = shell::output(self.command("pompeii").args(["config", "--libs"]))?;
        let archive = self.prefix.join("lib/pompeii/libpomp.a");
        let mut link = self.command("./clang");
        link.arg("sines.o").arg("-rdynamic").arg(archive);
        // zig takes none of the options around them. gcc and clang name the library that walks
        // stacks by themselves, and zig does not.
        let names = libraries.split([' ', ',']).filter(|word| word.starts_with("-l"));
        shell::run(link.args(names).args(["-lgcc_s", "-o", "sines"]))?;
        glibc::check(&self.home.join("sines"))?;
        shell::run(self.command("pompeii").args(["run", "-o", "old", "--", "./sines"]))?;
        let flat = shell::output(self.command("pompeii").args(["report", "--flat", "old"]))?;
        let visits = flat.lines().filter_map(visits_of_work).next();
        ensure!(visits == Some("3"), "not 3 visits of `work`:\n{flat}");
        Ok(())
    }
}

/// The visits in a line of the flat profile, if the line is about the function `work`.
fn visits_of_work(line: &str) -> Option<&str> {
    line.strip_suffix(" work")?.split_whitespace().rev().nth(3)
}

/// Unpacks the tarball, and moves it to where its files do not expect to be.
pub fn tarball(package: &Path, folder: &Path) -> Result<()> {
    packages::empty(folder)?;
    let folder = folder.canonicalize()?;
    shell::run(Command::new("tar").arg("-xzf").arg(package).arg("-C").arg(&folder))?;
    let unpacked = fs::read_dir(&folder)?.next().context("an empty tarball")??.path();
    let moved = folder.join("moved");
    fs::rename(unpacked, &moved)?;
    let installed = Installed::new(moved, folder.join("home"))?;
    installed.measures()?;
    installed.is_for_old_systems()?;
    installed.is_complete()?;
    installed.is_module()?;
    installed.links_with_zig()
}

/// Installs the Debian package below a folder, with a database of packages of its own.
pub fn deb(package: &Path, folder: &Path) -> Result<()> {
    let database = folder.join("var/lib/dpkg");
    packages::empty(folder)?;
    for part in ["info", "updates", "triggers"] {
        fs::create_dir_all(database.join(part))?;
    }
    for file in ["status", "available"] {
        tree::write(&database.join(file), "")?;
    }
    let folder = folder.canonicalize()?;
    let mut dpkg = Command::new("dpkg");
    dpkg.arg("--root").arg(&folder).arg("--log").arg(folder.join("log"));
    // The C library is a package of the system, not of this folder.
    dpkg.args(["--force-not-root", "--force-depends", "--install"]);
    shell::run(dpkg.arg(package.canonicalize()?))?;
    let installed = Installed::new(folder.join("usr"), folder.join("home"))?;
    installed.measures()?;
    installed.is_for_old_systems()?;
    installed.is_complete()
}

/// Installs the wheel into an empty environment of Python, and has its tag checked.
pub fn wheel(package: &Path) -> Result<()> {
    let mut audit = Command::new(tools::program("auditwheel"));
    let shown = shell::output(audit.arg("show").arg(package))?;
    println!("{shown}");
    let (major, minor) = glibc::HIGHEST;
    let tag = format!("\"manylinux_{major}_{minor}_{}\"", std::env::consts::ARCH);
    ensure!(shown.contains(&tag), "auditwheel finds another tag than {tag}");
    wheel::check(&wheel::install(package)?)
}

#[cfg(test)]
mod tests {
    use super::visits_of_work;

    #[test]
    fn visits_are_read_from_a_line() {
        let line = "   12 %     91 µs     91 µs           3           0     30 µs  work";
        assert_eq!(visits_of_work(line), Some("3"));
        assert_eq!(visits_of_work("   time exclusive inclusive      visits  region"), None);
    }
}
