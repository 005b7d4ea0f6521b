//! The variants of a small program: as it is, instrumented by us with the library linked in both
//! ways, by OPARI2 for libraries that do nothing or only read the clock, and by the tools that are
//! installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::peers;
use crate::shell;

/// The program, and the line of it in place of which there are more callees.
const MICRO: &str = include_str!("micro.c");
const ONE_CALLEE: &str = "static void (*const callees[])(long) = { callee };\n";
const CALLEES: usize = 4_000;
const NULL_POMP2: &str = include_str!("null_pomp2.c");
const BUILD_LIBRARY: [&str; 5] = ["build", "--profile", "runtime", "--package", "pompeii-runtime"];

/// What a variant is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// The uninstrumented program by gcc.
    Gcc,
    /// The one by clang, the last variant of those that are compared with nothing.
    Clang,
    /// Nothing: it is what others are compared with.
    Nothing,
}

/// A program and the environment that it runs in.
pub struct Variant {
    /// Its column.
    pub name: String,
    /// What its column says is the difference to that.
    pub against: Against,
    /// Program and first arguments.
    pub command: Vec<String>,
    /// Where it runs; what it writes in `results` there is removed.
    pub folder: PathBuf,
    /// In values, RESULTS stands for that folder.
    pub environment: Vec<(String, String)>,
}

impl Variant {
    /// Runs `command` with this environment.
    pub fn new(name: &str, folder: &Path, command: &[&str], environment: &[(&str, &str)]) -> Self {
        let pairs = environment.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        Self {
            name: name.to_owned(),
            against: Against::Gcc,
            command: command.iter().map(|word| (*word).to_owned()).collect(),
            folder: folder.to_owned(),
            environment: pairs.collect(),
        }
    }

    /// What the program writes.
    pub fn results(&self) -> PathBuf {
        self.folder.join("results")
    }

    /// The program with these arguments, in a fresh place.
    pub fn start(&self, arguments: &[String], threads: u32) -> Result<Command> {
        let results = self.results();
        let _ = fs::remove_dir_all(&results);
        let (program, before) = self.command.split_first().context("a variant has a command")?;
        let mut command = Command::new(program);
        command.args(before).args(arguments).current_dir(&self.folder);
        command.env("OMP_NUM_THREADS", threads.to_string()).env("OMP_DYNAMIC", "false");
        // Cargo's would lead to a library of its own.
        command.env_remove("LD_LIBRARY_PATH");
        for (name, value) in &self.environment {
            command.env(name, value.replace("RESULTS", &results.display().to_string()));
        }
        Ok(command)
    }
}

/// What is compared.
pub struct Programs {
    /// Uninstrumented.
    pub plain: Variant,
    /// All others.
    pub variants: Vec<Variant>,
}

/// The program with all of its callees.
pub fn micro() -> String {
    let (mut functions, mut names) = (String::new(), String::new());
    for number in 0..CALLEES {
        functions += &format!(
            "static void callee_{number}(long i)\n{{\n#pragma pomp inst begin(c{number})\n    \
             NOTHING(i);\n#pragma pomp inst end(c{number})\n}}\n"
        );
        names += &format!("callee_{number},\n");
    }
    let table = format!("{functions}static void (*const callees[])(long) = {{\n{names}}};\n");
    MICRO.replace(ONE_CALLEE, &table)
}

/// Builds all of them in `folder`.
pub fn build(folder: &Path) -> Result<Programs> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("micro.c"), micro())?;
    let options = ["-O2", "-fopenmp", "-w"];
    let program = [&options[..], &["micro.c"]].concat();
    let plain = plain(folder, &program)?;
    let mut variants = opari2(folder, &options)?;
    variants.extend(ours(folder, &program, &[("", "libpomp.a"), (" shared", "libpomp.so")])?);
    variants.extend(before(folder, &program)?);
    variants.extend(peers::build(folder, &program)?);
    Ok(Programs { plain, variants })
}

/// The uninstrumented program; `options` say its sources, too.
pub fn plain(folder: &Path, options: &[&str]) -> Result<Variant> {
    let program = folder.join("plain").display().to_string();
    gcc(folder, &[options, &["-o", &program, "-lm"]].concat())?;
    Ok(Variant::new("plain", folder, &[&program], &[]))
}

