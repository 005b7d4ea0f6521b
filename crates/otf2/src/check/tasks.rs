//! What the locations of a process share: threads that it creates, and open regions by task. A task
//! may be suspended on one thread and go on on another one of its process, so the regions that it
//! has open belong to the process.

use std::collections::HashMap;

use crate::reference::{CommRef, RegionRef};

/// The name of an explicit task: team, creating thread, generation.
pub(super) type TaskName = (CommRef, u32, u32);

/// The name of a thread: the communicator of threads that a program creates, and its number there.
pub(super) type ThreadName = (CommRef, u64);

/// How far a thread has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    Created,
    Begun,
    Ended,
}

/// What the locations of a process share.
#[derive(Debug, Default)]
pub(super) struct Process {
    /// Open regions of explicit tasks that have begun.
    pub tasks: HashMap<TaskName, Vec<RegionRef>>,
    /// Whether communicators are there; those that never came into being are missing.
    pub comms: HashMap<CommRef, bool>,
    /// Threads that the program has created.
    pub threads: HashMap<ThreadName, Life>,
    pub has_begun: bool,
    pub has_ended: bool,
    /// Recording was off, or part of the records was given up.
    pub is_known_in_part: bool,
}

/// A team that a location is in, or the time outside of teams.
#[derive(Debug, Default)]
pub(super) struct Context {
    pub team: Option<CommRef>,
    /// Open regions of the implicit task.
    pub open: Vec<RegionRef>,
    /// The explicit task that is running.
    pub task: Option<TaskName>,
}

impl Context {
    /// The open regions of the task that is running.
    pub fn current<'a>(&'a mut self, process: &'a mut Process) -> &'a mut Vec<RegionRef> {
        match self.task {
            None => &mut self.open,
            Some(task) => process.tasks.entry(task).or_default(),
        }
    }
}
