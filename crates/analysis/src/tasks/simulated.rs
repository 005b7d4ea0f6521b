//! Runs the tasks of each execution of a parallel region again on other numbers of threads. The
//! tasks of an execution are kept until it ends, so memory follows the largest one.
//!
//! What a simulation does not know: tasks may work longer if more threads share caches and memory,
//! and the time for a lock depends on the threads. The work of an inner team is that of its task.
//! So real runs may take longer.

use std::collections::BTreeMap;

use pompeii_model::{CallId, Region, RegionId, Role};
use pompeii_replay::definitions::Definitions;
use pompeii_replay::engine::record::TeamInstance;
use pompeii_replay::engine::tree::NodeId;
use pompeii_replay::hash::Table;
use pompeii_replay::task::compound::{
    StepOf, StepVisit, TaskEvent, TaskStep, TaskWaitVisit, TeamTasks,
};
use pompeii_replay::{Compound, Outcome};

use super::found::without_task;
use super::graph::{Step, TaskGraph};
use super::simulate::{Order, Played, Rule, Simulation, span};

/// How the OpenMP library of gcc begins in the names of files.
const LIBGOMP: &str = "libgomp";

/// The rule by which the threads of a run executed tasks: that of libgomp if calls of it were
/// observed, or if it is the OpenMP library that the program loaded. `library` is the name of that,
/// if it is known.
pub fn rule(definitions: &Definitions, library: Option<&str>) -> Rule {
    let is_loaded = library.is_some_and(|name| name.starts_with(LIBGOMP));
    match is_loaded || definitions.regions.iter().any(Region::is_seen_by_libgomp) {
        true => Rule::Libgomp,
        false => Rule::OpenMp,
    }
}

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
    /// The same by simulation with as many threads: two times, as in [`OnThreads`].
    pub as_measured: [i64; 2],
    /// Work and span with the cost of beginning tasks: what the executions take on one thread, and
    /// with a thread for each task.
    pub burdened: [i64; 2],
    /// Which tasks a thread may execute while one of its tasks waits.
    pub rule: Rule,
    /// The executions on other numbers of threads.
    pub on_threads: Vec<OnThreads>,
}

/// What executions of a parallel region would take on a number of threads, in ticks: with the
/// newest task first, and with the oldest task first. libgomp has one order: there these are the
/// times if threads without a task wake up as slowly as they did in the run, and if they do so at
/// once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnThreads {
    /// The number of threads.
    pub threads: usize,
    /// Duration.
    pub ticks: [i64; 2],
    /// Part of it in which a thread had no task because the rule kept it from those that were
    /// ready.
    pub held: [i64; 2],
}

impl Simulated {
    /// The simulated time that stands for the recorded one: that of the same order. With libgomp
    /// the two times differ by how fast threads wake up, and the nearer one says which was the
    /// case.
    pub fn as_recorded(&self, order: usize) -> i64 {
        let far = |ticks: &&i64| ticks.abs_diff(self.measured);
        let nearest = self.as_measured.iter().min_by_key(far).copied();
        match self.rule {
            Rule::Libgomp => nearest.unwrap_or(self.measured),
            Rule::Untied | Rule::OpenMp => self.as_measured[order],
        }
    }

    fn join(&mut self, other: &Simulated) {
        self.executions += other.executions;
        self.left_out += other.left_out;
        self.measured = self.measured.saturating_add(other.measured);
        add(&mut self.as_measured, other.as_measured);
        add(&mut self.burdened, other.burdened);
        self.rule = other.rule;
        self.join_runs(&other.on_threads);
    }

    fn join_runs(&mut self, others: &[OnThreads]) {
        self.on_threads.resize(others.len(), OnThreads::default());
        for (own, other) in self.on_threads.iter_mut().zip(others) {
            own.threads = own.threads.max(other.threads);
            add(&mut own.ticks, other.ticks);
            add(&mut own.held, other.held);
        }
    }
}

/// Collects steps, and simulates the executions that end.
#[derive(Debug)]
pub struct Simulations {
    threads: Vec<usize>,
    /// Which tasks a thread may execute while one of its tasks waits.
    pub rule: Rule,
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
    /// From the creation of tasks to their begins on threads that had none, and how often.
    waking: i64,
    wakes: i64,
}

