//! Tasks on the critical path: at the end of a wait for a task, the path leads through the creation
//! of the task that begins, through the last task before it (`depend` clauses), or through the
//! task that was done last.
//!
//! A path is only kept for an event that a thread waits for at its time.

use super::compound::{Awaited, Scheduling, TaskEvent, TaskWaitVisit, WaitNumber};
use crate::engine::record::{Rec, TaskId, What};
use crate::hash::Table;
use crate::path::{Paths, Snapshot};

/// The paths to events that threads wait for.
#[derive(Debug, Default)]
pub(crate) struct TaskSnapshots {
    created: Table<TaskId, Snapshot>,
    done: Table<WaitNumber, Snapshot>,
}

impl TaskSnapshots {
    /// All kept paths.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Snapshot> {
        self.created.values().chain(self.done.values())
    }
}

impl Paths {
    /// A thread waits for what has happened with this record.
    pub(crate) fn awaited(&mut self, record: &Rec, awaited: &Awaited) {
        match awaited {
            Awaited::Created(task) | Awaited::Freed { task, .. } => {
                let snapshot = self.of(record.location);
                let old = snapshot.and_then(|it| self.tasks.created.insert(*task, it));
                self.release(old);
            }
            Awaited::Done { by, .. } => {
                for number in by.iter().flatten() {
                    let snapshot = self.of(record.location);
                    let old = snapshot.and_then(|it| self.tasks.done.insert(*number, it));
                    self.release(old);
                }
            }
        }
    }

    /// A thread has waited for a task.
    pub(crate) fn task_wait(&mut self, record: &Rec, visit: &TaskWaitVisit) {
        let snapshot = match visit.cause.map(|cause| cause.event) {
            Some(TaskEvent::Created(task) | TaskEvent::Freed(task)) => {
                self.tasks.created.remove(&task)
            }
            // The path through a barrier is known from the last records of the team.
            Some(TaskEvent::Done(_)) if matches!(visit.scheduling, Scheduling::Barrier(_)) => None,
            Some(TaskEvent::Done(number)) => self.tasks.done.remove(&number),
            None => None,
        };
        if let Some(snapshot) = snapshot {
            self.jump(record, snapshot, visit.at.node);
        }
        if let Some(number) = visit.over {
            self.forget_done(number);
        }
    }

    /// Nothing waits for these tasks any more.
    pub(crate) fn forget_done(&mut self, number: WaitNumber) {
        let old = self.tasks.done.remove(&number);
        self.release(old);
    }

    /// A task that begins is not waited for any more.
    pub(crate) fn forget_created(&mut self, record: &Rec) {
        if let What::TaskSwitch { task: Some(task), .. } = record.what {
            let old = self.tasks.created.remove(&task);
            self.release(old);
        }
    }
}
