//! Groups and communicators: the threads of all processes and teams of them for OpenMP, the
//! processes and those that exchange messages for MPI (section 14 of the facts).

use pompeii_model::{Communicator, CommunicatorId, CommunicatorKey, Id};
use pompeii_otf2::definition::{
    CartCoordinate, CartDimension, CartTopology, Comm, Group, InterComm,
};
use pompeii_otf2::enums::{self, CommFlag, GroupFlag, GroupType, Paradigm};
use pompeii_otf2::reference::{CartDimensionRef, CartTopologyRef, CommRef, GroupRef, StringRef};
use pompeii_otf2::write::ArchiveWriter;

use super::location_ref;
use crate::Error;
use crate::communicators::members;
use crate::resources::{FIRST_GROUP, Resources};
use crate::run::Run;

/// Defines all of a run, and the groups of its windows; `size` is the number of processes of its
/// MPI job.
pub fn define(
    archive: &mut ArchiveWriter,
    run: &Run,
    (size, resources): (Option<u32>, &Resources),
) -> Result<(), Error> {
    let mut groups = Groups { archive, next: 0 };
    let (openmp, mpi) = (groups.archive.string("OpenMP")?, groups.archive.string("MPI")?);
    let none = groups.archive.string("")?;
    let system = &run.definitions().system;
    let threads = system.locations_by_process();
    let locations = system.processes.iter().zip(threads.iter()).flat_map(|(process, threads)| {
        (0..threads.len()).map(|thread| location_ref(process.rank, thread).0)
    });
    let locations: Vec<u64> = locations.collect();
    groups.define(openmp, GroupType::COMM_LOCATIONS, Paradigm::OPENMP, locations.clone())?;
    let mut itself = GroupRef::UNDEFINED;
    if let Some(size) = size {
        let masters = (0..size).map(|rank| location_ref(rank, 0).0).collect();
        groups.define(mpi, GroupType::COMM_LOCATIONS, Paradigm::MPI, masters)?;
        itself = groups.define(none, GroupType::COMM_SELF, Paradigm::MPI, Vec::new())?;
        debug_assert_eq!(groups.next, FIRST_GROUP, "ids of groups in events count on it");
        resources.define_groups(groups.archive)?;
        groups.next += resources.groups();
    }
    let communicators = &run.definitions().communicators;
    if has_created_threads(run) {
        let name = groups.archive.string("POSIX threads")?;
        groups.define(name, GroupType::COMM_LOCATIONS, Paradigm::PTHREAD, locations)?;
    }
    let mut of = Vec::new();
    for communicator in communicators.iter() {
        of.push(groups.of(communicator, none, itself)?);
    }
    for ((id, communicator), groups) in communicators.enumerated().zip(of) {
        let parent = communicator.parent.filter(|&parent| {
            // What one side of an intercommunicator was made of is not what both have in common.
            communicator.remote_ranks.is_empty() || contains(&communicators[parent], communicator)
        });
        define_communicator(archive, id, (communicator, parent), groups)?;
    }
    define_topologies(archive, run)
}

/// Whether events name threads that the program has created.
pub fn has_created_threads(run: &Run) -> bool {
    let communicators = run.definitions().communicators.iter();
    let is_of_them = |of: &Communicator| matches!(of.key, CommunicatorKey::CreatedThreads { .. });
    communicators.into_iter().any(is_of_them)
}

/// Whether all members of both sides of `inner` are in `outer`.
fn contains(outer: &Communicator, inner: &Communicator) -> bool {
    let is_there = |rank: &u32| outer.ranks.contains(rank) || outer.remote_ranks.contains(rank);
    inner.ranks.iter().chain(&inner.remote_ranks).all(is_there)
}

/// Groups are numbered as they come.
struct Groups<'a> {
    archive: &'a mut ArchiveWriter,
    next: u32,
}

