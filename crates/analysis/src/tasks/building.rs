//! One execution of a parallel region as a graph of its tasks, from what they do step by step, with
//! the costs that the trace has for beginning a task. If there are too many tasks, small ones are
//! put together ([`super::collapse`]).

use pompeii_replay::hash::Table;
use pompeii_replay::task::compound::{StepOf, StepVisit, TaskEvent, TaskStep, TaskWaitVisit};

use super::collapse::{Collapse, Open};
use super::found::without_task;
use super::graph::{Step, TaskGraph};
use super::simulate::{Order, Played, Rule, Simulation, span, span_alone};
use super::simulated::{Collapsed, OnThreads};

/// Steps for which there is room, for each task for which there is. A task with one child and one
/// wait has about five.
const STEPS_OF_TASK: usize = 8;
/// Tasks are put together that take less than this part of the work of a thread up to now. If this
/// is not enough, it is doubled up to the second part.
const FINEST: u64 = 1000;
const COARSEST: u64 = 10;

/// When tasks are put together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// With more tasks than that.
    pub tasks_max: usize,
    /// The largest number of threads that the execution is simulated with.
    pub threads: usize,
}

/// Work and longest chains of an execution, with the cost of beginning tasks, in ticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chains {
    work: i64,
    span: i64,
    /// The longest chain if one thread executes all tasks that were put together into one.
    alone: i64,
}

impl Chains {
    /// Work and span.
    pub fn burdened(&self) -> [i64; 2] {
        [self.work, self.span]
    }

    /// A run with the bounds of runs in which no tasks are put together.
    pub fn bound(&self, run: OnThreads) -> OnThreads {
        let threads = i64::try_from(run.threads).unwrap_or(i64::MAX).max(1);
        let share = self.work / threads + i64::from(self.work % threads != 0);
        OnThreads { bounds: [share.max(self.span), share.saturating_add(self.alone)], ..run }
    }
}

/// An execution that goes on.
#[derive(Debug, Default)]
pub(super) struct Building {
    graph: TaskGraph,
    /// Numbers and creators of explicit tasks that are not done.
    numbers: Table<u64, (u32, Option<StepOf>)>,
    /// Numbers of tasks that others may come after, also of those that are done.
    depend: Table<u64, u32>,
    /// The steps of tasks that are not done.
    steps: Table<StepOf, Vec<Step>>,
    /// Time for scheduling, and how often a thread began a task.
    scheduling: i64,
    starts: i64,
    /// From the creation of tasks to their begins on threads that had none, and how often.
    waking: i64,
    wakes: i64,
    /// Work up to now, in ticks, and the number of created tasks.
    work: u64,
    created: u64,
    /// The number of steps of all tasks that are kept.
    stored: usize,
    /// Tasks were put together.
    is_collapsed: bool,
    /// It is given up.
    is_too_large: bool,
}

impl Building {
    /// Takes a time without a task.
    pub fn wait(&mut self, visit: &TaskWaitVisit) {
        let ticks = without_task(visit).scheduling;
        self.scheduling = self.scheduling.saturating_add(ticks);
        let event = visit.cause.map(|cause| cause.event);
        if let Some(TaskEvent::Created(_) | TaskEvent::Freed(_)) = event {
            self.waking = self.waking.saturating_add(ticks);
            self.wakes += 1;
        }
    }

    /// Takes a step.
    pub fn step(&mut self, visit: &StepVisit, limits: Limits) {
        if self.is_too_large {
            return;
        }
        self.take(visit);
        self.stored += 2;
        let has_room = self.graph.tasks() <= limits.tasks_max
            && self.stored <= limits.tasks_max.saturating_mul(STEPS_OF_TASK);
        if !has_room {
            self.make_smaller(limits);
        }
    }

