//! Communicators: who exchanges messages or meets in barriers. Those of MPI span processes, each of
//! which knows only a part of them; a team of OpenMP is the threads of one process.

use std::collections::BTreeMap;

use crate::{CommunicatorId, LocationId};

/// What tells communicators of a run apart: no process sees another's handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommunicatorKey {
    /// Of MPI.
    Processes {
        /// World rank of its first member.
        root: u32,
        /// Tells those apart that begin with the same process; all members know it.
        number: u64,
    },
    /// Of MPI: `MPI_COMM_SELF`, of each process its own.
    Itself,
    /// The threads that a process creates itself, by functions of POSIX threads.
    CreatedThreads {
        /// The process's rank.
        rank: u32,
    },
    /// A shape of team of OpenMP: the `number`th of the process.
    Team {
        /// The process's rank.
        rank: u32,
        /// Counted there.
        number: u32,
    },
}

/// A communicator, or what one process knows of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Communicator {
    /// What it is known by.
    pub key: CommunicatorKey,
    /// Its name; empty where it has none.
    pub name: String,
    /// The communicator that it was made of, or the team around it.
    pub parent: Option<CommunicatorId>,
    /// World ranks in the order of ranks; empty for teams and where it is not known (yet).
    pub ranks: Vec<u32>,
    /// The other side of an intercommunicator.
    pub remote_ranks: Vec<u32>,
    /// A team's threads in the order of thread numbers.
    pub threads: Vec<LocationId>,
    /// A team's level of nesting, 1 for the outermost.
    pub level: u32,
    /// How its ranks are arranged, where they are.
    pub grid: Option<Grid>,
}

impl Communicator {
    /// One of which nothing is known but its key.
    pub fn new(key: CommunicatorKey) -> Self {
        Self {
            key,
            name: String::new(),
            parent: None,
            ranks: Vec::new(),
            remote_ranks: Vec::new(),
            threads: Vec::new(),
            level: 0,
            grid: None,
        }
    }

    /// Adds what `other`, the same communicator as another process knows it, has beyond this one.
    pub(crate) fn join(&mut self, other: Self) {
        let Self { key: _, name, parent, ranks, remote_ranks, threads, level, grid } = other;
        if self.name.is_empty() {
            self.name = name;
        }
        self.parent = self.parent.or(parent);
        for (known, told) in [(&mut self.ranks, ranks), (&mut self.remote_ranks, remote_ranks)] {
            if known.is_empty() {
                *known = told;
            }
        }
        if self.threads.is_empty() {
            (self.threads, self.level) = (threads, level);
        }
        match (&mut self.grid, grid) {
            (Some(known), Some(told)) => known.join(told),
            (None, told) => self.grid = told,
            (Some(_), None) => {}
        }
    }
}

/// A Cartesian arrangement of the ranks of a communicator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// Size of each dimension, and whether its ends are neighbours.
    pub dimensions: Vec<(u32, bool)>,
    /// Coordinates by world rank: every process knows its own.
    pub coordinates: BTreeMap<u32, Vec<u32>>,
}

impl Grid {
    fn join(&mut self, other: Self) {
        if self.dimensions.is_empty() {
            self.dimensions = other.dimensions;
        }
        for (rank, coordinates) in other.coordinates {
            self.coordinates.entry(rank).or_insert(coordinates);
        }
    }
}