impl Groups<'_> {
    fn define(
        &mut self,
        name: StringRef,
        group_type: GroupType,
        paradigm: Paradigm,
        members: Vec<u64>,
    ) -> Result<GroupRef, Error> {
        let id = GroupRef(self.next);
        self.next += 1;
        self.archive.define(Group {
            id,
            name,
            group_type_pre12: enums::GroupTypePre12::default(),
            members,
            group_type,
            paradigm,
            group_flags: GroupFlag::NONE,
        })?;
        Ok(id)
    }

    /// The group of a communicator, and the other side's where it has two.
    fn of(
        &mut self,
        of: &Communicator,
        none: StringRef,
        itself: GroupRef,
    ) -> Result<(GroupRef, Option<GroupRef>), Error> {
        let group = GroupType::COMM_GROUP;
        Ok(match of.key {
            CommunicatorKey::Itself => (itself, None),
            CommunicatorKey::Team { .. } | CommunicatorKey::CreatedThreads { .. } => {
                let members = of.threads.iter().map(|thread| thread.index() as u64).collect();
                let paradigm = match of.key {
                    CommunicatorKey::Team { .. } => Paradigm::OPENMP,
                    _ => Paradigm::PTHREAD,
                };
                (self.define(none, group, paradigm, members)?, None)
            }
            CommunicatorKey::Processes { .. } => {
                let own = self.define(none, group, Paradigm::MPI, members(&of.ranks))?;
                let remote = match of.remote_ranks.as_slice() {
                    [] => None,
                    ranks => Some(self.define(none, group, Paradigm::MPI, members(ranks))?),
                };
                (own, remote)
            }
        })
    }
}

fn define_communicator(
    archive: &mut ArchiveWriter,
    id: CommunicatorId,
    (of, parent): (&Communicator, Option<CommunicatorId>),
    (group, remote): (GroupRef, Option<GroupRef>),
) -> Result<(), Error> {
    let (id, name) = (CommRef(id.0), archive.string(&of.name)?);
    let flags = match of.key {
        CommunicatorKey::Team { .. } | CommunicatorKey::CreatedThreads { .. } => CommFlag::NONE,
        _ => CommFlag::CREATE_DESTROY_EVENTS,
    };
    // It must be defined before, which a parent is that somebody has made a communicator of.
    let parent = parent.filter(|parent| parent.0 < id.0);
    let parent = parent.map_or(CommRef::UNDEFINED, |parent| CommRef(parent.0));
    match remote {
        None => archive.define(Comm { id, name, group, parent, flags })?,
        Some(group_b) => archive.define(InterComm {
            id,
            name,
            group_a: group,
            group_b,
            common_communicator: parent,
            flags,
        })?,
    }
    Ok(())
}

/// Cartesian arrangements of processes.
fn define_topologies(archive: &mut ArchiveWriter, run: &Run) -> Result<(), Error> {
    let (mut next_dimension, mut next_topology) = (0, 0);
    for (id, communicator) in run.definitions().communicators.enumerated() {
        let Some(grid) = &communicator.grid else { continue };
        let mut cart_dimensions = Vec::new();
        for (position, &(size, periodic)) in grid.dimensions.iter().enumerate() {
            let name = archive.string(&format!("dimension {position}"))?;
            let id = CartDimensionRef(next_dimension);
            next_dimension += 1;
            let cart_periodicity = match periodic {
                true => enums::CartPeriodicity::TRUE,
                false => enums::CartPeriodicity::FALSE,
            };
            archive.define(CartDimension { id, name, size, cart_periodicity })?;
            cart_dimensions.push(id);
        }
        let topology = CartTopologyRef(next_topology);
        next_topology += 1;
        let (name, communicator_ref) = (archive.string(&communicator.name)?, CommRef(id.0));
        let communicator = communicator_ref;
        archive.define(CartTopology { id: topology, name, communicator, cart_dimensions })?;
        let ranks = &run.definitions().communicators[id].ranks;
        for (world_rank, coordinates) in &grid.coordinates {
            let rank = ranks.iter().position(|rank| rank == world_rank);
            let Some(rank) = rank else { continue };
            archive.define(CartCoordinate {
                cart_topology: topology,
                rank: rank as u32,
                coordinates: coordinates.clone(),
            })?;
        }
    }
    Ok(())
}
