//! Severities of tasks: work and span of parallel regions, and what threads without a task wait
//! for.

use pompeii_replay::Compound;
use pompeii_replay::task::compound::{Scheduling, TaskEvent, TaskWaitVisit};

use super::{LEAST, READY, SPAN, Severities, WAIT_CREATION, WAIT_END, WORK};

impl Severities {
    /// Takes a fact about tasks.
    pub(super) fn tasks(&mut self, compound: &Compound) {
        match compound {
            Compound::Task(task) => self.add(task.at, READY, task.ready_ticks()),
            Compound::Tasks(team) => {
                self.add(team.at, WORK, team.work);
                self.add(team.at, SPAN, team.span);
                self.add(team.at, LEAST, team.least_ticks());
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
                TaskEvent::Created(_) => WAIT_CREATION,
                TaskEvent::Done(_) => WAIT_END,
            };
            self.add(visit.at, metric, wait);
            self.wait(visit.at, Some(cause.by), ticks(wait));
        }
        self.wait(visit.at, None, ticks(rest));
    }
}
