//! Groups and communicators. For each paradigm a trace has one group of all locations, and other
//! groups name their members by the place in it. Therefore the members of the groups of an
//! experiment get other numbers in the merged trace.
//!
//! The communicators of one MPI job are those of all its ranks (`communicators.rs`). Things that
//! belong to such a communicator, for example its windows, are told apart by their order: all
//! members create them in the same order.

use std::collections::HashMap;

use pompeii_otf2::definition::{Comm, Definition, Group, InterComm};
use pompeii_otf2::enums::{CommFlag, GroupFlag, GroupType, GroupTypePre12, Paradigm};
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::{CommRef, GroupRef, LocationRef};

use super::Source;
use super::communicators::Key;
use super::definitions::Taking;
use super::union::{Kind, Union};
use crate::Error;

/// The groups that all experiments have in common.
#[derive(Debug, Default)]
pub struct Groups {
    /// The place of each location in the group of all locations of a paradigm.
    places: HashMap<(u8, u64), u64>,
    ids: HashMap<(u8, u8), GroupRef>,
}

impl Groups {
    /// Defines them. Paradigms and members are in the order in which they come first.
    pub fn define(sources: &[Source], union: &mut Union) -> Result<Groups, Error> {
        let mut found = Groups::default();
        let mut in_order: Vec<(Group, String)> = Vec::new();
        for source in sources {
            for group in groups(&source.archive).filter(|group| is_of_all(group)) {
                let is_it = |(known, _): &(Group, String)| {
                    (known.group_type, known.paradigm) == (group.group_type, group.paradigm)
                };
                let name = source.archive.string(group.name).unwrap_or_default();
                let place = in_order.iter().position(is_it).unwrap_or_else(|| {
                    let new = Group { members: Vec::new(), ..group.clone() };
                    in_order.push((new, name.to_owned()));
                    in_order.len() - 1
                });
                found.add(source, group, &mut in_order[place].0);
            }
        }
        for (group, name) in in_order {
            let name = union.archive.string(&name)?;
            let make = |id| Group { id: GroupRef(id), name, ..group.clone() };
            let id = union.own(Kind::Group, make)?;
            found.ids.insert((group.group_type.0, group.paradigm.0), GroupRef(id));
        }
        Ok(found)
    }

    /// Adds the members of a group of all locations.
    fn add(&mut self, source: &Source, group: &Group, known: &mut Group) {
        for &own in &group.members {
            let location = source.location(LocationRef(own)).0;
            let next = known.members.len() as u64;
            if *self.places.entry((group.paradigm.0, location)).or_insert(next) == next {
                known.members.push(location);
            }
        }
    }
}

fn groups(archive: &Archive) -> impl Iterator<Item = &Group> {
    archive.definitions().iter().filter_map(|definition| match definition {
        Definition::Group(group) => Some(group),
        _ => None,
    })
}

/// Whether a trace has one such group for a paradigm.
fn is_of_all(group: &Group) -> bool {
    matches!(group.group_type, GroupType::COMM_LOCATIONS | GroupType::COMM_SELF)
}

/// What a communicator of a job is known by in the union.
pub fn text((root, number): Key) -> String {
    format!("{root} {number}")
}

/// Tells things apart that look the same, by their order.
#[derive(Debug, Default)]
pub struct Sharing {
    /// Whether the experiments are of one MPI job.
    pub is_job: bool,
    counts: HashMap<(Kind, String), u32>,
}

impl Sharing {
    /// The experiments are, or are not, of one MPI job.
    pub fn of(is_job: bool) -> Sharing {
        Sharing { is_job, counts: HashMap::new() }
    }

    /// What the next thing of this kind that looks like this is known by in all experiments of a
    /// job; `None` if they are of none, so that no other experiment has it.
    pub fn next(&mut self, kind: Kind, looks: &str) -> Option<String> {
        let count = self.counts.entry((kind, looks.to_owned())).or_default();
        *count += 1;
        self.is_job.then(|| format!("{looks} {count}"))
    }
}

impl Taking<'_, '_> {
    /// Takes over a group; `false` if traces of Pompeii have none of its type.
    pub fn group(&mut self, of: &Group) -> Result<bool, Error> {
        let common = self.groups.ids.get(&(of.group_type.0, of.paradigm.0));
        if let Some(id) = common {
            self.ids.set(Kind::Group, of.id.0, id.0);
            return Ok(true);
        }
        if of.group_type != GroupType::COMM_GROUP {
            return Ok(false);
        }
        let members = self.members(of);
        let id = if self.sharing.is_job && of.paradigm == Paradigm::MPI {
            self.ranks(&members)?.0
        } else {
            let name = self.ids.string(of.name);
            let make =
                |id| Group { id: GroupRef(id), name, members: members.clone(), ..of.clone() };
            self.union.own(Kind::Group, make)?
        };
        self.ids.set(Kind::Group, of.id.0, id);
        Ok(true)
    }

