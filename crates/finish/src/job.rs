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
    /// An experiment of these processes was made before: whoever did it has died before it was
    /// done with their live state.
    pub is_done: bool,
}

/// All groups of an experiment; that of the root comes last, and is there even if the root has no
/// live state.
pub fn groups(experiment: &Path) -> Result<Vec<Group>, Error> {
    let mut folders = process_folders(experiment)?;
    folders.push(experiment.to_owned());
    let mut done: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for job in folders.iter().filter_map(|folder| Manifest::load(folder).ok()?.job) {
        done.entry(job.id).or_default().extend(job.ranks.iter().map(|entry| entry.rank));
    }
    let mut jobs: BTreeMap<String, Vec<(u32, PathBuf)>> = BTreeMap::new();
    let mut groups = Vec::new();
    for folder in folders {
        match world(&folder) {
            Some(World { rank, job, .. }) => jobs.entry(job).or_default().push((rank, folder)),
            None => groups.push(Group { members: vec![folder.clone()], folder, is_done: false }),
        }
    }
    for (job, members) in jobs {
        // What comes when the experiment of its job has been made is one of its own.
        let is_known = |rank: &u32| done.get(&job).is_some_and(|ranks| ranks.contains(rank));
        let (known, new): (Vec<_>, Vec<_>) =
            members.into_iter().partition(|(rank, _)| is_known(rank));
        for (mut members, is_done) in [(known, true), (new, false)] {
            members.sort();
            let root = members.iter().find(|(_, folder)| folder == experiment);
            let Some((_, folder)) = root.or(members.first()).cloned() else { continue };
            let members = members.into_iter().map(|(_, folder)| folder).collect();
            groups.push(Group { folder, members, is_done });
        }
    }
    groups.sort_by_key(|group| (group.folder == experiment, group.folder.clone()));
    Ok(groups)
}

/// The place in its job of the process with this folder, if it is known.
fn world(folder: &Path) -> Option<World> {
    mpi::world(&LiveProcess::open_without_locations(&folder.join(LIVE_FOLDER)).ok()?)
}
