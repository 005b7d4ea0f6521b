//! What a program loads in front of all its libraries to be observed: the wrappers of its MPI
//! library, if it was not linked with them, the runtime library, if it was not instrumented, and
//! functions for files and of threads, if these are to be observed.
//! The wrappers are loaded into the program alone, not into launchers and shells. The runtime
//! library is loaded into programs that start others, too: it measures only processes with OpenMP,
//! and the program that the user has named, whose functions it samples if there is no OpenMP.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::executables::executable;
use crate::mpi::launcher::joined;
use crate::mpi::needed;
use crate::output::say;
use crate::program::Program;
use crate::terminal::shown;
use crate::{interpreters, library, starters, unmodified};

/// What a program loads in front of its libraries.
pub struct Preload {
    /// The libraries, in front of those that are loaded already.
    pub libraries: OsString,
    /// The value of [`NAMED`] for a program that is measured from its begin on.
    pub named: Option<String>,
}

/// The variable with the file of the program that the user has named: its device and its inode.
pub const NAMED: &str = "POMPEII_PROGRAM";

/// The words of a command, and how it is measured.
pub struct Command<'a> {
    /// The first word.
    pub program: &'a OsStr,
    /// The words after the program, which may be a launcher.
    pub rest: &'a [OsString],
    /// It is one.
    pub is_launcher: bool,
    /// Functions are sampled.
    pub has_samples: bool,
    /// Functions for files are observed.
    pub has_files: bool,
    /// Functions of threads are observed.
    pub has_threads: bool,
}

/// What the program of this command loads; `None` for no further libraries. A message names
/// what cannot be loaded.
pub fn preload(command: &Command) -> Option<Preload> {
    let others = env::var_os("LD_PRELOAD").filter(|others| !others.is_empty());
    // Values of a launcher's options may be files that can be executed, too: a remote shell.
    let launched = command.is_launcher;
    let files: Vec<PathBuf> = match launched {
        true => {
            let words = command.rest.iter().filter(|word| !word.as_bytes().starts_with(b"-"));
            words.filter_map(executable).collect()
        }
        false => executable(command.program).into_iter().collect(),
    };
    let programs: Vec<Program> = files.iter().cloned().filter_map(Program::open).collect();
    let wrappers = wrappers(&programs, launched, others.is_some());
    let wanted = wanted(&programs, &files, command);
    let runtime = (wanted != Wanted::Nothing).then(|| in_folder("libpomp.so"));
    let runtime = runtime.flatten();
    let functions = functions(&programs, command);
    let is_sampled = wanted == Wanted::Functions && runtime.is_some();
    // A program that only starts others has files and threads that are not those of the program.
    let is_observed = !functions.is_empty() && !launched && wanted == Wanted::Nothing;
    let is_named = is_sampled || is_observed;
    let named = if is_named { files.first().and_then(|file| identity(file)) } else { None };
    let ours: Vec<PathBuf> = wrappers.into_iter().chain(functions).chain(runtime).collect();
    if ours.is_empty() {
        return None;
    }
    let libraries = joined(ours.into_iter().map(PathBuf::into_os_string).chain(others), ":");
    Some(Preload { libraries, named })
}

/// A file, as the runtime library knows its program again.
fn identity(file: &Path) -> Option<String> {
    let file = file.metadata().ok()?;
    Some(format!("{}:{}", file.dev(), file.ino()))
}

/// The wrappers of MPI.
fn wrappers(programs: &[Program], launched: bool, has_others: bool) -> Option<PathBuf> {
    let with_needs = |program| needed::needed(program, launched).map(|needs| (program, needs));
    let (program, needs) = programs.iter().find_map(with_needs)?;
    // A tool that is loaded before everything else calls MPI itself: it has to come after us.
    if needs.wrapped && !has_others {
        return None;
    }
    match needed::wrappers_of(program, &needs) {
        Ok(found) => Some(found),
        Err(error) => {
            say(format!("warning: MPI is not observed: {error:#}"));
            None
        }
    }
}

/// The libraries with functions that are observed, unless no program of the command can load them.
fn functions(programs: &[Program], command: &Command) -> Vec<PathBuf> {
    let kinds = [
        (command.has_files, "files", "libpompeii-io.so"),
        (command.has_threads, "threads", "libpompeii-threads.so"),
    ];
    let wanted = kinds.into_iter().filter(|(is_wanted, ..)| *is_wanted);
    let refuses = |program| unmodified::loads_libraries(program).err();
    // Of a launcher's words, the program is the last file.
    let why = programs.last().and_then(|last| Some((last, refuses(last)?)));
    match why.filter(|_| programs.iter().all(|program| refuses(program).is_some())) {
        Some((program, why)) => {
            let path = shown(&program.path);
            for (_, what, _) in wanted {
                say(format!("warning: the {what} of {path} are not observed: {why}"));
            }
            Vec::new()
        }
        None => wanted.filter_map(|(.., library)| in_folder(library)).collect(),
    }
}

/// What the runtime library is to do in a program.
#[derive(PartialEq, Eq)]
enum Wanted {
    Nothing,
    /// To observe constructs, there or in programs that it starts.
    Constructs,
    /// To sample the functions.
    Functions,
}

fn wanted(programs: &[Program], files: &[PathBuf], command: &Command) -> Wanted {
    if programs.iter().any(unmodified::is_observed) {
        return Wanted::Constructs;
    }
    if let Some(interpreter) = files.iter().find_map(|file| interpreters::name(file)) {
        say(format!(
            "the OpenMP constructs of extensions that {interpreter} loads are observed by their \
             calls of the OpenMP library; `pompeii compile` shows more of them"
        ));
        return Wanted::Constructs;
    }
    let is_sampled = |program: &Program| unmodified::is_sampled(program, command.has_threads);
    match () {
        () if command.is_launcher => Wanted::Nothing,
        () if files.iter().any(|file| starters::starts_others(file)) => Wanted::Constructs,
        () if command.has_samples && programs.iter().any(is_sampled) => Wanted::Functions,
        () if !command.has_samples && command.has_threads => {
            programs.iter().for_each(unmodified::tell_threads);
            Wanted::Nothing
        }
        () => Wanted::Nothing,
    }
}

/// A library of ours; a message says why there is none.
fn in_folder(name: &str) -> Option<PathBuf> {
    match library::folder() {
        Ok(folder) => Some(folder.join(name)),
        Err(error) => {
            say(format!("warning: {name} cannot be loaded into the program: {error:#}"));
            None
        }
    }
}
