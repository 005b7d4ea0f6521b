//! The library of wrappers for an MPI library: made from its `mpi.h` with its own compiler, once,
//! and kept under what has gone into it. It is made where programs are built, never where they run:
//! compute nodes have no compiler, and perhaps no home that can be written to (decision 29).

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};
use pompeii_mpi::Fortran;

use super::Mpi;
use crate::library;

/// The library's name; programs that were linked with it have it in them.
pub const NAME: &str = "libpompeii-mpi.so";

/// What stands for the library while a program is linked: one of the same name without any
/// function. It is the first of all, so that the wrappers come before other tools when the program
/// starts: those call MPI itself, and we call what is next. The program's symbols are resolved as
/// ever.
pub fn stand_in(library: &Path) -> PathBuf {
    library.with_file_name("order").join(NAME)
}

/// What compiled wrappers are made of.
struct Source {
    text: String,
    key: u64,
}

/// The library of wrappers, made where it is not there yet.
///
/// # Errors
/// Where the compiler fails, or there is no place for it.
pub fn library(mpi: &Mpi) -> Result<PathBuf> {
    let source = source(mpi)?;
    if let Some(found) = kept(&source) {
        return Ok(found);
    }
    let mut tried = Vec::new();
    for base in library::places("mpi") {
        let folder = base.join(format!("{:016x}", source.key));
        match build(mpi, &source, &folder) {
            Ok(made) => return Ok(made),
            Err(error) => tried.push(format!("{}: {error:#}", folder.display())),
        }
    }
    bail!("cannot make the wrappers of MPI for `{}`: {}", mpi.name(), tried.join("; "))
}

/// The library, where it has been made.
///
/// # Errors
/// Where `mpi.h` cannot be read.
pub fn known(mpi: &Mpi) -> Result<Option<PathBuf>> {
    Ok(kept(&source(mpi)?))
}

fn kept(source: &Source) -> Option<PathBuf> {
    let folders = library::places("mpi").into_iter();
    let mut files = folders.map(|base| base.join(format!("{:016x}", source.key)).join(NAME));
    files.find(|file| file.exists())
}

/// All libraries of wrappers that have been made, the newest first.
pub fn all() -> Vec<PathBuf> {
    let folders = library::places("mpi").into_iter().filter_map(|base| fs::read_dir(base).ok());
    let files = folders.flatten().flatten().map(|entry| entry.path().join(NAME));
    let age = |file: &PathBuf| fs::metadata(file).and_then(|file| file.modified()).ok();
    let mut files: Vec<PathBuf> = files.filter(|file| file.exists()).collect();
    files.sort_by_key(|file| std::cmp::Reverse(age(file)));
    files
}

/// The text of the wrappers, and what makes them these and no others: the text, the compiler, and
/// the runtime library that they call.
fn source(mpi: &Mpi) -> Result<Source> {
    let folder = tempfile::tempdir()?;
    let include = folder.path().join("include.c");
    fs::write(&include, "#include <mpi.h>\n")?;
    let header = preprocessed(mpi, &include, &[])?;
    let macros = preprocessed(mpi, &include, &["-dM"])?;
    let fortran = match macros.contains("#define MPICH_VERSION ") {
        true => Fortran::CallsC,
        false => Fortran::IsItsOwn,
    };
    let text = pompeii_mpi::generate(&header, fortran)
        .with_context(|| format!("mpi.h of `{}`", mpi.name()))?;
    let mut hasher = DefaultHasher::new();
    let made_by = (version(mpi), library::folder()?, library::content_hash());
    (&text, &mpi.compiler, made_by, "with a stand-in, its path first").hash(&mut hasher);
    Ok(Source { text, key: hasher.finish() })
}

fn preprocessed(mpi: &Mpi, file: &Path, options: &[&str]) -> Result<String> {
    let output = run(mpi, &[&["-E", "-P"], options].concat(), file)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn version(mpi: &Mpi) -> Vec<u8> {
    let mut command = Command::new(mpi.name());
    command
        .args(&mpi.compiler[1..])
        .arg("-dumpfullversion")
        .output()
        .unwrap_or_else(|_| Output {
            status: std::process::ExitStatus::default(),
            stdout: Vec::new(),
            stderr: Vec::new(),
        })
        .stdout
}

fn run(mpi: &Mpi, options: &[&str], file: &Path) -> Result<Output> {
    let mut command = Command::new(mpi.name());
    command.args(&mpi.compiler[1..]).args(options).arg(file);
    let output = command.output().with_context(|| format!("cannot start `{}`", mpi.name()))?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        let first = messages.lines().find(|line| line.contains("rror")).unwrap_or(&messages);
        bail!("`{}` fails: {}", mpi.name(), first.trim());
    }
    Ok(output)
}

/// Compiles under another name first: several builds may do so at the same time, on several
/// machines with one home.
fn build(mpi: &Mpi, source: &Source, folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let work = tempfile::tempdir_in(folder)?;
    let (text, made) = (work.path().join("wrappers.c"), work.path().join(NAME));
    fs::write(&text, &source.text)?;
    let pomp = library::folder()?;
    let pomp = pomp.display();
    let options = [
        format!("-I{pomp}"),
        format!("-Wl,-soname,{NAME}"),
        // Before LD_LIBRARY_PATH, in which other tools' libraries of this name may be.
        format!("-Wl,--disable-new-dtags,-rpath,{pomp}"),
        "-Wl,--no-as-needed".to_owned(),
        format!("{pomp}/libpomp.so"),
        "-o".to_owned(),
        made.display().to_string(),
    ];
    let fixed = ["-O1", "-fPIC", "-shared", "-w", "-fexceptions", "-Wl,-z,nodelete"];
    let words: Vec<&str> = fixed.into_iter().chain(options.iter().map(String::as_str)).collect();
    run(mpi, &words, &text)?;
    let library = folder.join(NAME);
    make_stand_in(mpi, work.path(), &stand_in(&library))?;
    fs::rename(&made, &library)?;
    Ok(library)
}

fn make_stand_in(mpi: &Mpi, work: &Path, stand_in: &Path) -> Result<()> {
    let (text, made) = (work.join("nothing.c"), work.join("nothing.so"));
    fs::write(&text, "")?;
    let (name, output) = (format!("-Wl,-soname,{NAME}"), made.display().to_string());
    run(mpi, &["-shared", &name, "-o", &output], &text)?;
    fs::create_dir_all(stand_in.parent().unwrap_or(stand_in))?;
    fs::rename(&made, stand_in)?;
    Ok(())
}
