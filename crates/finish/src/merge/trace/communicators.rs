//! The communicators that the ranks of one MPI job have in common. Only the first member of a
//! communicator notes who its members are, so that one experiment may know the members and another
//! one may have the events. The manifests say which communicators of two experiments are the same
//! one.

use std::collections::BTreeMap;

use pompeii_otf2::definition::Definition;
use pompeii_otf2::reference::{CommRef, GroupRef};

use super::Source;
use crate::manifest::JobCommunicator;
use crate::merge::MergeError;

/// What tells a communicator apart in all experiments: its first member and a number.
pub type Key = (u32, u64);

/// What all experiments know of a communicator.
#[derive(Clone, Debug, Default)]
pub struct Joined {
    /// Empty if it has none.
    pub name: String,
    pub parent: Option<Key>,
    /// World ranks of its members, and of those of the other side.
    pub members: Vec<u64>,
    pub remote: Vec<u64>,
    /// Where ranks are in its topology, by world rank.
    pub coordinates: BTreeMap<u32, Vec<u32>>,
}

impl Joined {
    fn join(&mut self, other: Joined) {
        if self.name.is_empty() {
            self.name = other.name;
        }
        self.parent = self.parent.or(other.parent);
        if self.members.is_empty() {
            (self.members, self.remote) = (other.members, other.remote);
        }
        self.coordinates.extend(other.coordinates);
    }
}

/// All of a job; none if the experiments are of no job.
#[derive(Debug, Default)]
pub struct Communicators {
    all: BTreeMap<Key, Joined>,
}

impl Communicators {
    /// Those of all experiments, which are of one job.
    ///
    /// # Errors
    /// An experiment whose manifest does not tell its communicators apart.
    pub fn of_job(sources: &[Source]) -> Result<Communicators, MergeError> {
        let mut all: BTreeMap<Key, Joined> = BTreeMap::new();
        for source in sources {
            if known(source).is_empty() {
                return Err(MergeError::Old(source.part.name.clone()));
            }
            for of in known(source) {
                all.entry((of.root, of.number)).or_default().join(one(source, of));
            }
        }
        Ok(Communicators { all })
    }

    /// What is known of a communicator of an experiment; `None` if it has no other members than
    /// those of the experiment, for example a team.
    pub fn get(&self, source: &Source, own: CommRef) -> Option<(Key, &Joined)> {
        let key = key(source, own)?;
        Some((key, self.all.get(&key)?))
    }

    /// Each with what all experiments know of it.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Joined)> {
        self.all.iter()
    }
}

fn known<'a>(source: &'a Source) -> &'a [JobCommunicator] {
    source.part.manifest.job.as_ref().map_or(&[], |job| &job.communicators)
}

fn key(source: &Source, own: CommRef) -> Option<Key> {
    let found = known(source).iter().find(|of| of.id == own.0)?;
    Some((found.root, found.number))
}

/// What one experiment knows.
fn one(source: &Source, of: &JobCommunicator) -> Joined {
    let archive = &source.archive;
    // In the trace of one job, ranks are the places in the group of all locations.
    let ranks =
        |group: GroupRef| archive.group(group).map_or_else(Vec::new, |group| group.members.clone());
    let (name, parent, members, remote) = match archive.find("Comm", u64::from(of.id)) {
        Some(Definition::Comm(comm)) => (comm.name, comm.parent, ranks(comm.group), Vec::new()),
        Some(Definition::InterComm(comm)) => {
            (comm.name, comm.common_communicator, ranks(comm.group_a), ranks(comm.group_b))
        }
        _ => return Joined::default(),
    };
    Joined {
        name: archive.string(name).unwrap_or_default().to_owned(),
        parent: key(source, parent),
        members,
        remote,
        coordinates: of.coordinates.clone(),
    }
}