    fn take(&mut self, visit: &StepVisit) {
        let steps = self.steps.entry(visit.of).or_default();
        if let Some(ticks) = u64::try_from(visit.work).ok().filter(|ticks| *ticks > 0) {
            steps.push(Step::Work(ticks));
            self.work = self.work.saturating_add(ticks);
        }
        match visit.step {
            TaskStep::Taskwait => steps.push(Step::Taskwait),
            TaskStep::Await => {
                // As in OpenMP: an empty task with these items, which the thread executes at once.
                let empty = self.graph.add();
                self.graph.give(empty, &[]);
                steps.push(Step::Execute(empty));
            }
            TaskStep::GroupBegin => steps.push(Step::GroupBegin),
            TaskStep::GroupEnd => steps.push(Step::GroupEnd),
            TaskStep::Barrier => steps.push(Step::Barrier),
            TaskStep::After(serial) => {
                steps.extend(self.depend.get(&serial).map(|before| Step::After(*before)));
            }
            TaskStep::Create(serial) => self.create(visit.of, serial),
            TaskStep::Depends(serial) => {
                let number = self.numbers.get(&serial).map(|(number, _)| (serial, *number));
                self.depend.extend(number);
            }
            TaskStep::AtOnce => self.execute(visit.of),
            TaskStep::Untied => self.set_untied(visit.of),
            TaskStep::End => self.end(visit.of),
        }
    }

    fn create(&mut self, creator: StepOf, serial: u64) {
        let graph = &mut self.graph;
        let task = self.numbers.entry(serial).or_insert_with(|| (graph.add(), None));
        task.1 = Some(creator);
        let step = Step::Create(task.0);
        self.steps.entry(creator).or_default().push(step);
        self.starts += 1;
        self.created += 1;
    }

    /// The creation of the task was the last step of its creator.
    fn execute(&mut self, of: StepOf) {
        let StepOf::Explicit(serial) = of else { return };
        let Some(&(number, Some(creator))) = self.numbers.get(&serial) else { return };
        let last = self.steps.get_mut(&creator).and_then(|steps| steps.last_mut());
        if let Some(last) = last.filter(|last| **last == Step::Create(number)) {
            *last = Step::Execute(number);
            self.starts -= 1;
        }
    }

    fn set_untied(&mut self, of: StepOf) {
        let StepOf::Explicit(serial) = of else { return };
        if let Some((number, _)) = self.numbers.get(&serial) {
            self.graph.set_untied(*number);
        }
    }

    fn end(&mut self, of: StepOf) {
        let steps = self.steps.remove(&of).unwrap_or_default();
        match of {
            StepOf::Implicit(_) => self.graph.give_implicit(&steps),
            StepOf::Explicit(serial) => {
                let number = self.numbers.remove(&serial).map(|(number, _)| number);
                let number = number.unwrap_or_else(|| self.graph.add());
                self.graph.give(number, &steps);
            }
        }
    }

    /// Puts small tasks together until at most half of the room is used. If that takes too large
    /// tasks, the execution is given up.
    fn make_smaller(&mut self, limits: Limits) {
        let share = self.work / limits.threads.max(1) as u64;
        let mut limit_ticks = (share / FINEST).max(1);
        let tasks_max = limits.tasks_max / 2;
        loop {
            self.collapse(Collapse { limit_ticks, start_ticks: self.start_ticks() });
            let steps_max = tasks_max.saturating_mul(STEPS_OF_TASK);
            if self.graph.tasks() <= tasks_max && self.stored <= steps_max {
                return;
            }
            if limit_ticks > share / COARSEST {
                *self = Building { is_too_large: true, ..Building::default() };
                return;
            }
            limit_ticks = limit_ticks.saturating_mul(2);
        }
    }

