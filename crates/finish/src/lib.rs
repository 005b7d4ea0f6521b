//! Turns live state into an experiment: `profile.cubex`, `traces.otf2` with its files, and
//! `manifest.json`. It works on what a process left, whether that ended normally, was killed or
//! is lost with its node; so it is called by `pompeii run` and by every command that opens an
//! experiment which still has its `live/` folder.
//!
//! Data flow: [`pompeii_live::LiveProcess`] (files) -> [`unify`] (one call tree, one cube of what
//! was measured) -> [`profile`] and [`trace`] (files), [`manifest`] last. The live folder is
//! removed only when all of it is on disk.

mod clock;
mod manifest;
mod profile;
mod task_times;
mod trace;
mod unify;
mod waits;

use std::fs;
use std::path::{Path, PathBuf};

use pompeii_live::LiveProcess;

pub use manifest::{Lost, MANIFEST_FILE, Manifest, ManifestError, ProcessEntry, RunInfo};

/// Name of the profile in an experiment.
pub const PROFILE_FILE: &str = "profile.cubex";
/// Name of the folder of live state in an experiment.
pub const LIVE_FOLDER: &str = "live";
/// Folder of further processes of the same run, each with an experiment of its own.
pub const PROCESSES_FOLDER: &str = "procs";

/// Why an experiment could not be finished.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Live state cannot be read.
    #[error("cannot read live state: {0}")]
    Live(#[from] pompeii_live::ReadError),
    /// The profile cannot be written.
    #[error("cannot write the profile: {0}")]
    Profile(#[from] pompeii_cubex::Error),
    /// The trace cannot be written.
    #[error("cannot write the trace: {0}")]
    Trace(#[from] pompeii_otf2::Error),
    /// The manifest cannot be written.
    #[error("{0}")]
    Manifest(#[from] ManifestError),
    /// Something else about a file.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

/// Whether the experiment still has live state.
pub fn is_unfinished(experiment: &Path) -> bool {
    experiment.join(LIVE_FOLDER).exists()
}

/// Finishes the experiment in `folder`, and the further processes below it. `info` is what only
/// the one who started the program knows. Returns the manifest; `None` where nothing was measured.
///
/// # Errors
/// What could not be read or written; live state is kept then.
pub fn finish(folder: &Path, info: &RunInfo) -> Result<Option<Manifest>, Error> {
    let mut processes = Vec::new();
    for own in process_folders(folder)? {
        let name = own.file_name().map(|name| name.to_string_lossy().into_owned());
        if let Some(manifest) = finish_process(&own, info, Vec::new())? {
            let folder = format!("{PROCESSES_FOLDER}/{}", name.unwrap_or_default());
            processes.push(ProcessEntry { folder, program: manifest.program });
        }
    }
    finish_process(folder, info, processes)
}

fn process_folders(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let path = folder.join(PROCESSES_FOLDER);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(&path).map_err(|source| Error::Io { path, source })?;
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    Ok(folders)
}

fn finish_process(
    folder: &Path,
    info: &RunInfo,
    processes: Vec<ProcessEntry>,
) -> Result<Option<Manifest>, Error> {
    let live_folder = folder.join(LIVE_FOLDER);
    if !live_folder.exists() {
        return Ok(None);
    }
    let mut live = LiveProcess::open(&live_folder)?;
    unify::sort_locations(&mut live);
    let clock = clock::of(&live);
    let unified = unify::unify(&live, clock);
    profile::write(&unified, &folder.join(PROFILE_FILE))?;
    if live.trace {
        trace::write(&live, &unified, folder)?;
    }
    let manifest = Manifest::new(&live, &unified.cube, info, processes);
    manifest.store(folder)?;
    remove_live(&live_folder)?;
    Ok(Some(manifest))
}

/// The live folder may be a link to node-local storage.
fn remove_live(live: &Path) -> Result<(), Error> {
    let failed = |source| Error::Io { path: live.to_owned(), source };
    if let Ok(target) = fs::read_link(live) {
        fs::remove_dir_all(&target).map_err(failed)?;
        return fs::remove_file(live).map_err(failed);
    }
    fs::remove_dir_all(live).map_err(failed)
}
