//! What a program loads in front of all its libraries to be observed: the wrappers of its MPI
//! library, if it was not linked with them, and the runtime library, if it was not instrumented.
//! They are loaded into the program alone, not into launchers and shells.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::executables::executable;
use crate::mpi::launcher::joined;
use crate::mpi::needed;
use crate::output::say;
use crate::program::Program;
use crate::{interpreters, library, unmodified};

/// What is loaded in front of a program.
pub struct Preloaded {
    /// The libraries, as `LD_PRELOAD` has them, those that are loaded already at the end.
    pub libraries: OsString,
    /// Whether the runtime library is one of them, because the program was not instrumented.
    pub is_observed: bool,
}

/// What is to be loaded; `None` for nothing further. What cannot be loaded is said. `rest` are the
/// words after the program, which may be a launcher.
pub fn before(program: &OsStr, rest: &[OsString], launched: bool) -> Option<Preloaded> {
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
    let wrappers = wrappers(&programs, launched, others.is_some());
    let runtime = runtime(&programs, &files);
    let is_observed = runtime.is_some();
    let ours: Vec<PathBuf> = wrappers.into_iter().chain(runtime).collect();
    if ours.is_empty() {
        return None;
    }
    let libraries = joined(ours.into_iter().map(PathBuf::into_os_string).chain(others), ":");
    Some(Preloaded { libraries, is_observed })
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
fn runtime(programs: &[Program], files: &[PathBuf]) -> Option<PathBuf> {
    if !programs.iter().any(unmodified::is_observed) {
        let interpreter = files.iter().find_map(|file| interpreters::name(file))?;
        say(format!(
            "the OpenMP constructs of extensions that {interpreter} loads are observed by their \
             calls of the OpenMP library; `pompeii compile` shows more of them"
        ));
    }
    match library::folder() {
        Ok(folder) => Some(folder.join("libpomp.so")),
        Err(error) => {
            say(format!("warning: OpenMP is not observed: {error:#}"));
            None
        }
    }
}
