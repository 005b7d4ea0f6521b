//! Objects that something else links. A launcher of CMake (`CMAKE_C_COMPILER_LAUNCHER`) stands in
//! front of the compiler and not in front of the linker, so the linker is not told of the runtime
//! library, and no object can tell it.
//!
//! Each instrumented object therefore gets weak routines of the POMP interface: a jump through a
//! table, which is filled when the program starts, from the shared library. Until then, and where
//! that library is gone, a routine does nothing. A link that has the archive of the library takes
//! the routines from there, since weak ones yield. What needs the library in front of others is not
//! observed in such a program: lock routines, and the ends of processes.

use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::compiler::{CommandLine, Stage};
use crate::workplace::Workplace;
use crate::{library, trust};

/// All functions of the runtime library, one in a line.
const FUNCTIONS: &str = include_str!(concat!(env!("OUT_DIR"), "/libpomp.txt"));
/// What the constructor and the table of the C part are; `COUNT` and `LIBRARY` are defined first.
const TEXT: &str = include_str!("late.c");

/// Whether a command is one of CMake's for an object, with us as a launcher: CMake names compilers
/// by their whole paths, and drop-in compilers and words in `CC` do not.
pub fn is_wanted(line: &CommandLine) -> bool {
    let of_cmake = |path: &OsStr| Path::new(path).iter().any(|part| part == "CMakeFiles");
    line.stage == Stage::Compile
        && Path::new(line.program()).is_absolute()
        && line.texts.iter().any(|word| word == "-c")
        && line.output().is_some_and(of_cmake)
}

/// What the linker is told by a launcher of it: objects have the routines already, so only a name
/// that they lack makes it take the archive, where the others are as well. (The CMake package says
/// the same.)
pub fn linker_flags(line: &CommandLine) -> Vec<OsString> {
    let by_launcher = line.stage == Stage::Executable && Path::new(line.program()).is_absolute();
    by_launcher.then(|| "-Wl,-u,pomp_mpi_clock_ns".into()).into_iter().collect()
}

/// Adds the routines to the object that the command has made.
///
/// # Errors
/// What the compiler says, and intermediate code, which has no place for them.
pub fn add_routines(line: &CommandLine, workplace: &Workplace) -> Result<()> {
    let Some(object) = line.output() else { return Ok(()) };
    if line.texts.iter().any(|word| word.starts_with("-flto") && word != "-flto=none") {
        bail!("not possible with -flto");
    }
    let routines = routines(line)?;
    let both = workplace.write("linked.o", b"")?;
    let mut link = Command::new(line.program());
    run(link.args(["-r", "-nostdlib", "-o"]).arg(&both).arg(object).arg(routines))?;
    fs::copy(&both, object).context("the object cannot be replaced")?;
    Ok(())
}

/// The object with the routines, compiled where it is not there yet.
fn routines(line: &CommandLine) -> Result<PathBuf> {
    let text = source(&library::folder()?.join("libpomp.so"))?;
    let mut hasher = DefaultHasher::new();
    (&text, line.program()).hash(&mut hasher);
    let key = format!("{:016x}", hasher.finish());
    let known = library::places("late").into_iter().map(|base| base.join(&key).join("late.o"));
    if let Some(known) = known.into_iter().find(|object| trust::check(object).is_ok()) {
        return Ok(known);
    }
    let folder = library::in_a_place("late", &key, |folder| {
        let work = tempfile::tempdir_in(folder)?;
        let (source, object) = (work.path().join("late.c"), work.path().join("late.o"));
        fs::write(&source, &text)?;
        let mut compile = Command::new(line.program());
        compile.args(["-x", "c", "-O1", "-fPIC", "-w", "-c", "-o"]).arg(&object).arg(&source);
        run(&mut compile)?;
        Ok(fs::rename(&object, folder.join("late.o"))?)
    })?;
    Ok(folder.join("late.o"))
}

fn run(command: &mut Command) -> Result<()> {
    let output = command.output().context("cannot start the compiler")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

/// The text of the routines that lead to this library.
fn source(library: &Path) -> Result<Vec<u8>> {
    let jump = match std::env::consts::ARCH {
        "x86_64" => "endbr64; jmp *TABLE+AT(%rip)",
        "aarch64" => "adrp x16, TABLE+AT; ldr x16, [x16, #:lo12:TABLE+AT]; br x16",
        other => bail!("not possible on {other}"),
    };
    let is_call = |name: &&str| name.to_ascii_lowercase().starts_with("pomp") && !is_mpi(name);
    let names: Vec<&str> = FUNCTIONS.lines().filter(is_call).collect();
    let mut text = format!("#define COUNT {}\n#define NAMES ", names.len());
    text.extend(names.iter().map(|name| format!("\"{name}\", ")));
    text.push_str("\n#define LIBRARY \"");
    let mut text = text.into_bytes();
    for &byte in library.as_os_str().as_bytes() {
        text.extend_from_slice(format!("\\{byte:03o}").as_bytes());
    }
    text.extend_from_slice(b"\"\n");
    text.extend_from_slice(TEXT.as_bytes());
    let mut assembly = String::from("__asm__(\".text\\n\"\n");
    for (index, name) in names.iter().enumerate() {
        let jump =
            jump.replace("TABLE", "pompeii_late_table").replace("AT", &(8 * index).to_string());
        let own = if *name == "POMP_Begin" { "pompeii_late_own: " } else { "" };
        let _ = writeln!(
            assembly,
            "\".weak {name}\\n.type {name}, %function\\n{name}: {own}{jump}\\n\""
        );
    }
    text.extend_from_slice(assembly.as_bytes());
    text.extend_from_slice(b");\n");
    Ok(text)
}

/// The wrappers of MPI have the library with them.
fn is_mpi(name: &str) -> bool {
    name.to_ascii_lowercase().starts_with("pomp_mpi")
}
