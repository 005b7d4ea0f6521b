//! Why a thread had no task: what the creator of the next task did in excess of the waiting thread,
//! or what the task did that was waited for: at a taskwait or barrier, or because the next task
//! comes after it. If that one was created meanwhile, its creator is a cause up to the creation; if
//! another task was before it, up to the end of that one.
//!
//! The activities of a creator count since its last barrier, and since it created a task at a time
//! when no thread waited: while threads wait, each of its creations is late because of all that it
//! did meanwhile. Those of a waiting thread count since its last wait for a task. Of a task that is
//! done, all activities count.

use std::sync::Arc;

use pompeii_model::Id;

use super::compound::{Awaited, TaskEvent, TaskWaitVisit, TeamTasks, WaitNumber};
use crate::blame::excess::Regions;
use crate::blame::{Blame, WaitId};
use crate::engine::record::{Rec, TaskId, What};
use crate::engine::tree::NodeId;
use crate::hash::Table;
use crate::path::Part;
use crate::place::Place;
use crate::times::Times;

/// What threads and tasks have done.
#[derive(Debug, Default)]
pub(crate) struct TaskActivities {
    /// By location.
    recent: Vec<Times>,
    /// The task of the present record was created while a thread waited.
    is_awaited: bool,
    /// By location: the tasks that run in its parts, from the outside in.
    current: Vec<Vec<Option<TaskId>>>,
    /// Of tasks that have begun and are not done.
    running: Table<TaskId, Times>,
    /// Of tasks that are done, for those that begin: empty.
    spare: Vec<Times>,
    /// The origins of tasks for which a thread waits.
    created: Table<TaskId, Origin>,
    /// The tasks before those for which a thread waits.
    freed: Table<TaskId, Before>,
    /// Those of tasks that have begun.
    origins: Table<TaskId, Origin>,
    /// The last tasks that were done.
    done: Table<WaitNumber, Ended>,
}

/// A task was created, or the last task before it was done, while a thread waited.
#[derive(Clone, Debug)]
struct Origin {
    time: u64,
    by: Part,
    /// What the creator or the task before has done.
    times: Arc<Times>,
    /// It is a task before: all that it has done counts.
    is_done: bool,
}

/// A task was done while a thread waited, and another one may begin.
#[derive(Debug)]
struct Before {
    /// The end of the task, with what it has done.
    end: Origin,
    origin: Option<Origin>,
}

