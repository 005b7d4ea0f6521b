//! What the locations of one process tell each other in stage 1: where forks lie, and the call
//! stacks of tasks that another thread resumes. Nothing else passes between locations there.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::record::{ForkId, TaskId, TeamInstance};
use crate::strand::Moved;
use crate::tree::NodeId;

/// A fork, as the workers of its team need to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fork {
    /// Which fork.
    pub id: ForkId,
    /// When.
    pub time: u64,
    /// The call path that forks.
    pub node: NodeId,
}

/// What the locations of a process share.
#[derive(Debug, Default)]
pub struct Shared {
    forks: Mutex<HashMap<TeamInstance, (Fork, usize)>>,
    tasks: Mutex<HashMap<TaskId, Moved>>,
}

impl Shared {
    /// The master of a team begins its part: so many workers will ask for the fork.
    pub fn publish(&self, team: TeamInstance, fork: Fork, workers: usize) {
        if workers > 0 {
            let mut forks = self.forks.lock().unwrap_or_else(PoisonError::into_inner);
            forks.insert(team, (fork, workers));
        }
    }

    /// The fork of a team, for one of its workers; `None` if its master has not come there yet.
    pub fn take(&self, team: TeamInstance) -> Option<Fork> {
        let mut forks = self.forks.lock().unwrap_or_else(PoisonError::into_inner);
        let (fork, workers) = forks.get_mut(&team)?;
        let fork = *fork;
        *workers -= 1;
        if *workers == 0 {
            forks.remove(&team);
        }
        Some(fork)
    }

    /// A task that one location has suspended and another one needs.
    pub fn move_task(&self, task: TaskId, moved: Moved) {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).insert(task, moved);
    }

    /// The call stack of such a task.
    pub fn take_task(&self, task: TaskId) -> Option<Moved> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).remove(&task)
    }
}

/// Problems of a trace, counted: for none of them a value is guessed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Events with a time before that of the event in front of them.
    pub backward: u64,
    /// Leaves of a region that was not the current one.
    pub unbalanced: u64,
    /// Regions that were open at the end.
    pub open_regions: u64,
    /// Parts of parallel regions whose fork is not in the trace.
    pub unknown_forks: u64,
    /// Fragments of tasks whose begin is not in the trace.
    pub unknown_tasks: u64,
    /// Errors while reading.
    pub errors: u64,
}

impl Gaps {
    /// Adds those of another location.
    pub fn add(&mut self, other: &Gaps) {
        self.backward += other.backward;
        self.unbalanced += other.unbalanced;
        self.open_regions += other.open_regions;
        self.unknown_forks += other.unknown_forks;
        self.unknown_tasks += other.unknown_tasks;
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
}
