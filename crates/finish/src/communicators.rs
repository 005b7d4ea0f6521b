//! Communicators that a process knows: those of MPI that it is a member of, and its teams. Events
//! have ids of one row for both.

use pompeii_live::{Definition, FOREIGN_RANK, LiveProcess, MpiDefinition};
use pompeii_model::{
    Communicator, CommunicatorId, CommunicatorKey, Grid, Id, IndexVec, LocationId,
};

use crate::mpi::World;

/// All communicators in the order of their definition, and by the id that events have for them.
pub fn of(
    live: &LiveProcess,
    world: Option<&World>,
) -> (IndexVec<CommunicatorId, Communicator>, Vec<Option<CommunicatorId>>) {
    let mut found = Found { of: live, world, known: IndexVec::default(), by_id: Vec::new() };
    for definition in &live.definitions {
        match definition {
            Definition::Communicator { .. } | Definition::NestedCommunicator { .. } => {
                found.team(definition);
            }
            Definition::CreatedThreads { id } => found.created_threads(*id),
            Definition::Mpi(definition) => found.mpi(definition),
            _ => {}
        }
    }
    (found.known, found.by_id)
}

/// Where the members of a team are among the locations, in the order of thread numbers.
pub fn places(live: &LiveProcess, team: &Definition) -> impl Iterator<Item = usize> {
    let place = |index| live.locations.iter().position(move |location| location.index == index);
    live.members(team).into_iter().filter_map(move |location| place(location.index))
}

struct Found<'a> {
    of: &'a LiveProcess,
    world: Option<&'a World>,
    known: IndexVec<CommunicatorId, Communicator>,
    by_id: Vec<Option<CommunicatorId>>,
}

/// Ids are dense. A communicator may have no definition, because there was no room for it. An id
/// that is larger than the number of definitions by this or more is damage.
const UNDEFINED_MAX: usize = 1 << 12;

impl Found<'_> {
    fn add(&mut self, id: u32, communicator: Communicator) {
        let known = self.known.push(communicator);
        let index = id as usize;
        if index < self.of.definitions.len() + UNDEFINED_MAX {
            self.by_id.resize(self.by_id.len().max(index + 1), None);
            self.by_id[index] = Some(known);
        }
    }

    fn get(&self, id: u32) -> Option<CommunicatorId> {
        self.by_id.get(id as usize).copied().flatten()
    }

    /// A shape of team. Its members are its master and the locations that play its threads, in the
    /// order of thread numbers.
    fn team(&mut self, definition: &Definition) {
        let places: Vec<usize> = places(self.of, definition).collect();
        let above = places.first().map_or(0, |&master| self.of.locations[master].level);
        let (id, level) = match *definition {
            Definition::Communicator { id, .. } => (id, above.saturating_add(1)),
            Definition::NestedCommunicator { id, level, .. } => (id, level),
            _ => return,
        };
        let threads: Vec<LocationId> = places.into_iter().map(LocationId::from_index).collect();
        let rank = self.world.map_or(0, |world| world.rank);
        let key = CommunicatorKey::Team { rank, number: id };
        let parent = threads.first().and_then(|&master| self.enclosing(level, master));
        self.add(id, Communicator { parent, threads, level, ..Communicator::new(key) });
    }

    /// All threads of the process: any of them may create others, and wait for them.
    fn created_threads(&mut self, id: u32) {
        let threads = (0..self.of.locations.len()).map(LocationId::from_index).collect();
        let rank = self.world.map_or(0, |world| world.rank);
        let key = CommunicatorKey::CreatedThreads { rank };
        self.add(id, Communicator { threads, ..Communicator::new(key) });
    }

    /// The team, defined before, one level up that the master is a thread of.
    fn enclosing(&self, level: u32, master: LocationId) -> Option<CommunicatorId> {
        let outer = |(_, outer): &(CommunicatorId, &Communicator)| {
            outer.level.checked_add(1) == Some(level) && outer.threads.contains(&master)
        };
        self.known.enumerated().find(outer).map(|(id, _)| id)
    }

    fn mpi(&mut self, definition: &MpiDefinition) {
        match definition {
            MpiDefinition::Comm { id, root, parent, name, members, remote, .. } => {
                let Some((_, key)) = key(definition) else { return };
                let mut ranks = [members.clone(), remote.clone()];
                // Both groups of an intercommunicator describe it, each its own first.
                if !remote.is_empty() && members.first() != Some(root) {
                    ranks.reverse();
                }
                let [mut ranks, remote_ranks] = ranks;
                if let (true, Some(world)) = (name == "MPI_COMM_WORLD", self.world) {
                    ranks = (0..world.size).collect();
                }
                let parent = self.get(*parent);
                let name = name.clone();
                let known = Communicator::new(key);
                self.add(*id, Communicator { name, parent, ranks, remote_ranks, ..known });
            }
            MpiDefinition::CommName { comm, name } => {
                if let Some(id) = self.get(*comm) {
                    self.known[id].name.clone_from(name);
                }
            }
            MpiDefinition::Cart { comm, dimensions, coordinates } => self.grid(
                *comm,
                Grid { dimensions: dimensions.clone(), ..Grid::default() },
                coordinates,
            ),
            _ => {}
        }
    }

    fn grid(&mut self, comm: u32, mut grid: Grid, coordinates: &[u32]) {
        if let (Some(id), Some(world)) = (self.get(comm), self.world) {
            grid.coordinates.insert(world.rank, coordinates.to_vec());
            self.known[id].grid = Some(grid);
        }
    }
}

/// The id of a communicator that is defined here, and what tells it apart in the run.
pub fn key(definition: &MpiDefinition) -> Option<(u32, CommunicatorKey)> {
    let MpiDefinition::Comm { id, root, number, name, .. } = definition else { return None };
    let key = match name.as_str() {
        "MPI_COMM_SELF" => CommunicatorKey::Itself,
        _ => CommunicatorKey::Processes { root: *root, number: *number },
    };
    Some((*id, key))
}

/// World ranks as members of a group; those of other jobs have no place in a trace of this one.
pub fn members(ranks: &[u32]) -> Vec<u64> {
    ranks.iter().filter(|&&rank| rank != FOREIGN_RANK).map(|&rank| u64::from(rank)).collect()
}
