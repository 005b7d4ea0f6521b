//! What tasks do step by step, for those who run the tasks again with other numbers of threads.
//! Each step comes with the work since the one before, so the steps of a task are all of its work.
//! They are found only if they are wanted, because they are as many as the records of tasks.

use pompeii_model::{Id, LocationId};

use super::Tasks;
use super::compound::{StepOf, StepVisit, TaskStep};
use super::state::{Ended, Part, Strand, Task};
use crate::compound::Compound;
use crate::engine::matcher::Found;
use crate::engine::record::TeamInstance;

impl Strand {
    fn take_work(&mut self) -> i64 {
        let told = std::mem::replace(&mut self.told, self.work);
        self.work.saturating_sub(told)
    }
}

impl Task {
    /// A step of the task, which belongs to a team and has a number.
    pub(super) fn step(&mut self, (team, serial): (TeamInstance, u64), step: TaskStep) -> Compound {
        let of = StepOf::Explicit(serial);
        Compound::Step(StepVisit { team, of, work: self.strand.take_work(), step })
    }
}

impl Ended {
    /// The task is done.
    pub(super) fn last_step(&mut self) -> Compound {
        self.task.step((self.origin.team, self.serial), TaskStep::End)
    }
}

impl Part {
    /// The implicit task of a part is done.
    pub(super) fn last_step(&mut self, location: LocationId) -> Compound {
        let (team, of) = (self.team, StepOf::Implicit(location));
        let work = self.implicit.take_work();
        Compound::Step(StepVisit { team, of, work, step: TaskStep::End })
    }
}

impl Tasks {
    /// From now on, steps are wanted.
    pub(crate) fn tell_steps(&mut self) {
        self.tells_steps = true;
    }

    /// The task that runs on a location does a step.
    pub(super) fn tell(&mut self, location: LocationId, step: TaskStep, found: Found<'_>) {
        if !self.tells_steps {
            return;
        }
        let Some(part) = self.parts.get_mut(location.index()).and_then(|parts| parts.last_mut())
        else {
            return;
        };
        let team = part.team;
        match part.task {
            None => {
                let (of, work) = (StepOf::Implicit(location), part.implicit.take_work());
                found(Compound::Step(StepVisit { team, of, work, step }));
            }
            Some(task) => {
                if let Some(step) = self.live.step(&task, step) {
                    found(step);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, replay, text};

    /// The steps of a trace, without their teams, and the work of its parallel regions.
    fn steps(trace: &str, options: Options) -> (Vec<(StepOf, i64, TaskStep)>, i64) {
        let trace = text::parse(trace).unwrap().trace();
        let (mut steps, mut work) = (Vec::new(), 0);
        replay(trace, options, &mut |compound| match compound {
            Compound::Step(visit) => steps.push((visit.of, visit.work, visit.step)),
            Compound::Tasks(team) => work += team.work,
            _ => {}
        });
        (steps, work)
    }

    const TRACE: &str = "end 90
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel; + task_create; create A 0 1
         10 0.1 team A; + parallel; + ibarrier
         12 0.0 -; + taskwait
         14 0.1 switch A 0 1; + task
         44 0.1 -; done A 0 1; switch A 1 0
         45 0.0 -
         46 0.0 + ibarrier
         48 0.0 -; -; endteam A; join
         48 0.1 -; -; endteam A";

    #[test]
    fn the_steps_of_all_tasks_are_all_work() {
        let options = Options { task_steps: true, ..Options::default() };
        let (steps, work) = steps(TRACE, options);
        let [zero, one] = [0, 1].map(|thread| StepOf::Implicit(LocationId(thread)));
        let (_, _, TaskStep::Create(number)) = steps[0] else { panic!("{steps:?}") };
        let expected = [
            (zero, 0, TaskStep::Create(number)),
            (one, 0, TaskStep::Barrier),
            (zero, 2, TaskStep::Taskwait),
            (StepOf::Explicit(number), 30, TaskStep::End),
            (zero, 1, TaskStep::Barrier),
            (zero, 0, TaskStep::End),
            (one, 0, TaskStep::End),
        ];
        assert_eq!(steps, expected);
        assert_eq!(steps.iter().map(|(_, work, _)| work).sum::<i64>(), work);
    }

    #[test]
    fn steps_are_there_only_if_they_are_wanted() {
        assert_eq!(steps(TRACE, Options::default()), (Vec::new(), 33));
    }

    #[test]
    fn an_untied_task_says_so() {
        let options = Options { task_steps: true, ..Options::default() };
        let (all, work) = steps(&TRACE.replace("+ task\n", "+ task_untied\n"), options);
        let untied = all.iter().position(|(.., step)| *step == TaskStep::Untied);
        let [.., (of, 30, TaskStep::Untied), (done, 0, TaskStep::End)] =
            all[..=untied.unwrap() + 1]
        else {
            panic!("{all:?}")
        };
        assert_eq!((of, work), (done, 33));
        assert!(matches!(of, StepOf::Explicit(_)), "{all:?}");
    }

    #[test]
    fn a_task_that_its_creator_executes_says_so() {
        let options = Options { task_steps: true, ..Options::default() };
        let (steps, work) = steps(
            "end 90
             team A = 0.0 0.1
             10 0.0 fork; team A; + parallel
             10 0.1 team A; + parallel
             10 0.1 + ibarrier
             20 0.0 + task_create; create A 0 1; switch A 0 1; + task
             40 0.0 -; done A 0 1; switch A 0 0; -
             50 0.0 + ibarrier
             51 0.0 -; -; endteam A; join
             51 0.1 -; -; endteam A",
            options,
        );
        let of_thread =
            |(of, ..): &&(StepOf, i64, TaskStep)| *of != StepOf::Implicit(LocationId(1));
        let shown: Vec<(i64, TaskStep)> =
            steps.iter().filter(of_thread).map(|(_, work, step)| (*work, *step)).collect();
        let TaskStep::Create(number) = shown[0].1 else { panic!("{shown:?}") };
        let expected = [
            (10, TaskStep::Create(number)),
            (0, TaskStep::AtOnce),
            (20, TaskStep::End),
            (10, TaskStep::Barrier),
            (0, TaskStep::End),
        ];
        assert_eq!(shown, expected);
        assert_eq!(work, 40);
    }
}
