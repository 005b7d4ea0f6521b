//! What is said to the linker so that instrumented objects find the runtime library: behind the
//! user's command by `pompeii compile`, in words by `pompeii config`, the CMake package and the
//! pkg-config file (`package/`, which must say the same).
//!
//! Executables take the archive and export its API to the shared objects that they load; shared
//! objects take the shared library. A program without a POMP call gets nothing of it.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::compiler::words::joined;

/// What is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linked {
    /// An executable; `openmp` where the OpenMP library follows.
    Executable {
        /// Whether the command links OpenMP itself.
        openmp: bool,
        /// Whether lock routines are observed.
        locks: bool,
    },
    /// An executable without shared libraries.
    Static,
    /// A shared object.
    Shared,
}

/// The wrappers of an MPI library, by what stands in for them. They are needed also where no
/// object calls them: some Fortran libraries call the C functions.
pub fn mpi(library: &Path, stand_in: &Path) -> Vec<OsString> {
    let folder = library.parent().unwrap_or(library);
    vec![word(["-Wl,--push-state,--no-as-needed,", ",--pop-state,-rpath,"], [stand_in, folder])]
}

/// The wrappers of an MPI library in archives: an object, which is linked whatever calls it, and
/// the linker's options for it.
pub fn mpi_object(object: &Path, options: &Path) -> Vec<OsString> {
    vec![word(["-Wl,@"], [options]), object.into()]
}

/// What the archive needs. In one word, because libtool sorts the words of a command.
const SYSTEM: &str = "-Wl,--push-state,--as-needed,-lpthread,-ldl,-lm,--pop-state";

/// Options for the linker.
pub fn flags(linked: Linked, folder: &Path) -> Vec<OsString> {
    match linked {
        Linked::Executable { .. } => {
            vec![word(["-Wl,--dynamic-list="], [&folder.join("pomp.list")])]
        }
        Linked::Shared => vec![word(["-Wl,-rpath,"], [folder])],
        Linked::Static => Vec::new(),
    }
}

/// Libraries, to stand behind the objects. Their whole paths: OPARI2's library has the same name.
pub fn libraries(linked: Linked, folder: &Path) -> Vec<OsString> {
    let path = |name: &str| folder.join(name).into_os_string();
    match linked {
        Linked::Executable { openmp, locks } => {
            let library = if locks { "libpomp.a" } else { "libpomp-without-locks.a" };
            let mut words = vec![path(library), SYSTEM.into()];
            if openmp && locks {
                // The OpenMP library comes last, and a program that uses nothing but lock
                // routines, which ours resolves, would lose it.
                words.push("-Wl,--no-as-needed".into());
            }
            words
        }
        Linked::Static => {
            let system = ["-lpthread", "-ldl", "-lm"].map(OsString::from);
            [vec![path("libpomp-static.a")], system.to_vec()].concat()
        }
        Linked::Shared => {
            let as_needed = OsStr::new("-Wl,--push-state,--as-needed,");
            let library = path("libpomp.so");
            vec![joined([as_needed, &library, OsStr::new(",--pop-state")])]
        }
    }
}

/// One word in which each path follows its text.
fn word<const N: usize>(texts: [&str; N], paths: [&Path; N]) -> OsString {
    let parts = texts.into_iter().zip(paths);
    parts.flat_map(|(text, path)| [OsStr::new(text), path.as_os_str()]).collect()
}
