//! What is said to the linker so that instrumented objects find the runtime library: behind the
//! user's command by `pompeii compile`, in words by `pompeii config`, the CMake package and the
//! pkg-config file (`package/`, which must say the same).
//!
//! Executables take the archive and export its API to the shared objects that they load; shared
//! objects take the shared library (decision 5). A program without a POMP call gets nothing of it.

use std::path::Path;

/// What is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linked {
    /// An executable; `openmp` where the OpenMP library follows.
    Executable {
        /// Whether the command links OpenMP itself.
        openmp: bool,
    },
    /// An executable without shared libraries.
    Static,
    /// A shared object.
    Shared,
}

/// The functions that instrumented code calls.
const API: [&str; 3] = ["POMP_*", "POMP2_*", "pomp2_*"];
/// What the archive needs. In one word, because libtool sorts the words of a command.
const SYSTEM: &str = "-Wl,--push-state,--as-needed,-lpthread,-ldl,-lm,--pop-state";

/// Options for the linker.
pub fn flags(linked: Linked, folder: &Path) -> Vec<String> {
    let folder = folder.display();
    let mut words = vec![format!("-L{folder}")];
    match linked {
        Linked::Executable { .. } => {
            words.extend(API.map(|names| format!("-Wl,--export-dynamic-symbol={names}")));
        }
        Linked::Shared => words.push(format!("-Wl,-rpath,{folder}")),
        Linked::Static => {}
    }
    words
}

/// Libraries, to stand behind the objects.
pub fn libraries(linked: Linked) -> Vec<String> {
    let words: &[&str] = match linked {
        // The OpenMP library comes last, and a program that uses nothing but lock routines, which
        // ours resolves, would lose it.
        Linked::Executable { openmp: true } => &["-l:libpomp.a", SYSTEM, "-Wl,--no-as-needed"],
        Linked::Executable { openmp: false } => &["-l:libpomp.a", SYSTEM],
        Linked::Static => &["-l:libpomp-static.a", "-lpthread", "-ldl", "-lm"],
        Linked::Shared => &["-Wl,--push-state,--as-needed,-lpomp,--pop-state"],
    };
    words.iter().map(ToString::to_string).collect()
}