    fn collapse(&mut self, how: Collapse) {
        let mut open: Vec<(&StepOf, &mut Vec<Step>)> = self.steps.iter_mut().collect();
        open.sort_unstable_by_key(|(of, _)| **of);
        let mut numbers: Vec<u32> = self.numbers.values().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        let named = self.depend.values().copied().collect();
        let steps = open.into_iter().map(|(_, steps)| steps).collect();
        let graph = std::mem::take(&mut self.graph);
        let new = how.run(graph, Open { steps, numbers, named });
        for (number, _) in self.numbers.values_mut() {
            *number = new.number(*number).unwrap_or(*number);
        }
        self.depend.retain(|_, number| match new.number(*number) {
            Some(of) => {
                *number = of;
                true
            }
            None => false,
        });
        self.graph = new.graph;
        self.stored = self.graph.steps() + self.steps.values().map(Vec::len).sum::<usize>();
        self.is_collapsed = true;
    }

    /// Whether tasks were put together.
    pub fn is_collapsed(&self) -> bool {
        self.is_collapsed
    }

    /// How many tasks were put together; none if all of them are still there.
    pub fn collapsed(&self) -> Collapsed {
        match self.is_collapsed {
            true => {
                Collapsed { tasks: self.created, simulated_as: u64::from(self.graph.explicit()) }
            }
            false => Collapsed::default(),
        }
    }

    /// What it takes on this number of threads, for both orders.
    pub fn run(&self, threads: usize, rule: Rule) -> Option<OnThreads> {
        if self.is_too_large || !self.graph.is_complete() {
            return None;
        }
        let (start_ticks, wake_ticks) = (self.start_ticks(), self.wake_ticks());
        let run = |order, wake_ticks| {
            Simulation { threads, order, rule, start_ticks, wake_ticks }.run(&self.graph)
        };
        let at_last = if rule == Rule::Libgomp { 0 } else { wake_ticks };
        let (newest, oldest) = (run(Order::Newest, wake_ticks)?, run(Order::Oldest, at_last)?);
        let both = |of: fn(Played) -> u64| [newest, oldest].map(|played| in_range(of(played)));
        let (ticks, held) = (both(|it| it.ticks), both(|it| it.held_ticks));
        let bounds = [ticks[0].min(ticks[1]), ticks[0].max(ticks[1])];
        Some(OnThreads { threads, ticks, held, bounds })
    }

    /// Work and longest chains, with the cost of beginning tasks.
    pub fn chains(&self, rule: Rule) -> Option<Chains> {
        let [work, _] = self.run(1, rule)?.ticks;
        let start_ticks = self.start_ticks();
        let span = in_range(span(&self.graph, start_ticks)?);
        let alone = match self.is_collapsed {
            true => in_range(span_alone(&self.graph, start_ticks)?),
            false => span,
        };
        Some(Chains { work, span, alone })
    }

    /// From the creation of a task to its begin on a thread that had none, on average. In a run
    /// with one thread that is not known, but not less than the cost of beginning a task.
    fn wake_ticks(&self) -> u64 {
        let mean = self.waking / self.wakes.max(1);
        u64::try_from(mean).unwrap_or(0).max(self.start_ticks())
    }

    /// What it cost a thread to begin a task, on average.
    fn start_ticks(&self) -> u64 {
        u64::try_from(self.scheduling / self.starts.max(1)).unwrap_or(0)
    }
}

fn in_range(ticks: u64) -> i64 {
    i64::try_from(ticks).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use pompeii_model::LocationId;
    use pompeii_replay::engine::record::TeamInstance;

    use super::*;

    #[test]
    fn a_task_that_is_executed_at_once_is_no_start() {
        let mut building = Building::default();
        let team = TeamInstance { team: 1, number: 0 };
        let thread = StepOf::Implicit(LocationId(0));
        let limits = Limits { tasks_max: 9, threads: 2 };
        let mut step = |of, work, step| building.step(&StepVisit { team, of, work, step }, limits);
        step(thread, 5, TaskStep::Create(7));
        step(StepOf::Explicit(7), 0, TaskStep::AtOnce);
        step(StepOf::Explicit(7), 20, TaskStep::End);
        step(thread, 3, TaskStep::End);
        building.scheduling = 100;
        assert_eq!(building.starts, 0);
        let run = building.run(2, Rule::OpenMp);
        assert_eq!(run.map(|run| run.ticks), Some([28; 2]));
    }
}
