//! The library of wrappers for an MPI library: made from its `mpi.h` with its own compiler, once,
//! and kept under what has gone into it. It is made where programs are built, never where they run:
//! compute nodes have no compiler, and perhaps no home that can be written to.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};
use pompeii_mpi::{Fortran, Target};

use super::Mpi;
use super::archives::Archives;
use crate::library;

/// The library's name; programs that were linked with it have it in them.
pub const NAME: &str = "libpompeii-mpi.so";

/// The object's name, for programs that have MPI from archives; they have it in them, too.
pub const OBJECT: &str = "libpompeii-mpi.o";

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

impl Source {
    /// Where they are kept.
    fn folders(&self) -> impl Iterator<Item = PathBuf> {
        let key = format!("{:016x}", self.key);
        library::places("mpi").into_iter().map(move |base| base.join(&key))
    }
}

/// The library of wrappers, made where it is not there yet.
///
/// # Errors
/// Where the compiler fails, or there is no place for it.
pub fn library(mpi: &Mpi) -> Result<PathBuf> {
    let source = source(mpi, &Target::Shared)?;
    match kept(&source, NAME) {
        Some(found) => Ok(found),
        None => made(mpi, &source, build),
    }
}

/// An object with wrappers for what these archives have, made where it is not there yet. Beside it
/// are the options that the linker needs ([`options`]).
///
/// # Errors
/// Where the compiler fails, or there is no place for it.
pub fn object(mpi: &Mpi, archives: &Archives) -> Result<PathBuf> {
    let has = |name: &str| archives.symbols.contains(name);
    let target = match archives.is_called_by_shared {
        true => Target::Named(&has),
        false => Target::Wrapped(&has),
    };
    let source = source(mpi, &target)?;
    match kept(&source, OBJECT) {
        Some(found) => Ok(found),
        None => made(mpi, &source, build_object),
    }
}

/// The linker's options for an object, in a file: which functions are wrapped.
pub fn options(object: &Path) -> PathBuf {
    object.with_extension("options")
}

/// What this makes in the first place that can be written to.
fn made(
    mpi: &Mpi,
    source: &Source,
    make: fn(&Mpi, &Source, &Path) -> Result<PathBuf>,
) -> Result<PathBuf> {
    let mut tried = Vec::new();
    for folder in source.folders() {
        match make(mpi, source, &folder) {
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
    Ok(kept(&source(mpi, &Target::Shared)?, NAME))
}

fn kept(source: &Source, name: &str) -> Option<PathBuf> {
    source.folders().map(|folder| folder.join(name)).find(|file| file.exists())
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
fn source(mpi: &Mpi, target: &Target) -> Result<Source> {
    let folder = tempfile::tempdir()?;
    let include = folder.path().join("include.c");
    fs::write(&include, "#include <mpi.h>\n")?;
    let header = preprocessed(mpi, &include, &[])?;
    let macros = preprocessed(mpi, &include, &["-dM"])?;
    let calls_c = ["#define MPICH_VERSION ", "#define MPI_ABI_VERSION "];
    let fortran = match calls_c.iter().any(|macro_of_it| macros.contains(macro_of_it)) {
        true => Fortran::CallsC,
        false => Fortran::IsItsOwn,
    };
    let text = pompeii_mpi::generate(&header, fortran, target)
        .with_context(|| format!("mpi.h of `{}`", mpi.name()))?;
    let mut hasher = DefaultHasher::new();
    let made_by = (version(mpi), library::folder()?, library::content_hash());
    (&text, &mpi.compiler, made_by, "with a stand-in, its path first in any case")
        .hash(&mut hasher);
    Ok(Source { text, key: hasher.finish() })
}

fn preprocessed(mpi: &Mpi, file: &Path, options: &[&str]) -> Result<String> {
    let output = run(mpi, &[&["-E", "-P"], options].concat(), file)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn version(mpi: &Mpi) -> Vec<u8> {
    let mut command = Command::new(mpi.name());
    let answer = command.args(&mpi.compiler[1..]).arg("-dumpfullversion").output();
    answer.map(|answer| answer.stdout).unwrap_or_default()
}

fn run(mpi: &Mpi, options: &[&str], file: &Path) -> Result<Output> {
    let mut command = Command::new(mpi.name());
    command.args(&mpi.compiler[1..]).args(options).arg(file);
    checked(mpi, &mut command)
}

fn checked(mpi: &Mpi, command: &mut Command) -> Result<Output> {
    let output = command.output().with_context(|| format!("cannot start `{}`", mpi.name()))?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        let first = messages.lines().find(|line| line.contains("rror")).unwrap_or(&messages);
        bail!("`{}` fails: {}", mpi.name(), first.trim());
    }
    Ok(output)
}

/// Links by the command that the compiler makes: what that says last about run paths would win over
/// what is said here.
fn link(mpi: &Mpi, words: &[&str], text: &Path) -> Result<Output> {
    let plain = || (mpi.name().to_owned(), mpi.compiler[1..].to_vec());
    let shown = || {
        let mut words = Mpi::shown(mpi.name(), &mpi.compiler[1..])?.into_iter();
        let program = words.next()?;
        let of_ours = |word: String| word.replace("--enable-new-dtags", "--disable-new-dtags");
        Some((program, words.map(of_ours).collect()))
    };
    let (program, behind): (String, Vec<String>) = shown().unwrap_or_else(plain);
    checked(mpi, Command::new(program).args(words).arg(text).args(behind))
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
    link(mpi, &words, &text)?;
    let library = folder.join(NAME);
    make_stand_in(mpi, work.path(), &stand_in(&library))?;
    fs::rename(&made, &library)?;
    Ok(library)
}

/// Compiles the object, and writes down which functions are wrapped.
fn build_object(mpi: &Mpi, source: &Source, folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let work = tempfile::tempdir_in(folder)?;
    let (text, made) = (work.path().join("wrappers.c"), work.path().join(OBJECT));
    let name = format!("const char pompeii_mpi_object[] = \"{OBJECT}\";\n");
    fs::write(&text, source.text.clone() + &name)?;
    let include = format!("-I{}", library::folder()?.display());
    let output = made.display().to_string();
    // Code for the place where it is linked makes programs of any kind.
    let words = ["-c", "-O1", "-fPIC", "-fno-lto", "-w", "-fexceptions", &include, "-o", &output];
    run(mpi, &words, &text)?;
    let wrapped = pompeii_mpi::wrapped(&source.text).map(|name| format!("--wrap={name}\n"));
    fs::write(options(&made), wrapped.collect::<String>())?;
    let object = folder.join(OBJECT);
    fs::rename(options(&made), options(&object))?;
    fs::rename(&made, &object)?;
    Ok(object)
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