/// A task was done while a thread waited.
#[derive(Debug, Default)]
struct Ended {
    origin: Option<Origin>,
    /// What it has done.
    times: Times,
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
            let spare = &mut self.spare;
            let new = || spare.pop().unwrap_or_default();
            let times = self.running.entry(*task).or_insert_with(new);
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
        let is_awaited = std::mem::take(&mut self.is_awaited);
        match record.what {
            What::TaskCreate(_) if is_awaited => {}
            What::PartBegin { .. } => self.current[place].push(None),
            What::PartEnd { .. } => {
                self.current[place].pop();
                if self.current[place].is_empty() {
                    self.recent[place].clear();
                }
            }
            What::TaskCreate(_) | What::BarrierLeave { .. } => self.recent[place].clear(),
            What::TaskSwitch { task, .. } => {
                if let Some(current) = self.current[place].last_mut() {
                    *current = task;
                }
                if let Some(task) = task
                    && let Some(origin) = self.created.remove(&task)
                {
                    self.origins.insert(task, origin);
                }
                if let Some(before) = task.and_then(|task| self.freed.remove(&task)) {
                    task.and_then(|task| self.origins.insert(task, before.end));
                }
            }
            What::TaskComplete(task) => self.complete(place, task),
            _ => {}
        }
    }

    /// A task is done. The switch to the next one may come later: the time until then is not that
    /// of this task any more.
    fn complete(&mut self, place: usize, task: TaskId) {
        if let Some(current) = self.current[place].last_mut() {
            current.take_if(|current| *current == task);
        }
        self.origins.remove(&task);
        if let Some(mut times) = self.running.remove(&task) {
            times.clear();
            self.spare.push(times);
        }
    }

    /// A thread waits for what has happened with this record.
    pub fn awaited(&mut self, record: &Rec, awaited: &Awaited) {
        match awaited {
            Awaited::Created(task) => {
                let times = Arc::new(self.recent[record.location.index()].clone());
                let by = (record.node, record.location);
                let (time, is_done) = (record.time, false);
                self.created.insert(*task, Origin { time, by, times, is_done });
                self.is_awaited = true;
            }
            Awaited::Freed { task, by: before } => {
                let Some(times) = self.running.get(before) else { return };
                let times = Arc::new(times.clone());
                let by = (record.node, record.location);
                let end = Origin { time: record.time, by, times, is_done: true };
                let origin = self.origins.get(before).cloned();
                self.freed.insert(*task, Before { end, origin });
            }
            Awaited::Done { task, by } => {
                let Some(times) = self.running.get(task) else { return };
                for number in by.iter().flatten() {
                    let ended = self.done.entry(*number).or_default();
                    ended.origin = self.origins.get(task).cloned();
                    ended.times.clone_from(times);
                }
            }
        }
    }

    /// A thread has waited for a task. Returns the waits. Until the creation of a task it waits for
    /// the creator, and then for the task.
    pub fn wait(
        &mut self,
        visit: &TaskWaitVisit,
        regions: &Regions,
        blame: &mut Blame,
    ) -> Vec<(WaitId, i64)> {
        let ticks = visit.wait_ticks();
        let Some(cause) = visit.cause.filter(|_| ticks > 0) else {
            visit.over.map(|number| self.done.remove(&number));
            return Vec::new();
        };
        let own = std::mem::take(&mut self.recent[visit.at.location.index()]);
        let mut waits = Vec::new();
        let nothing = Times::default();
        let mut add = |ticks: i64, by: Part, times: Option<&Times>, own: &Times| {
            if ticks > 0 {
                let excess = regions.excess(times.unwrap_or(&nothing), own).into_iter();
                let excess = excess.map(|(node, ticks)| ((node, by.1), ticks));
                waits.push((blame.add((visit.at, ticks), by, excess, &[]), ticks));
            }
        };
        let by: Part = (cause.by.node, cause.by.location);
        match cause.event {
            TaskEvent::Created(task) => {
                let origin = self.created.get(&task).map(|origin| &*origin.times);
                add(ticks, by, origin, &own);
            }
            TaskEvent::Freed(_) | TaskEvent::Done(_) => {
                let (times, origin) = self.ended(cause.event);
                let before = origin.map_or(0, |it| it.time.saturating_sub(visit.since));
                let before = before.cast_signed().min(ticks);
                if let Some(origin) = origin {
                    let own = if origin.is_done { &nothing } else { &own };
                    add(before, origin.by, Some(&origin.times), own);
                }
                add(ticks - before, by, times, &nothing);
            }
        }
        visit.over.map(|number| self.done.remove(&number));
        waits
    }

    /// What the task has done that was waited for, and its origin.
    fn ended(&self, event: TaskEvent) -> (Option<&Times>, Option<&Origin>) {
        match event {
            TaskEvent::Created(_) => (None, None),
            TaskEvent::Freed(task) => {
                let before = self.freed.get(&task);
                (before.map(|it| &*it.end.times), before.and_then(|it| it.origin.as_ref()))
            }
            TaskEvent::Done(number) => {
                let ended = self.done.get(&number);
                (ended.map(|it| &it.times), ended.and_then(|it| it.origin.as_ref()))
            }
        }
    }

    /// All parts of a team have ended: nothing waits for its tasks any more. Some may not have
    /// begun or ended, because their records are missing.
    pub fn end_team(&mut self, ended: &TeamTasks) {
        self.done.remove(&ended.wait);
        let is_other = |task: &TaskId| task.team != ended.team.team;
        self.running.retain(|task, _| is_other(task));
        self.origins.retain(|task, _| is_other(task));
        self.created.retain(|task, _| is_other(task));
        self.freed.retain(|task, _| is_other(task));
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::record::VisitId;
    use pompeii_model::LocationId;

    use super::*;
    use crate::engine::record::TeamInstance;

    const TEAM: TeamInstance = TeamInstance { team: 1, number: 0 };
    const TASK: TaskId = TaskId { team: 1, thread: 0, generation: 1 };
    const NODE: NodeId = NodeId(2);

    /// A location goes through these records; each is a tick after the one before.
    fn activities(records: &[What]) -> TaskActivities {
        let mut activities = TaskActivities::new(1);
        for (time, &what) in (1..).zip(records) {
            let (location, profile) = (LocationId(0), (0, 1));
            let (node, visit) = (NODE, VisitId::NONE);
            let record = Rec { time, location, node, visit, what, profile };
            activities.advance(&record, &[(NODE, 1)]);
            activities.settle(&record);
        }
        activities
    }

    #[test]
    fn nothing_is_kept_of_a_task_that_is_done() {
        let switch = |task| What::TaskSwitch { team: Some(TEAM), task };
        let begin = What::PartBegin { team: TEAM, fork: None, forked: 1 };
        let before = [begin, What::TaskCreate(TASK), switch(Some(TASK))];
        let running = activities(&[&before[..], &[What::GroupBegin]].concat());
        assert_eq!(running.running[&TASK].get(NODE), 1);
        let done = activities(&[&before[..], &[What::TaskComplete(TASK), switch(None)]].concat());
        assert!(done.running.is_empty(), "{done:?}");
        assert_eq!(done.spare.len(), 1);
        // Another task of the same name begins with nothing.
        let again = [What::TaskComplete(TASK), switch(None), switch(Some(TASK)), switch(None)];
        let again = activities(&[&before[..], &again].concat());
        assert_eq!(again.running[&TASK].get(NODE), 1);
    }
}
