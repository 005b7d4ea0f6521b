//! Why a thread had no task: what the creator of the next task did in excess of the waiting thread,
//! or what the task did that was waited for.
//!
//! The activities of a creator count since it created a task last, and since its last barrier.
//! Those of a waiting thread count since its last wait for a task. Of a task that is done, all
//! activities count.

use std::collections::HashMap;

use pompeii_model::Id;

use super::compound::{Awaited, TaskEvent, TaskWaitVisit, WaitNumber};
use crate::blame::{Blame, WaitId};
use crate::compound::Place;
use crate::explain::Times;
use crate::path::Part;
use crate::record::{Rec, TaskId, What};
use crate::tree::NodeId;

/// What threads and tasks have done.
#[derive(Debug, Default)]
pub(crate) struct TaskActivities {
    /// By location.
    recent: Vec<Times>,
    /// By location: the tasks that run in its parts, from the outside in.
    current: Vec<Vec<Option<TaskId>>>,
    /// Of tasks that have begun and are not done.
    running: HashMap<TaskId, Times>,
    /// Of the creators of tasks for which a thread waits.
    created: HashMap<TaskId, Times>,
    /// Of the last tasks that were done.
    done: HashMap<WaitNumber, Times>,
}

impl TaskActivities {
    pub fn new(locations: usize) -> TaskActivities {
        let recent = (0..locations).map(|_| Times::default()).collect();
        let current = (0..locations).map(|_| Vec::new()).collect();
        TaskActivities { recent, current, ..TaskActivities::default() }
    }

    /// A location comes to a record; `profile` has its time since the last one.
    pub fn advance(&mut self, record: &Rec, profile: &[(NodeId, i64)]) {
        let place = record.location.index();
        // Outside of teams nothing waits for a task.
        if self.current[place].is_empty() {
            return;
        }
        profile.iter().for_each(|&(node, ticks)| self.recent[place].add(node, ticks));
        for task in self.current[place].iter().flatten() {
            let times = self.running.entry(*task).or_default();
            profile.iter().for_each(|&(node, ticks)| times.add(node, ticks));
        }
    }

    /// A location has waited for another reason than tasks: that was no activity.
    pub fn exclude(&mut self, at: Place, ticks: i64) {
        let place = at.location.index();
        if ticks > 0 && !self.current[place].is_empty() {
            self.recent[place].add(at.node, -ticks);
            for task in self.current[place].iter().flatten() {
                self.running.entry(*task).or_default().add(at.node, -ticks);
            }
        }
    }

    /// The waits that a record ends are known.
    pub fn settle(&mut self, record: &Rec) {
        let place = record.location.index();
        match record.what {
            What::PartBegin { .. } => self.current[place].push(None),
            What::PartEnd { .. } => {
                self.current[place].pop();
                if self.current[place].is_empty() {
                    self.recent[place] = Times::default();
                }
            }
            What::TaskCreate(_) | What::BarrierLeave { .. } => {
                self.recent[place] = Times::default();
            }
            What::TaskSwitch { task, .. } => {
                if let Some(current) = self.current[place].last_mut() {
                    *current = task;
                }
                task.map(|task| self.created.remove(&task));
            }
            What::TaskComplete(task) => drop(self.running.remove(&task)),
            _ => {}
        }
    }

    /// A thread waits for what has happened with this record.
    pub fn awaited(&mut self, record: &Rec, awaited: &Awaited) {
        match awaited {
            Awaited::Created(task) => {
                let times = std::mem::take(&mut self.recent[record.location.index()]);
                self.created.insert(*task, times);
            }
            Awaited::Done { task, by } => {
                let Some(times) = self.running.get(task) else { return };
                for number in by.iter().flatten() {
                    self.done.insert(*number, times.clone());
                }
            }
        }
    }

    /// A thread has waited for a task. Returns the wait.
    pub fn wait(&mut self, visit: &TaskWaitVisit, blame: &mut Blame) -> Option<WaitId> {
        let ticks = visit.wait_ticks();
        let cause = visit.cause.filter(|_| ticks > 0);
        let id = cause.map(|cause| {
            let by = |node: NodeId| -> Part { (node, cause.by.location) };
            let own = &self.recent[visit.at.location.index()];
            let nothing = Times::default();
            let times = match cause.event {
                TaskEvent::Created(task) => self.created.get(&task),
                TaskEvent::Done(number) => self.done.get(&number),
            };
            let is_creation = matches!(cause.event, TaskEvent::Created(_));
            let excess = times.unwrap_or(&nothing).iter().map(|(node, ticks)| {
                let same = if is_creation { own.get(node) } else { 0 };
                (by(node), (ticks - same.max(0)).max(0))
            });
            blame.add((visit.at.node, ticks), by(cause.by.node), excess, &[])
        });
        if cause.is_some() {
            self.recent[visit.at.location.index()] = Times::default();
        }
        visit.over.map(|number| self.done.remove(&number));
        id
    }

    /// Nothing waits for these tasks any more.
    pub fn forget_done(&mut self, number: WaitNumber) {
        self.done.remove(&number);
    }
}
