//! The library by which the ranks of an analysis reach the user's MPI: `shim.c`, compiled once by
//! the compiler of that MPI library, and kept under what has gone into it. It is made like the
//! wrappers ([`wrappers`]), but it measures nothing and needs no libpomp.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::job::{Family, Job};
use super::{Mpi, wrappers};
use crate::{library, trust};

const TEXT: &str = include_str!("shim.c");

/// Where libraries are kept, among the [`library::places`].
const PLACE: &str = "mpi-ranks";

/// The file of a library says for which launchers it is: where jobs run, there may be no compiler
/// that could tell it.
fn file_name(family: Family) -> &'static str {
    match family {
        Family::OpenMpi => "libpompeii-ranks-openmpi.so",
        Family::Mpich => "libpompeii-ranks-mpich.so",
    }
}

/// The kind of a library by the macros of its `mpi.h`; `None` if it is another one.
fn family(macros: &str) -> Option<Family> {
    let has = |name: &str| macros.contains(&format!("#define {name} "));
    match () {
        () if has("OMPI_MAJOR_VERSION") => Some(Family::OpenMpi),
        () if has("MPICH_VERSION") || has("I_MPI_VERSION") => Some(Family::Mpich),
        () => None,
    }
}

/// The library for an MPI, made if it is not there yet; `None` if the MPI is of no known kind.
///
/// # Errors
/// The compiler fails, or there is no place for the library.
pub fn library(mpi: &Mpi) -> Result<Option<PathBuf>> {
    library_for(mpi, None)
}

/// The same; `None` also if the MPI is of another kind than the wanted one.
fn library_for(mpi: &Mpi, wanted: Option<Family>) -> Result<Option<PathBuf>> {
    let macros = wrappers::macros(mpi)?;
    let fits = |family: &Family| wanted.is_none_or(|wanted| wanted == *family);
    match family(&macros).filter(fits) {
        Some(family) => made(mpi, &macros, file_name(family)).map(Some),
        None => Ok(None),
    }
}

fn made(mpi: &Mpi, macros: &str, name: &str) -> Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    (TEXT, &mpi.compiler, wrappers::version(mpi), macros).hash(&mut hasher);
    let key = format!("{:016x}", hasher.finish());
    let mut files = library::places(PLACE).into_iter().map(|base| base.join(&key).join(name));
    if let Some(kept) = files.find(|file| trust::check(file).is_ok()) {
        return Ok(kept);
    }
    let folder = library::in_a_place(PLACE, &key, |folder| build(mpi, folder, name));
    let folder = folder.with_context(|| format!("cannot make the library for `{}`", mpi.name()))?;
    Ok(folder.join(name))
}

/// Compiles under another name first: all ranks may do so at the same time.
fn build(mpi: &Mpi, folder: &Path, name: &str) -> Result<()> {
    let work = tempfile::tempdir_in(folder)?;
    let (text, made) = (work.path().join("shim.c"), work.path().join(name));
    fs::write(&text, TEXT)?;
    let fixed = ["-O2", "-fPIC", "-shared", "-w", "-o"].map(OsString::from);
    let words: Vec<OsString> = fixed.into_iter().chain([made.clone().into_os_string()]).collect();
    wrappers::link(mpi, &words, &text)?;
    fs::rename(&made, folder.join(name))?;
    Ok(())
}

/// All libraries that have been made for this kind, the newest first.
fn kept(wanted: Option<Family>) -> Vec<PathBuf> {
    let families = [Family::OpenMpi, Family::Mpich];
    let names = families.into_iter().filter(|family| wanted.is_none_or(|it| it == *family));
    let names: Vec<&str> = names.map(file_name).collect();
    let folders = library::places(PLACE).into_iter().filter_map(|base| fs::read_dir(base).ok());
    let folders = folders.flatten().flatten().map(|entry| entry.path());
    let files = folders.flat_map(|folder| names.iter().map(move |name| folder.join(name)));
    let mut files: Vec<PathBuf> = files.filter(|file| trust::check(file).is_ok()).collect();
    let made = |file: &PathBuf| fs::metadata(file).and_then(|file| file.modified()).ok();
    files.sort_by_key(|file| std::cmp::Reverse(made(file)));
    files
}

/// The libraries for a job, the best first: that of the first compiler in PATH which fits to the
/// launcher, then those that have been made before. There is at least one.
///
/// # Errors
/// No library fits, or none can be made.
pub fn for_job(job: &Job) -> Result<Vec<PathBuf>> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut failed = None;
    let mut found = Vec::new();
    for mpi in Mpi::installed(env::split_paths(&path)) {
        match library_for(&mpi, job.family) {
            Ok(Some(library)) => {
                found.push(library);
                break;
            }
            Ok(None) => {}
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    found.extend(kept(job.family));
    match (found.is_empty(), failed) {
        (false, _) => Ok(found),
        (true, Some(error)) => Err(error),
        (true, None) => bail!(
            "a launcher of {} has started {} processes, but no compiler of this library is in \
             PATH; call `pompeii doctor --build-mpi` where it is, or start one process without the \
             launcher",
            job.family.map_or("MPI", Family::name),
            job.ranks
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_tell_the_kind_of_a_library() {
        let of = |macros: &str| family(&format!("#define MPI_VERSION 3\n{macros}\n"));
        assert_eq!(of("#define OMPI_MAJOR_VERSION 4"), Some(Family::OpenMpi));
        assert_eq!(of("#define MPICH_VERSION \"4.0\""), Some(Family::Mpich));
        assert_eq!(of("#define I_MPI_VERSION \"2021.1\""), Some(Family::Mpich));
        assert_eq!(of("#define MPICH_VERSIONS 4"), None);
        assert_eq!(of(""), None);
    }
}
