//! Programs that were not instrumented: whether the runtime library observes their OpenMP
//! constructs if it is loaded in front of their OpenMP library, and what cannot be seen this way.
//! If they have no OpenMP, the library samples their functions.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::output::say;
use crate::program::Program;
use crate::terminal::shown;

/// Begins the names of gcc's OpenMP library. A library of a Python package has a part of a hash in
/// its name.
const LIBGOMP: [&str; 2] = ["libgomp.so", "libgomp-"];
/// LLVM's and Intel's OpenMP libraries.
const LLVM: [&str; 2] = ["libomp.so", "libiomp5.so"];
/// The C library that the runtime library is made for, and the loader that has it.
const C_LIBRARY: &str = "libc.so.6";
/// MPI libraries, whose programs are observed by wrappers.
const MPI: &str = "libmpi";
/// A function of libgomp that all programs of gcc with parallel regions call.
const CALLED: &str = "GOMP_parallel";
/// The library of AddressSanitizer.
const ASAN: &str = "libasan.so";
/// A function that LLVM's library looks for. Programs that only call the library, and compilers,
/// which know the names of its functions, do not have this one.
const LOOKED_FOR: &str = "ompt_start_tool";
/// Permissions with which a program runs with the rights of others. The system loads nothing into
/// such a program that its user asks for.
const OTHER_RIGHTS: u32 = 0o6000;

/// What is known of a program.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    /// Its calls of libgomp are observed.
    Libgomp,
    /// LLVM's or Intel's library tells what happens.
    Ompt,
    /// They cannot be: why, and what to do.
    Not(&'static str),
    /// It measures itself, or has no OpenMP.
    Nothing,
}

/// Whether the runtime library is to be loaded into this program. Says which way was chosen, and
/// why none can be.
pub fn is_observed(program: &Program) -> bool {
    match find(program) {
        Found::Libgomp => {
            say(format!(
                "{} is not instrumented: its OpenMP constructs are observed by its calls of libgomp; \
                 static loops, master, flush and simple atomics make no calls and stay invisible",
                shown(&program.path)
            ));
            true
        }
        Found::Ompt => {
            say(format!(
                "{} is not instrumented: its OpenMP library reports its constructs; flush, simple \
                 atomics and the parts of a sections construct are not reported and stay invisible",
                shown(&program.path)
            ));
            true
        }
        Found::Not(why) => {
            say(format!(
                "warning: the OpenMP constructs of {} are not observed: {why}",
                shown(&program.path)
            ));
            false
        }
        Found::Nothing => false,
    }
}

/// File name of the OpenMP library that a program loads; `None` if it loads none, or several.
pub fn openmp_library(program: &Program) -> Option<String> {
    let mut all = program
        .libraries()
        .into_iter()
        .filter(|library| LIBGOMP.iter().chain(&LLVM).any(|name| library.starts_with(name)));
    let library = all.next()?;
    all.next().is_none().then(|| library.to_owned())
}

/// Whether the functions of this program, in which no constructs are observed, can be sampled. Says
/// so, and why not. Threads are sampled if they are observed.
pub fn is_sampled(program: &Program, has_threads: bool) -> bool {
    let path = shown(&program.path);
    match without_samples(program) {
        None if has_threads => {
            say(format!(
                "{path} is not instrumented, and no OpenMP of it is observed: its threads are \
                 observed, and their functions are sampled"
            ));
            true
        }
        None => {
            say(format!(
                "{path} is not instrumented, and no OpenMP of it is observed: its functions are \
                 sampled, those of its initial thread only"
            ));
            true
        }
        Some("") => false,
        Some(why) => {
            say(format!("warning: the functions of {path} are not sampled: {why}"));
            false
        }
    }
}

/// Says that the threads of this program are observed, and nothing else of it.
pub fn tell_threads(program: &Program) {
    if without_samples(program).is_none() {
        say(format!(
            "{} is not instrumented, and no OpenMP of it is observed: its threads are observed, \
             but its functions are not sampled",
            shown(&program.path)
        ));
    }
}

/// Why the functions of a program cannot be sampled; empty if it is observed in another way.
fn without_samples(program: &Program) -> Option<&'static str> {
    let has_mpi = || program.libraries().iter().any(|library| library.starts_with(MPI));
    if program.is_instrumented() || program.is_native() && has_mpi() {
        return Some("");
    }
    loads_libraries(program).err()
}

/// Whether a program loads a library in front of its own.
///
/// # Errors
/// Why it does not, and what to do.
pub fn loads_libraries(program: &Program) -> Result<(), &'static str> {
    if !program.is_native() {
        return Err("it is a program for another processor");
    }
    let libraries = program.libraries();
    let has = |name: &str| libraries.iter().any(|library| library.starts_with(name));
    match () {
        () if libraries.is_empty() => {
            Err("it is linked statically; link it dynamically, or build it with `pompeii compile`")
        }
        () if !has(C_LIBRARY) => Err(
            "it has another C library than glibc, for which the measurement library is made; link \
             it with glibc, or build it with `pompeii compile`",
        ),
        () => obstacle(program, &Found::Nothing, has(ASAN)).map_or(Ok(()), Err),
    }
}

fn find(program: &Program) -> Found {
    if program.is_instrumented() {
        return Found::Nothing;
    }
    let libraries = program.libraries();
    let loads = |names: &[&str]| {
        libraries.iter().any(|library| names.iter().any(|name| library.starts_with(name)))
    };
    let found = match () {
        () if loads(&LIBGOMP) => Found::Libgomp,
        () if loads(&LLVM) => Found::Ompt,
        () if program.has(CALLED) => {
            return Found::Not(
                "they have libgomp inside; link with the shared libgomp, or build with `pompeii \
                 compile`",
            );
        }
        () if program.has(LOOKED_FOR) => {
            return Found::Not(
                "they have LLVM's OpenMP library inside; link with the shared one, or build with \
                 `pompeii compile`",
            );
        }
        () => return Found::Nothing,
    };
    match obstacle(program, &found, loads(&[ASAN])) {
        Some(why) => Found::Not(why),
        None => found,
    }
}

/// Why the library cannot be loaded into the program, or would get no events, and what to do.
fn obstacle(program: &Program, found: &Found, has_asan: bool) -> Option<&'static str> {
    let mode = fs::metadata(&program.path).map_or(0, |file| file.permissions().mode());
    let is_off = env::var_os("OMP_TOOL").is_some_and(|value| value == "disabled");
    Some(match () {
        () if !program.is_native() => "it is a program for another processor",
        () if mode & OTHER_RIGHTS != 0 => {
            "it runs with the rights of another user or group; run a copy without them"
        }
        () if has_asan => {
            "AddressSanitizer must be the first library that is loaded; build without it, or with \
             -static-libasan"
        }
        () if *found == Found::Ompt && is_off => {
            "OMP_TOOL=disabled forbids the OpenMP library to report them; unset OMP_TOOL"
        }
        () => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &[u8]) -> Found {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        fs::write(&path, text).unwrap();
        find(&Program::open(path).unwrap())
    }

    #[test]
    fn text_of_a_program_says_what_is_in_it() {
        assert_eq!(written(b"\x7fELF nothing"), Found::Nothing);
        assert_eq!(written(b"\x7fELF\0POMPEII_LIVE_DIR\0GOMP_parallel\0"), Found::Nothing);
        assert!(matches!(written(b"\x7fELF\0GOMP_parallel\0"), Found::Not(why)
            if why.contains("libgomp inside")));
        assert!(matches!(written(b"\x7fELF\0ompt_start_tool\0"), Found::Not(why)
            if why.contains("OpenMP library inside")));
    }
}
