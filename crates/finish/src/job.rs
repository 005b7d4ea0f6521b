//! Which processes belong together: those of an MPI job become one experiment, any other process
//! one of its own. An experiment is made in the folder of one of its processes, the root where that
//! is among them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pompeii_live::LiveProcess;

use crate::manifest::Manifest;
use crate::mpi::{self, World};
use crate::{Error, LIVE_FOLDER, process_folders};

/// Processes that become one experiment.
#[derive(Debug)]
pub struct Group {
    /// Where the experiment is made.
    pub folder: PathBuf,
    /// The processes' folders, in the order of their ranks.
    pub members: Vec<PathBuf>,
    /// An experiment of this job was made before: whoever did it has died before it was done with
    /// these processes' live state.
    pub is_done: bool,
}

/// All groups of an experiment; that of the root comes last, and is there even if the root has no
/// live state.
pub fn groups(experiment: &Path) -> Result<Vec<Group>, Error> {
    let mut folders = process_folders(experiment)?;
    folders.push(experiment.to_owned());
    let done: Vec<String> =
        folders.iter().filter_map(|folder| Some(Manifest::load(folder).ok()?.job?.id)).collect();
    let mut jobs: BTreeMap<String, Vec<(u32, PathBuf)>> = BTreeMap::new();
    let mut groups = Vec::new();
    for folder in folders {
        match world(&folder) {
            Some(World { rank, job, .. }) => jobs.entry(job).or_default().push((rank, folder)),
            None => groups.push(Group { members: vec![folder.clone()], folder, is_done: false }),
        }
    }
    for (job, mut members) in jobs {
        members.sort();
        let root = members.iter().find(|(_, folder)| folder == experiment);
        let (_, folder) = root.unwrap_or(&members[0]).clone();
        let is_done = done.contains(&job);
        let members = members.into_iter().map(|(_, folder)| folder).collect();
        groups.push(Group { folder, members, is_done });
    }
    groups.sort_by_key(|group| (group.folder == experiment, group.folder.clone()));
    Ok(groups)
}

/// The place in its job of the process with this folder, if it is known.
fn world(folder: &Path) -> Option<World> {
    mpi::world(&LiveProcess::open_without_locations(&folder.join(LIVE_FOLDER)).ok()?)
}
