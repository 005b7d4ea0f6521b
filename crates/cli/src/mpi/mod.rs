//! MPI libraries, found by the compilers that build programs for them, shared or in archives
//! ([`archives`]); the wrappers of their functions ([`wrappers`]), which are linked or preloaded;
//! those that a program needs ([`needed`]); and what starts programs ([`launcher`], [`job`]).
//! Pompeii itself uses MPI by a library that it makes ([`shim`]) and loads ([`loaded`]), to analyse
//! a trace with several processes ([`ranks`], [`agreement`]).

pub mod agreement;
pub mod archives;
pub mod job;
pub mod launcher;
mod loaded;
pub mod needed;
pub mod ranks;
pub mod shim;
pub mod wrappers;

use std::path::PathBuf;
use std::process::Command;

use crate::compiler::words::{base_name, split, texts};

/// An MPI library, as the compiler that builds programs for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mpi {
    /// The C compiler and options that it needs to find `mpi.h`.
    pub compiler: Vec<String>,
}

/// What compilers for MPI programs are called, with their C compiler. The longest first: some are
/// the beginnings of others.
const COMPILERS: [(&str, &str); 13] = [
    ("mpifort", "mpicc"),
    ("mpif77", "mpicc"),
    ("mpif90", "mpicc"),
    ("mpicxx", "mpicc"),
    ("mpic++", "mpicc"),
    ("mpiCC", "mpicc"),
    ("mpicc", "mpicc"),
    ("mpiifort", "mpiicc"),
    ("mpiifx", "mpiicx"),
    ("mpiicpc", "mpiicc"),
    ("mpiicpx", "mpiicx"),
    ("mpiicc", "mpiicc"),
    ("mpiicx", "mpiicx"),
];

impl Mpi {
    /// That of a command which links: a compiler of an MPI library, or any other one with an MPI
    /// library among its words.
    pub fn of_command(program: &str, words: &[String]) -> Option<Self> {
        if let Some(compiler) = c_compiler(program) {
            return Some(Self { compiler: vec![compiler] });
        }
        let links = |word: &String| {
            ["-lmpi", "-lmpich", "-lmpi_cray"].contains(&word.as_str())
                || ["libmpi.a", "libmpich.a"].contains(&base_name(word))
        };
        let folders = words.iter().filter(|word| word.starts_with("-I")).cloned();
        let compiler = std::iter::once("cc".to_owned()).chain(folders).collect();
        words.iter().any(links).then_some(Self { compiler })
    }

    /// Whether a program is the compiler of an MPI library.
    pub fn is_compiler(program: &str) -> bool {
        c_compiler(program).is_some()
    }

    /// Those whose compilers are in these folders.
    pub fn installed(folders: impl Iterator<Item = PathBuf>) -> Vec<Self> {
        let mut found: Vec<(PathBuf, Self)> = Vec::new();
        for folder in folders {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            let mut names: Vec<PathBuf> = entries
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| is_c_compiler(base_name(&path.to_string_lossy())))
                .collect();
            names.sort();
            for path in names {
                let real = path.canonicalize().unwrap_or_else(|_| path.clone());
                if !found.iter().any(|(known, _)| *known == real) {
                    let compiler = vec![path.display().to_string()];
                    found.push((real, Self { compiler }));
                }
            }
        }
        found.into_iter().map(|(_, mpi)| mpi).collect()
    }

    /// The command that such a compiler makes of these words; `None` where it does not say.
    pub fn shown(compiler: &str, words: &[String]) -> Option<Vec<String>> {
        let output = Command::new(compiler).arg("-show").args(words).output().ok()?;
        let shown = texts(&split(&output.stdout));
        (output.status.success() && shown.len() > 1).then_some(shown)
    }

    /// What it is called in messages.
    pub fn name(&self) -> &str {
        self.compiler.first().map_or("", String::as_str)
    }
}

/// The C compiler beside one for MPI programs.
fn c_compiler(program: &str) -> Option<String> {
    let name = base_name(program);
    let (known, c) = COMPILERS.iter().find(|(known, _)| is_called(name, known))?;
    let folder = &program[..program.len() - name.len()];
    Some(format!("{folder}{c}{}", &name[known.len()..]))
}

fn is_c_compiler(name: &str) -> bool {
    ["mpicc", "mpiicc", "mpiicx"].iter().any(|known| is_called(name, known))
}

/// By this name, or by it with a suffix: `mpicc.openmpi`, `mpicc-12`, `mpicc_abi`.
fn is_called(name: &str, known: &str) -> bool {
    name.strip_prefix(known).is_some_and(|rest| {
        let suffixes = ["-", "_abi"];
        rest.is_empty()
            || rest.starts_with('.') && !rest.ends_with(".pl")
            || suffixes.iter().any(|suffix| rest.starts_with(suffix))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_c_compiler_of_an_mpi_is_found() {
        let of = |program: &str| c_compiler(program).unwrap_or_default();
        assert_eq!(of("mpif90.openmpi"), "mpicc.openmpi");
        assert_eq!(of("/opt/mpi/bin/mpicxx"), "/opt/mpi/bin/mpicc");
        assert_eq!(of("mpiifx"), "mpiicx");
        assert_eq!(of("mpicxx_abi"), "mpicc_abi");
        assert_eq!([of("gcc"), of("mpiccount"), of("/mpi/bin/gcc")], ["", "", ""]);
        let words = ["-I/opt/mpi/include", "a.o", "-lmpi"].map(str::to_owned);
        let linked = Mpi::of_command("gcc", &words).unwrap();
        assert_eq!(linked.compiler, ["cc", "-I/opt/mpi/include"]);
        assert_eq!(Mpi::of_command("gcc", &words[..2]), None);
    }
}