fn gcc(folder: &Path, arguments: &[&str]) -> Result<()> {
    shell::run(Command::new("gcc").args(arguments).current_dir(folder))
}

fn opari2(folder: &Path, options: &[&str]) -> Result<Vec<Variant>> {
    if !shell::works("opari2", &["--help"]) || !shell::works("opari2-config", &["--version"]) {
        println!("NOT RUN: opari2 is not installed (Debian: apt-get install opari2 libpomp2-dev)");
        return Ok(Vec::new());
    }
    fs::write(folder.join("null_pomp2.c"), NULL_POMP2)?;
    let opari2 = ["--omp-task-untied=keep", "micro.c", "micro_opari2.c"];
    shell::run(Command::new("opari2").args(opari2).current_dir(folder))?;
    let mut variants = Vec::new();
    for (name, library) in [("opari2+null", "-DNO_CLOCK"), ("opari2+clock", "-DREAD_CLOCK")] {
        let program = folder.join(name).display().to_string();
        let sources = ["micro_opari2.c", "null_pomp2.c", library, "-o", &program];
        gcc(folder, &[options, &sources].concat())?;
        variants.push(Variant::new(name, folder, &[&program], &[]));
    }
    Ok(variants)
}

/// The library as it is shipped, linked in these ways: the mode's suffix, and the library's file.
pub fn ours(folder: &Path, options: &[&str], links: &[(&str, &str)]) -> Result<Vec<Variant>> {
    let pompeii = shell::build_pompeii()?;
    shell::run(shell::cargo().args(BUILD_LIBRARY))?;
    let libraries = fs::canonicalize(shell::target_folder().join("runtime"))?;
    linked(folder, options, (&pompeii, &libraries), links)
}

/// The library of the checkout of another version that `BENCH_BEFORE` names, built there.
fn before(folder: &Path, options: &[&str]) -> Result<Vec<Variant>> {
    let Some(checkout) = std::env::var_os("BENCH_BEFORE") else { return Ok(Vec::new()) };
    let checkout = fs::canonicalize(checkout).context("BENCH_BEFORE names a checkout")?;
    for build in [&["build", "--release", "--package", "pompeii-cli"][..], &BUILD_LIBRARY] {
        let mut cargo = Command::new("cargo");
        shell::run(cargo.args(build).current_dir(&checkout).env_remove("CARGO_TARGET_DIR"))?;
    }
    let (pompeii, libraries) = ("target/release/pompeii", "target/runtime");
    let version = (checkout.join(pompeii), checkout.join(libraries));
    linked(folder, options, (&version.0, &version.1), &[(" before", "libpomp.a")])
}

/// The program instrumented by a version of ours, linked with its libraries in these ways.
fn linked(
    folder: &Path,
    options: &[&str],
    (pompeii, libraries): (&Path, &Path),
    links: &[(&str, &str)],
) -> Result<Vec<Variant>> {
    let mut variants = Vec::new();
    for (link, library) in links {
        let program = folder.join(format!("ours{}", link.trim())).display().to_string();
        let library = libraries.join(library).display().to_string();
        let path = format!("-Wl,-rpath,{}", libraries.display());
        let mut command = Command::new(pompeii);
        command.args(["compile", "--quiet", "--pomp-library", &library, "--", "gcc"]);
        command.args(options).args(["-o", &program, &path, "-lm"]).current_dir(folder);
        shell::run(&mut command)?;
        for (mode, trace) in [("profile", "0"), ("trace", "1")] {
            // Every event has its record.
            let guard = ("POMPEII_GUARD", "0");
            let environment = [("POMPEII_EXPERIMENT", "RESULTS"), ("POMPEII_TRACE", trace), guard];
            let name = format!("{mode}{link}");
            variants.push(Variant::new(&name, folder, &[&program], &environment));
        }
    }
    Ok(variants)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_has_all_callees() {
        assert_eq!(micro().matches("\ncallee_").count(), CALLEES);
        assert_eq!(micro().matches("callees[]").count(), 1);
    }
}
