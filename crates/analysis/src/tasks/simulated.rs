//! Runs the tasks of each execution of a parallel region again on other numbers of threads. The
//! tasks of an execution are kept until it ends, so memory follows the largest one.
//!
//! What a simulation does not know: tasks may work longer if more threads share caches and memory,
//! tied tasks may have to wait for their thread, and the time for a lock depends on the threads.
//! The work of an inner team is that of its task. So real runs may take longer.

use std::collections::BTreeMap;

use pompeii_model::{CallId, RegionId, Role};
use pompeii_replay::engine::record::TeamInstance;
use pompeii_replay::engine::tree::NodeId;
use pompeii_replay::hash::Table;
use pompeii_replay::task::compound::{StepOf, StepVisit, TaskStep, TeamTasks};
use pompeii_replay::{Compound, Outcome};

use super::found::without_task;
use super::graph::{Step, TaskGraph};
use super::simulate::{Order, Simulation, span};

/// An execution with more tasks is left out: its graph would take some gigabytes.
const TASKS_MAX: usize = 20_000_000;

/// The simulated executions of a parallel region. Times are ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simulated {
    /// Executions that were simulated.
    pub executions: u64,
    /// Executions that were not: records are missing, or there are too many tasks.
    pub left_out: u64,
    /// What the simulated executions took.
    pub measured: i64,
    /// The same by simulation with as many threads: the newest task first, the oldest task first.
    pub as_measured: [i64; 2],
    /// Work and span with the cost of beginning tasks: what the executions take on one thread, and
    /// with a thread for each task.
    pub burdened: [i64; 2],
    /// Numbers of threads, with what the executions would take.
    pub on_threads: Vec<(usize, [i64; 2])>,
}

impl Simulated {
    fn join(&mut self, other: &Simulated) {
        self.executions += other.executions;
        self.left_out += other.left_out;
        self.measured = self.measured.saturating_add(other.measured);
        add(&mut self.as_measured, other.as_measured);
        add(&mut self.burdened, other.burdened);
        self.on_threads.resize(other.on_threads.len(), (0, [0; 2]));
        for (own, (threads, times)) in self.on_threads.iter_mut().zip(&other.on_threads) {
            own.0 = own.0.max(*threads);
            add(&mut own.1, *times);
        }
    }
}

/// Collects steps, and simulates the executions that end.
#[derive(Debug)]
pub struct Simulations {
    threads: Vec<usize>,
    pub(super) regions: Table<NodeId, Simulated>,
    /// Executions that have not ended.
    open: Table<TeamInstance, Building>,
    /// Some tasks have dependences that the trace does not have.
    pub has_unknown_dependences: bool,
}

/// An execution that goes on.
#[derive(Debug, Default)]
struct Building {
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
}

impl Simulations {
    /// Nothing yet, for these numbers of threads.
    pub fn new(threads: &[usize]) -> Simulations {
        Simulations {
            threads: threads.to_vec(),
            regions: Table::default(),
            open: Table::default(),
            has_unknown_dependences: false,
        }
    }

    /// The outermost parallel regions with tasks, with the sums over their call paths.
    pub fn outermost(&self, outcome: &Outcome) -> BTreeMap<RegionId, Simulated> {
        let (calls, regions) = (&outcome.calls, &outcome.definitions.regions);
        let is_parallel = |call: CallId| {
            let role = regions[calls.region(call)].role;
            matches!(role, Role::Parallel | Role::Teams)
        };
        let is_inner = |call| calls.ancestors(call).skip(1).any(is_parallel);
        let mut all: BTreeMap<RegionId, Simulated> = BTreeMap::new();
        for (node, of) in &self.regions {
            let call = outcome.call(*node);
            if !is_inner(call) {
                all.entry(calls.region(call)).or_default().join(of);
            }
        }
        all
    }

    /// Takes a compound.
    pub fn note(&mut self, compound: &Compound) {
        match compound {
            Compound::Step(visit) => self.building(visit.team).step(visit),
            Compound::TaskWait(visit) => {
                if let Some(building) = self.open.get_mut(&visit.team) {
                    let ticks = without_task(visit).scheduling;
                    building.scheduling = building.scheduling.saturating_add(ticks);
                }
            }
            Compound::Tasks(team) => {
                self.has_unknown_dependences |= team.dependences.unknown > 0;
                let building = self.open.remove(&team.team);
                self.simulate(team, building);
            }
            _ => {}
        }
    }

    /// An execution without tasks does not end with a compound. Therefore only the last two
    /// executions of a team are kept: a worker may end its part after the next one has begun.
    fn building(&mut self, team: TeamInstance) -> &mut Building {
        if !self.open.contains_key(&team) {
            let number = team.number.wrapping_sub(2);
            self.open.remove(&TeamInstance { number, ..team });
        }
        self.open.entry(team).or_default()
    }

    fn simulate(&mut self, team: &TeamTasks, building: Option<Building>) {
        let of = self.regions.entry(team.at.node).or_default();
        of.on_threads.resize(self.threads.len(), (0, [0; 2]));
        let runs = building.and_then(|building| {
            let own = (building.run(team.threads)?, building.burdened()?);
            let others: Option<Vec<[i64; 2]>> =
                self.threads.iter().map(|threads| building.run(*threads)).collect();
            Some((own, others?))
        });
        let Some((own, others)) = runs else {
            of.left_out += 1;
            return;
        };
        of.executions += 1;
        of.measured = of.measured.saturating_add(team.ticks());
        add(&mut of.as_measured, own.0);
        add(&mut of.burdened, own.1);
        for (place, (threads, times)) in self.threads.iter().zip(others).enumerate() {
            of.on_threads[place].0 = *threads;
            add(&mut of.on_threads[place].1, times);
        }
    }
}

