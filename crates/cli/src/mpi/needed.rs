//! The wrappers that a program needs which was not linked with them: those for its MPI library.

use std::env;
use std::path::PathBuf;

use anyhow::{Result, bail};

use super::{Mpi, wrappers};
use crate::program::Program;

/// How names of MPI libraries begin; the last is that of the standard's ABI.
const LIBRARIES: [&str; 3] = ["libmpi.so.", "libmpich.so.", "libmpi_abi.so."];

/// Variables that a batch system sets in its jobs.
const JOBS: [&str; 4] = ["SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"];

/// What a program is linked with, itself or by way of other libraries.
pub struct Needed {
    /// Name of the MPI library.
    library: Vec<u8>,
    /// Whether the wrappers are among the others.
    pub wrapped: bool,
}

/// The MPI library of a program, if it has one and wrappers can be put in front of it.
pub fn needed(program: &Program, launched: bool) -> Option<Needed> {
    // Nothing can be put in front of what is in the program itself.
    if program.has(wrappers::OBJECT) {
        return None;
    }
    if let Some(library) = mpi_library(program.text()) {
        return Some(Needed { library, wrapped: program.has(wrappers::NAME) });
    }
    // Where the processes of a job are started, it may be libraries that call MPI.
    if !launched {
        return None;
    }
    let names = program.libraries();
    let is_mpi = |name: &&&str| LIBRARIES.iter().any(|library| name.starts_with(library));
    let library = names.iter().find(is_mpi)?.as_bytes().to_vec();
    Some(Needed { library, wrapped: names.contains(&wrappers::NAME) })
}

/// The MPI library that a program or a library needs: names of libraries stand in it as text.
fn mpi_library(text: &[u8]) -> Option<Vec<u8>> {
    let at = LIBRARIES.iter().find_map(|name| memchr::memmem::find(text, &named(name)))?;
    text[at + 1..].split(|&byte| byte == 0).next().map(<[u8]>::to_vec)
}

/// A name after the end of another.
fn named(name: &str) -> Vec<u8> {
    [b"\0", name.as_bytes()].concat()
}

/// The wrappers for this library: of a compiler in PATH, made where this is no job on a compute
/// node, else any that have been made. Libraries of several makers have the same name, with
/// functions that others do not have: those of the file that the program loads come first.
///
/// # Errors
/// Where none have been made, and none can be.
pub fn wrappers_of(program: &Program, needed: &Needed) -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let in_job = JOBS.iter().any(|name| env::var_os(name).is_some());
    let of_compilers =
        Mpi::installed(env::split_paths(&path)).into_iter().filter_map(|mpi| match in_job {
            true => wrappers::known(&mpi).ok().flatten(),
            false => wrappers::library(&mpi).ok(),
        });
    let name = String::from_utf8_lossy(&needed.library).into_owned();
    let (of_program, mut first) = (program.loaded(&name), None);
    let made = of_compilers.chain(wrappers::all()).filter_map(Program::open);
    for made in made.filter(|made| made.has(&needed.library)) {
        if of_program.is_some() && made.loaded(&name) == of_program {
            return Ok(made.path);
        }
        first.get_or_insert(made.path);
    }
    match first {
        Some(made) => Ok(made),
        None => bail!(
            "there are no wrappers for {name}; link with `pompeii compile -- mpicc ...`, or call \
             `pompeii doctor --build-mpi` where its mpicc is in PATH"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_say_which_mpi_they_need() {
        let of =
            |text: &[u8]| mpi_library(text).map(|name| String::from_utf8_lossy(&name).into_owned());
        assert_eq!(of(b"\x7fELF..\0libm.so.6\0libmpi.so.40\0").as_deref(), Some("libmpi.so.40"));
        assert_eq!(of(b"\x7fELF..\0libmpich.so.12\0").as_deref(), Some("libmpich.so.12"));
        assert_eq!(of(b"\x7fELF..\0libmpi_abi.so.1\0").as_deref(), Some("libmpi_abi.so.1"));
        assert_eq!(of(b"\x7fELF..\0libmpi_mpifh.so.40\0"), None);
    }
}
