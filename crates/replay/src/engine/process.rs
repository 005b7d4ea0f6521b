//! What the locations of one process tell each other in stage 1: where forks lie. The call stack of
//! a task that another thread resumes is handed over between rounds (`engine/window.rs`). Nothing
//! else passes between locations there.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pompeii_model::LocationId;

use crate::engine::record::{ForkId, TaskId, TeamInstance, VisitId};
use crate::engine::tree::NodeId;
use crate::hash::Table;

/// A fork, as the workers of its team need to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fork {
    /// Which fork.
    pub id: ForkId,
    /// When.
    pub time: u64,
    /// The call path that forks.
    pub node: NodeId,
    /// The visit that forks.
    pub visit: VisitId,
}

/// What the locations of a process share.
///
/// It changes between two rounds of reading only ([`Shared::settle`]), because locations read at
/// the same time: what one of them finds must not depend on how far another one has come by chance.
#[derive(Debug, Default)]
pub struct Shared {
    forks: Mutex<Forks>,
}

#[derive(Debug, Default)]
struct Forks {
    known: Table<TeamInstance, Awaited>,
    /// Those of the present round.
    new: Vec<(TeamInstance, Awaited)>,
    /// Teams with a worker that has got its fork in the present round.
    taken: Vec<TeamInstance>,
    /// Locations whose forks are not known any more.
    lost: HashSet<LocationId>,
    /// Those of the present round.
    new_lost: Vec<LocationId>,
}

#[derive(Debug)]
struct Awaited {
    fork: Fork,
    /// Workers that have not got it.
    workers: usize,
}

impl Shared {
    fn forks(&self) -> MutexGuard<'_, Forks> {
        self.forks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The master of a team begins its part, and this number of workers will ask for the fork.
    pub fn publish(&self, team: TeamInstance, fork: Fork, workers: usize) {
        if workers > 0 {
            self.forks().new.push((team, Awaited { fork, workers }));
        }
    }

    /// The fork of a team, for one of its workers; `None` if its master has not come there yet.
    pub fn take(&self, team: TeamInstance) -> Option<Fork> {
        let mut forks = self.forks();
        let fork = forks.known.get(&team)?.fork;
        forks.taken.push(team);
        Some(fork)
    }

    /// Records of a location were dropped: its later forks cannot be told from each other.
    pub fn lose(&self, master: LocationId) {
        self.forks().new_lost.push(master);
    }

    /// Whether later forks of a location are not known.
    pub fn has_lost(&self, master: LocationId) -> bool {
        self.forks().lost.contains(&master)
    }

    /// A round is over: what was published in it is there in the next one.
    pub fn settle(&self) {
        let mut forks = self.forks();
        for team in std::mem::take(&mut forks.taken) {
            if let Some(awaited) = forks.known.get_mut(&team) {
                awaited.workers = awaited.workers.saturating_sub(1);
                if awaited.workers == 0 {
                    forks.known.remove(&team);
                }
            }
        }
        let new = std::mem::take(&mut forks.new);
        forks.known.extend(new);
        let lost = std::mem::take(&mut forks.new_lost);
        forks.lost.extend(lost);
    }
}

/// Problems of a trace, counted: for none of them a value is guessed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Events with a time before that of the event in front of them.
    pub backward: u64,
    /// Events with a time far after the end of the measurement, and sums of more time than there
    /// was.
    pub beyond: u64,
    /// Leaves of a region that was not the current one.
    pub unbalanced: u64,
    /// Regions that were open at the end.
    pub open_regions: u64,
    /// Parts of parallel regions whose fork is not in the trace.
    pub unknown_forks: u64,
    /// Fragments of tasks whose begin is not in the trace.
    pub unknown_tasks: u64,
    /// Values of counters that are smaller than those before them.
    pub counters: u64,
    /// Barriers whose other threads are not known, because recording was off in the part before.
    pub unknown_barriers: u64,
    /// Times at which records were dropped.
    pub dropped: u64,
    /// Errors while reading.
    pub errors: u64,
}

impl Gaps {
    /// Adds those of another location.
    pub fn add(&mut self, other: &Gaps) {
        self.backward += other.backward;
        self.beyond += other.beyond;
        self.unbalanced += other.unbalanced;
        self.open_regions += other.open_regions;
        self.unknown_forks += other.unknown_forks;
        self.unknown_tasks += other.unknown_tasks;
        self.counters += other.counters;
        self.unknown_barriers += other.unknown_barriers;
        self.dropped += other.dropped;
        self.errors += other.errors;
    }
}

/// Why a location cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The fork of a team.
    Fork,
    /// The call stack of a task that another location has suspended.
    Task(TaskId),
    /// The other locations have not come to this time, and one of them may go on with the task.
    Turn,
}
