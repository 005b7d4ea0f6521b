//! Severities of tasks: work and span of parallel regions, and what threads without a task wait
//! for.

use pompeii_replay::Compound;
use pompeii_replay::task::compound::{Scheduling, TaskEvent, TaskWaitVisit};

use super::Severities;
use super::measured::Measured;

impl Severities {
    /// Takes a fact about tasks.
    pub(super) fn tasks(&mut self, compound: &Compound) {
        match compound {
            Compound::Task(task) => self.add(task.at, Measured::Ready, task.ready_ticks()),
            Compound::Tasks(team) => {
                self.add(team.at, Measured::Work, team.work);
                self.add(team.at, Measured::Span, team.span);
                self.add(team.at, Measured::Least, team.least_ticks());
            }
            Compound::TaskWait(visit) => self.task_wait(visit),
            _ => {}
        }
    }

    /// Without a cause it is the cost of scheduling: the thread waited for no other one.
    fn task_wait(&mut self, visit: &TaskWaitVisit) {
        let wait = visit.wait_ticks();
        let rest = visit.ticks() - wait;
        let is_barrier = matches!(visit.scheduling, Scheduling::Barrier(_));
        let ticks = |ticks: i64| if is_barrier { (0, ticks) } else { (ticks, 0) };
        if let Some(cause) = visit.cause {
            let metric = match cause.event {
                TaskEvent::Created(_) => Measured::WaitCreation,
                TaskEvent::Freed(_) | TaskEvent::Done(_) => Measured::WaitEnd,
            };
            self.add(visit.at, metric, wait);
            self.wait(visit.at, Some(cause.by), ticks(wait));
        }
        self.wait(visit.at, None, ticks(rest));
    }
}
