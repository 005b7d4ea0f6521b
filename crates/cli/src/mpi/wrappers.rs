//! The library of wrappers for an MPI library: made from its `mpi.h` with its own compiler, once,
//! and kept under what has gone into it. It is made where programs are built, never where they run:
//! compute nodes have no compiler, and perhaps no home that can be written to.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};
use pompeii_mpi::{Fortran, Target};

use super::Mpi;
use super::archives::Archives;
use crate::compiler::words::joined;
use crate::{library, trust};

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
        None => made(mpi, &source, NAME, build),
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
        None => made(mpi, &source, OBJECT, build_object),
    }
}

/// The linker's options for an object, in a file: which functions are wrapped.
pub fn options(object: &Path) -> PathBuf {
    object.with_extension("options")
}

/// What this makes in the first place that can be written to, and not by others.
fn made(
    mpi: &Mpi,
    source: &Source,
    name: &str,
    make: fn(&Mpi, &Source, &Path) -> Result<()>,
) -> Result<PathBuf> {
    let key = format!("{:016x}", source.key);
    let folder = library::in_a_place("mpi", &key, |folder| make(mpi, source, folder));
    let folder =
        folder.with_context(|| format!("cannot make the wrappers of MPI for `{}`", mpi.name()))?;
    Ok(folder.join(name))
}

/// The library, where it has been made.
///
/// # Errors
/// Where `mpi.h` cannot be read.
pub fn known(mpi: &Mpi) -> Result<Option<PathBuf>> {
    Ok(kept(&source(mpi, &Target::Shared)?, NAME))
}

fn kept(source: &Source, name: &str) -> Option<PathBuf> {
    source.folders().map(|folder| folder.join(name)).find(|file| trust::check(file).is_ok())
}

/// All libraries of wrappers that have been made, the newest first.
pub fn all() -> Vec<PathBuf> {
    let folders = library::places("mpi").into_iter().filter_map(|base| fs::read_dir(base).ok());
    let files = folders.flatten().flatten().map(|entry| entry.path().join(NAME));
    let age = |file: &PathBuf| fs::metadata(file).and_then(|file| file.modified()).ok();
    let mut files: Vec<PathBuf> = files.filter(|file| trust::check(file).is_ok()).collect();
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

/// All macros that are defined after `mpi.h`.
///
/// # Errors
/// `mpi.h` cannot be read.
pub(super) fn macros(mpi: &Mpi) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let include = folder.path().join("include.c");
    fs::write(&include, "#include <mpi.h>\n")?;
    preprocessed(mpi, &include, &["-dM"])
}

fn preprocessed(mpi: &Mpi, file: &Path, options: &[&str]) -> Result<String> {
    let output = run(mpi, &[&["-E", "-P"], options].concat(), file)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What the compiler says of its version.
pub(super) fn version(mpi: &Mpi) -> Vec<u8> {
    let mut command = Command::new(mpi.name());
    let answer = command.args(&mpi.compiler[1..]).arg("-dumpfullversion").output();
    answer.map(|answer| answer.stdout).unwrap_or_default()
}

fn run<S: AsRef<OsStr>>(mpi: &Mpi, options: &[S], file: &Path) -> Result<Output> {
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
pub(super) fn link(mpi: &Mpi, words: &[OsString], text: &Path) -> Result<Output> {
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
fn build(mpi: &Mpi, source: &Source, folder: &Path) -> Result<()> {
    let work = tempfile::tempdir_in(folder)?;
    let (text, made) = (work.path().join("wrappers.c"), work.path().join(NAME));
    fs::write(&text, &source.text)?;
    let pomp = library::folder()?;
    let with = |option: &str| joined([OsStr::new(option), pomp.as_os_str()]);
    let options = [
        with("-I"),
        format!("-Wl,-soname,{NAME}").into(),
        // Before LD_LIBRARY_PATH, in which other tools' libraries of this name may be.
        with("-Wl,--disable-new-dtags,-rpath,"),
        "-Wl,--no-as-needed".into(),
        pomp.join("libpomp.so").into_os_string(),
        "-o".into(),
        made.clone().into_os_string(),
    ];
    let fixed = ["-O1", "-fPIC", "-shared", "-w", "-fexceptions", "-Wl,-z,nodelete"];
    let words: Vec<OsString> = fixed.into_iter().map(OsString::from).chain(options).collect();
    link(mpi, &words, &text)?;
    let library = folder.join(NAME);
    make_stand_in(mpi, work.path(), &stand_in(&library))?;
    fs::rename(&made, &library)?;
    Ok(())
}

/// Compiles the object, and writes down which functions are wrapped.
fn build_object(mpi: &Mpi, source: &Source, folder: &Path) -> Result<()> {
    let work = tempfile::tempdir_in(folder)?;
    let (text, made) = (work.path().join("wrappers.c"), work.path().join(OBJECT));
    let name = format!("const char pompeii_mpi_object[] = \"{OBJECT}\";\n");
    fs::write(&text, source.text.clone() + &name)?;
    let include = joined([OsStr::new("-I"), library::folder()?.as_os_str()]);
    // Code for the place where it is linked makes programs of any kind.
    let fixed = ["-c", "-O1", "-fPIC", "-fno-lto", "-w", "-fexceptions"].map(OsStr::new);
    let places = [include.as_os_str(), OsStr::new("-o"), made.as_os_str()];
    run(mpi, &[&fixed[..], &places].concat(), &text)?;
    let wrapped = pompeii_mpi::wrapped(&source.text).map(|name| format!("--wrap={name}\n"));
    fs::write(options(&made), wrapped.collect::<String>())?;
    let object = folder.join(OBJECT);
    fs::rename(options(&made), options(&object))?;
    fs::rename(&made, &object)?;
    Ok(())
}

fn make_stand_in(mpi: &Mpi, work: &Path, stand_in: &Path) -> Result<()> {
    let (text, made) = (work.join("nothing.c"), work.join("nothing.so"));
    fs::write(&text, "")?;
    let name = format!("-Wl,-soname,{NAME}");
    let words = ["-shared", &name, "-o"].map(OsStr::new);
    run(mpi, &[&words[..], &[made.as_os_str()]].concat(), &text)?;
    fs::create_dir_all(stand_in.parent().unwrap_or(stand_in))?;
    fs::rename(&made, stand_in)?;
    Ok(())
}