impl Simulations {
    /// Nothing yet, for these numbers of threads.
    pub fn new(threads: &[usize], rule: Rule) -> Simulations {
        Simulations {
            threads: threads.to_vec(),
            rule,
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
                    building.wait(visit);
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
        let rule = self.rule;
        let of = self.regions.entry(team.at.node).or_default();
        of.rule = rule;
        of.on_threads.resize(self.threads.len(), OnThreads::default());
        let runs = building.and_then(|building| {
            let own = (building.run(team.threads, rule)?.ticks, building.burdened(rule)?);
            let others: Option<Vec<OnThreads>> =
                self.threads.iter().map(|threads| building.run(*threads, rule)).collect();
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
        of.join_runs(&others);
    }
}

fn add(to: &mut [i64; 2], more: [i64; 2]) {
    to.iter_mut().zip(more).for_each(|(to, more)| *to = to.saturating_add(more));
}

impl Building {
    fn wait(&mut self, visit: &TaskWaitVisit) {
        let ticks = without_task(visit).scheduling;
        self.scheduling = self.scheduling.saturating_add(ticks);
        let event = visit.cause.map(|cause| cause.event);
        if let Some(TaskEvent::Created(_) | TaskEvent::Freed(_)) = event {
            self.waking = self.waking.saturating_add(ticks);
            self.wakes += 1;
        }
    }

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

    /// What it takes on this number of threads, for both orders.
    fn run(&self, threads: usize, rule: Rule) -> Option<OnThreads> {
        if self.graph.tasks() > TASKS_MAX || !self.graph.is_complete() {
            return None;
        }
        let (start_ticks, wake_ticks) = (self.start_ticks(), self.wake_ticks());
        let run = |order, wake_ticks| {
            Simulation { threads, order, rule, start_ticks, wake_ticks }.run(&self.graph)
        };
        let at_last = if rule == Rule::Libgomp { 0 } else { wake_ticks };
        let (newest, oldest) = (run(Order::Newest, wake_ticks)?, run(Order::Oldest, at_last)?);
        let both = |of: fn(Played) -> u64| [newest, oldest].map(|played| in_range(of(played)));
        Some(OnThreads { threads, ticks: both(|it| it.ticks), held: both(|it| it.held_ticks) })
    }

    /// Work and span with the cost of beginning tasks.
    fn burdened(&self, rule: Rule) -> Option<[i64; 2]> {
        let [work, _] = self.run(1, rule)?.ticks;
        Some([work, in_range(span(&self.graph, self.start_ticks())?)])
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
    use pompeii_replay::{Options, replay, text};

    use super::*;

    fn on_threads((threads, ticks): (usize, i64)) -> OnThreads {
        OnThreads { threads, ticks: [ticks; 2], held: [0; 2] }
    }

    fn simulated(trace: &str, threads: &[usize]) -> Vec<Simulated> {
        let trace = text::parse(trace).unwrap().trace();
        let mut all = Simulations::new(threads, Rule::OpenMp);
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
            rule: Rule::OpenMp,
            on_threads: [(1, 46), (2, 25), (3, 25)].map(on_threads).to_vec(),
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
        assert_eq!(of.on_threads, [(1, 45), (2, 31), (3, 31)].map(on_threads));
        assert_eq!(of.burdened, [45, 31]);
    }

    /// Thread 0 creates tasks of 30 and 10 ticks in 1 tick each, waits for the second one only, and
    /// works for 5 ticks. Two threads execute both tasks at the same time, and the first one ends
    /// last, at 1 + 30.
    #[test]
    fn a_taskwait_with_items_waits_for_the_tasks_before_only() {
        let trace = "end 90
             team A = 0.0
             0 0.0 fork; team A; + parallel; + task_create
             1 0.0 create A 0 1 inout:8; -; + task_create
             2 0.0 create A 0 2 inout:7; -; + taskwait in:7
             2 0.0 switch A 0 2; + task
             12 0.0 -; done A 0 2; switch A 0 0; -; + other
             17 0.0 -; + ibarrier
             17 0.0 switch A 0 1; + task
             47 0.0 -; done A 0 1; switch A 0 0; -; -; endteam A; join";
        let all = simulated(trace, &[1, 2, 3]);
        let [of] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!(of.on_threads, [(1, 47), (2, 31), (3, 31)].map(on_threads));
        assert_eq!(of.burdened, [47, 31]);
    }

    #[test]
    fn the_nearer_time_stands_for_the_recorded_one() {
        let of = Simulated { measured: 110, as_measured: [100, 160], ..Simulated::default() };
        assert_eq!([0, 1].map(|order| of.as_recorded(order)), [100, 160]);
        let libgomp = Simulated { rule: Rule::Libgomp, ..of };
        assert_eq!([0, 1].map(|order| libgomp.as_recorded(order)), [100, 100]);
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
        assert_eq!(building.run(2, Rule::OpenMp), Some(on_threads((2, 28))));
    }
}
