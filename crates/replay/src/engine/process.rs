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

    /// A round is over: what was published in it is there in the next one. In a damaged trace
    /// several locations fork the same team. Then the earliest fork counts, in whichever order the
    /// threads of the analysis have come to these forks.
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
        let mut new = std::mem::take(&mut forks.new);
        new.sort_unstable_by_key(|(_, Awaited { fork, .. })| (fork.time, fork.id));
        for (team, awaited) in new {
            forks.known.entry(team).or_insert(awaited);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::tree::PROGRAM;

    const TEAM: TeamInstance = TeamInstance { team: 3, number: 0 };

    fn fork(master: u32, time: u64) -> Fork {
        let id = ForkId { master: LocationId(master), number: 0 };
        Fork { id, time, node: PROGRAM, visit: VisitId::NONE }
    }

    /// What a worker gets if these forks of its team come in this order, each with the round.
    fn taken(forks: &[(Fork, u32)]) -> Option<Fork> {
        let shared = Shared::default();
        for round in 0..2 {
            for (fork, _) in forks.iter().filter(|(_, of)| *of == round) {
                shared.publish(TEAM, *fork, 1);
            }
            shared.settle();
        }
        shared.take(TEAM)
    }

    #[test]
    fn of_several_forks_of_a_team_the_earliest_one_counts_in_each_order() {
        let (early, late, other) = (fork(1, 20), fork(0, 30), fork(2, 20));
        for (one, two) in [(early, late), (early, other)] {
            assert_eq!(taken(&[(one, 0), (two, 0)]), Some(early));
            assert_eq!(taken(&[(two, 0), (one, 0)]), Some(early));
        }
        // A worker may have got that of a former round.
        assert_eq!(taken(&[(late, 0), (early, 1)]), Some(late));
    }

    #[test]
    fn a_fork_is_there_in_the_next_round_and_for_as_many_workers_as_the_team_has() {
        let shared = Shared::default();
        shared.publish(TEAM, fork(0, 5), 1);
        assert_eq!(shared.take(TEAM), None);
        shared.settle();
        assert_eq!(shared.take(TEAM), Some(fork(0, 5)));
        shared.settle();
        assert_eq!(shared.take(TEAM), None);
    }
}