    /// The places of a group's members in the group of all locations of the paradigm.
    fn members(&self, of: &Group) -> Vec<u64> {
        let is_it = |group: &&Group| {
            group.group_type == GroupType::COMM_LOCATIONS && group.paradigm == of.paradigm
        };
        let all = groups(&self.source.archive).find(is_it);
        let all = all.map_or(&[][..], |group| group.members.as_slice());
        let place = |own: &u64| {
            let location = usize::try_from(*own).ok().and_then(|place| all.get(place));
            let location = location.map(|&own| self.source.location(LocationRef(own)).0);
            let place = location
                .and_then(|location| self.groups.places.get(&(of.paradigm.0, location)).copied());
            place.unwrap_or(*own)
        };
        of.members.iter().map(place).collect()
    }

    /// Takes over a communicator or a team.
    pub fn comm(&mut self, of: &Comm) -> Result<(), Error> {
        if let Some(id) = self.joined(of.id, of.flags)? {
            self.ids.set(Kind::Comm, of.id.0, id);
            return Ok(());
        }
        let (name, parent) = (self.ids.string(of.name), self.comm_id(of.parent));
        let group = GroupRef(self.ids.get(Kind::Group, of.group.0));
        let make = |id| Comm { id: CommRef(id), name, group, parent, ..of.clone() };
        let is_shared = self.sharing.is_job && !self.is_of_all(of.id);
        let id = match is_shared {
            true => self.union.shared(Kind::Comm, make)?,
            false => self.union.own(Kind::Comm, make)?,
        };
        self.ids.set(Kind::Comm, of.id.0, id);
        Ok(())
    }

    /// The same for one between two groups.
    pub fn inter_comm(&mut self, of: &InterComm) -> Result<(), Error> {
        let id = match self.joined(of.id, of.flags)? {
            Some(id) => id,
            None => {
                let name = self.ids.string(of.name);
                let common_communicator = self.comm_id(of.common_communicator);
                let groups = [of.group_a, of.group_b];
                let [group_a, group_b] =
                    groups.map(|own| GroupRef(self.ids.get(Kind::Group, own.0)));
                let make = |id| InterComm {
                    id: CommRef(id),
                    name,
                    group_a,
                    group_b,
                    common_communicator,
                    flags: of.flags,
                };
                self.union.own(Kind::Comm, make)?
            }
        };
        self.ids.set(Kind::Comm, of.id.0, id);
        Ok(())
    }

    /// The id of a communicator that other experiments of the job have, too; `None` if it is no
    /// such one.
    fn joined(&mut self, own: CommRef, flags: CommFlag) -> Result<Option<u32>, Error> {
        let Some((key, joined)) = self.communicators.get(self.source, own) else {
            return Ok(None);
        };
        let name = self.union.archive.string(&joined.name)?;
        let group = self.ranks(&joined.members)?;
        let remote = match joined.remote.is_empty() {
            true => None,
            false => Some(self.ranks(&joined.remote)?),
        };
        let parent = joined.parent.and_then(|parent| self.union.find(Kind::Comm, &text(parent)));
        let parent = parent.map_or(CommRef::UNDEFINED, CommRef);
        let make = |id| -> Definition {
            let id = CommRef(id);
            match remote {
                None => Comm { id, name, group, parent, flags }.into(),
                Some(group_b) => {
                    let (group_a, common_communicator) = (group, parent);
                    InterComm { id, name, group_a, group_b, common_communicator, flags }.into()
                }
            }
        };
        Ok(Some(self.union.shared_by(Kind::Comm, text(key), make)?.0))
    }

    /// The group of these ranks of the job.
    fn ranks(&mut self, ranks: &[u64]) -> Result<GroupRef, Error> {
        let name = self.union.archive.string("")?;
        let make = |id| Group {
            id: GroupRef(id),
            name,
            group_type_pre12: GroupTypePre12::default(),
            members: ranks.to_vec(),
            group_type: GroupType::COMM_GROUP,
            paradigm: Paradigm::MPI,
            group_flags: GroupFlag::NONE,
        };
        Ok(GroupRef(self.union.shared(Kind::Group, make)?))
    }

    /// Whether a communicator has members in other processes, so that other experiments may have
    /// it, too.
    pub fn is_of_all(&self, comm: CommRef) -> bool {
        let group = match self.source.archive.comm(comm) {
            Some(comm) => self.source.archive.group(comm.group),
            None => return self.source.archive.inter_comm(comm).is_some(),
        };
        group.is_some_and(|group| group.group_type != GroupType::COMM_SELF)
    }
}
