//! What a program loads in front of all its libraries to be observed: the wrappers of its MPI
//! library, if it was not linked with them, and the runtime library, if it was not instrumented.
//! The wrappers are loaded into the program alone, not into launchers and shells. The runtime
//! library is loaded into programs that start others, too: it measures only processes with OpenMP.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::executables::executable;
use crate::mpi::launcher::joined;
use crate::mpi::needed;
use crate::output::say;
use crate::program::Program;
use crate::{interpreters, library, starters, unmodified};

/// The libraries, in front of those that are loaded already; `None` for no further ones. What
/// cannot be loaded is said. `rest` are the words after the program, which may be a launcher.
pub fn libraries(program: &OsStr, rest: &[OsString], launched: bool) -> Option<OsString> {
    let others = env::var_os("LD_PRELOAD").filter(|others| !others.is_empty());
    // Values of a launcher's options may be files that can be executed, too: a remote shell.
    let files: Vec<PathBuf> = match launched {
        true => {
            let words = rest.iter().filter(|word| !word.as_bytes().starts_with(b"-"));
            words.filter_map(executable).collect()
        }
        false => executable(program).into_iter().collect(),
    };
    let programs: Vec<Program> = files.iter().cloned().filter_map(Program::open).collect();
    let ours: Vec<PathBuf> =
        [wrappers(&programs, launched, others.is_some()), runtime(&programs, &files, launched)]
            .into_iter()
            .flatten()
            .collect();
    if ours.is_empty() {
        return None;
    }
    Some(joined(ours.into_iter().map(PathBuf::into_os_string).chain(others), ":"))
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

/// The runtime library.
fn runtime(programs: &[Program], files: &[PathBuf], launched: bool) -> Option<PathBuf> {
    if !programs.iter().any(unmodified::is_observed) {
        if let Some(interpreter) = files.iter().find_map(|file| interpreters::name(file)) {
            say(format!(
                "the OpenMP constructs of extensions that {interpreter} loads are observed by \
                 their calls of the OpenMP library; `pompeii compile` shows more of them"
            ));
        } else if launched || !files.iter().any(|file| starters::starts_others(file)) {
            return None;
        }
    }
    match library::folder() {
        Ok(folder) => Some(folder.join("libpomp.so")),
        Err(error) => {
            say(format!("warning: OpenMP is not observed: {error:#}"));
            None
        }
    }
}