fn add(to: &mut [i64; 2], more: [i64; 2]) {
    to.iter_mut().zip(more).for_each(|(to, more)| *to = to.saturating_add(more));
}

impl Building {
    fn step(&mut self, visit: &StepVisit) {
        if self.graph.tasks() > TASKS_MAX {
            return;
        }
        let steps = self.steps.entry(visit.of).or_default();
        if let Some(ticks) = u64::try_from(visit.work).ok().filter(|ticks| *ticks > 0) {
            steps.push(Step::Work(ticks));
        }
        match visit.step {
            TaskStep::Taskwait => steps.push(Step::Taskwait),
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

    /// The ticks that it takes on this number of threads, for both orders.
    fn run(&self, threads: usize) -> Option<[i64; 2]> {
        if self.graph.tasks() > TASKS_MAX || !self.graph.is_complete() {
            return None;
        }
        let start_ticks = self.start_ticks();
        let run = |order| Simulation { threads, order, start_ticks }.run(&self.graph);
        Some([run(Order::Newest)?, run(Order::Oldest)?].map(in_range))
    }

    /// Work and span with the cost of beginning tasks.
    fn burdened(&self) -> Option<[i64; 2]> {
        let [work, _] = self.run(1)?;
        Some([work, in_range(span(&self.graph, self.start_ticks())?)])
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
    use pompeii_replay::{Options, replay, text};

    use super::*;

    fn simulated(trace: &str, threads: &[usize]) -> Vec<Simulated> {
        let trace = text::parse(trace).unwrap().trace();
        let mut all = Simulations::new(threads);
        let options = Options { task_steps: true, ..Options::default() };
        replay(trace, options, &mut |compound| all.note(&compound));
        assert!(all.open.is_empty(), "{all:?}");
        all.regions.into_values().collect()
    }

    /// Thread 0 creates two tasks of 20 ticks in 4 ticks, and executes both. On two threads one of
    /// them begins at its creation, after 2 ticks. Beginning a task costs 1 tick: thread 0 needs 2
    /// ticks at its barrier in which it executes no task.
    #[test]
    fn one_thread_takes_as_long_as_measured() {
        let trace = "end 90
             team A = 0.0
             10 0.0 fork; team A; + parallel
             12 0.0 + task_create; create A 0 1; -
             14 0.0 + task_create; create A 0 2; -
             14 0.0 + ibarrier
             15 0.0 switch A 0 2; + task
             35 0.0 -; done A 0 2; switch A 0 1; + task
             55 0.0 -; done A 0 1; switch A 0 0
             56 0.0 -; -; endteam A; join";
        let expected = Simulated {
            executions: 1,
            left_out: 0,
            measured: 46,
            as_measured: [46, 46],
            burdened: [46, 25],
            on_threads: vec![(1, [46, 46]), (2, [25, 25]), (3, [25, 25])],
        };
        // Task 1 runs from 2 to 23, task 2 from 4 to 25 on the creator's own thread. That is also
        // the longest chain: 4 ticks of creation, 1 to begin the task, and 20 of the task.
        assert_eq!(simulated(trace, &[1, 2, 3]), [expected]);
    }

    /// Thread 0 creates tasks of 10, 20 and 12 ticks in 1 tick each, the second one after the first
    /// one, and executes all of them in its barrier, where beginning a task costs nothing.
    #[test]
    fn dependences_are_kept() {
        let trace = "end 90
             team A = 0.0
             0 0.0 fork; team A; + parallel; + task_create
             1 0.0 create A 0 1 inout:7; -; + task_create
             2 0.0 create A 0 2 in:7; -; + task_create
             3 0.0 create A 0 3 in:8; -; + ibarrier
             3 0.0 switch A 0 1; + task
             13 0.0 -; done A 0 1; switch A 0 2; + task
             33 0.0 -; done A 0 2; switch A 0 3; + task
             45 0.0 -; done A 0 3; switch A 0 0; -; -; endteam A; join";
        let all = simulated(trace, &[1, 2, 3]);
        let [of] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!(of.on_threads, [(1, [45, 45]), (2, [31, 31]), (3, [31, 31])]);
        assert_eq!(of.burdened, [45, 31]);
    }

    #[test]
    fn an_execution_with_a_task_that_does_not_end_is_left_out() {
        let trace = "end 90
             team A = 0.0
             10 0.0 fork; team A; + parallel
             12 0.0 + task_create; create A 0 1; -
             14 0.0 + ibarrier
             56 0.0 -; -; endteam A; join";
        let all = simulated(trace, &[2]);
        let [of] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!((of.executions, of.left_out, of.measured), (0, 1, 0));
    }

    #[test]
    fn a_task_that_is_executed_at_once_is_no_start() {
        let mut building = Building::default();
        let team = TeamInstance { team: 1, number: 0 };
        let thread = StepOf::Implicit(LocationId(0));
        let mut step = |of, work, step| building.step(&StepVisit { team, of, work, step });
        step(thread, 5, TaskStep::Create(7));
        step(StepOf::Explicit(7), 0, TaskStep::AtOnce);
        step(StepOf::Explicit(7), 20, TaskStep::End);
        step(thread, 3, TaskStep::End);
        building.scheduling = 100;
        assert_eq!(building.starts, 0);
        assert_eq!(building.run(2), Some([28, 28]));
    }
}
