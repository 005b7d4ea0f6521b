//! Processes that could not write to the experiment's folder: what they have left in storage of
//! this host gets its place in the experiment by a link. Only what belongs to the user is taken,
//! since its name is no secret.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use pompeii_live::{STORAGE_VARIABLES, STORAGES, elsewhere};
use pompeii_otf2::folder::Folder;

use crate::{LIVE_FOLDER, PROCESSES_FOLDER};

/// The folders of such processes.
fn folders(experiment: &Path) -> Vec<PathBuf> {
    let Ok(experiment) = std::path::absolute(experiment) else { return Vec::new() };
    let named = STORAGE_VARIABLES.iter().filter_map(std::env::var_os);
    let storages = named.chain(STORAGES.map(OsString::from));
    let folder = |storage: OsString| elsewhere(Path::new(&storage), &experiment);
    let mut folders: Vec<PathBuf> = storages.map(folder).filter(|folder| is_own(folder)).collect();
    folders.sort();
    folders.dedup();
    folders
}

fn is_own(path: &Path) -> bool {
    let user = fs::metadata("/proc/self").map(|process| process.uid());
    path.symlink_metadata().is_ok_and(|of| of.is_dir() && user.is_ok_and(|user| of.uid() == user))
}

/// What each of them has left.
pub fn live_folders(experiment: &Path) -> Vec<PathBuf> {
    let inside = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten();
    let all = folders(experiment).into_iter().flat_map(inside);
    all.map(|entry| entry.path()).filter(|path| is_own(path)).collect()
}

/// Gives each a place in the experiment.
pub fn take_in(experiment: &Folder) {
    for live in live_folders(experiment.path()) {
        let Some(name) = live.file_name().and_then(|name| name.to_str()) else { continue };
        // What cannot be taken in stays where it is.
        let own = experiment.make(PROCESSES_FOLDER).and_then(|processes| processes.make(name));
        if let Ok(own) = own {
            let _ = symlink(&live, own.at(LIVE_FOLDER));
        }
    }
}

/// Removes what is empty by now.
pub fn clean(experiment: &Path) {
    for folder in folders(experiment) {
        let _ = fs::remove_dir(folder);
    }
}
