//! Runs the tasks of each execution of a parallel region again on other numbers of threads. The
//! tasks of an execution are kept until it ends, so memory follows the largest one, up to a limit
//! ([`Simulations::tasks_max`]).
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
use pompeii_replay::task::compound::TeamTasks;
use pompeii_replay::{Compound, Outcome};

use super::building::{Building, Limits};
use super::simulate::Rule;

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

/// With more tasks, small ones are put together: the graph would take some gigabytes.
const TASKS_MAX: usize = 20_000_000;

/// The simulated executions of a parallel region. Times are ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simulated {
    /// Executions that were simulated.
    pub executions: u64,
    /// Executions that were not: records are missing, or there are too many tasks that cannot be
    /// put together.
    pub left_out: u64,
    /// Simulated executions in which tasks were put together: their tasks, and how many tasks these
    /// were simulated as.
    pub collapsed: Collapsed,
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

/// Tasks that were put together, because there are too many for a simulation of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collapsed {
    /// The tasks.
    pub tasks: u64,
    /// The tasks that stand for them, each of which one thread executes.
    pub simulated_as: u64,
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
    /// What simulations of all tasks take if no thread is without a task while one is ready: at
    /// least, and at most. These are the two times if no tasks were put together. Otherwise they
    /// are max(work / threads, span), and work / threads + the longest chain if one thread executes
    /// all tasks that were put together into one.
    pub bounds: [i64; 2],
}

impl Collapsed {
    /// The sums of both.
    pub fn join(self, other: Collapsed) -> Collapsed {
        let tasks = self.tasks + other.tasks;
        Collapsed { tasks, simulated_as: self.simulated_as + other.simulated_as }
    }
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
        self.collapsed = self.collapsed.join(other.collapsed);
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
            add(&mut own.bounds, other.bounds);
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
    /// If an execution has more tasks than that, small ones are put together.
    pub tasks_max: usize,
    /// Some tasks have dependences that the trace does not have.
    pub has_unknown_dependences: bool,
}

impl Simulations {
    /// Nothing yet, for these numbers of threads.
    pub fn new(threads: &[usize], rule: Rule) -> Simulations {
        Simulations {
            threads: threads.to_vec(),
            rule,
            regions: Table::default(),
            open: Table::default(),
            tasks_max: TASKS_MAX,
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
            Compound::Step(visit) => {
                let threads = self.threads.iter().copied().max().unwrap_or(1);
                let limits = Limits { tasks_max: self.tasks_max, threads };
                self.building(visit.team).step(visit, limits);
            }
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
            let own = building.run(team.threads, rule)?;
            let chains = building.chains(rule)?;
            let run = |threads: &usize| {
                let run = building.run(*threads, rule)?;
                Some(if building.is_collapsed() { chains.bound(run) } else { run })
            };
            let others: Option<Vec<OnThreads>> = self.threads.iter().map(run).collect();
            Some((own.ticks, chains.burdened(), building.collapsed(), others?))
        });
        let Some((own, burdened, collapsed, others)) = runs else {
            of.left_out += 1;
            return;
        };
        of.executions += 1;
        of.measured = of.measured.saturating_add(team.ticks());
        add(&mut of.as_measured, own);
        add(&mut of.burdened, burdened);
        of.collapsed = of.collapsed.join(collapsed);
        of.join_runs(&others);
    }
}

fn add(to: &mut [i64; 2], more: [i64; 2]) {
    to.iter_mut().zip(more).for_each(|(to, more)| *to = to.saturating_add(more));
}

#[cfg(test)]
mod tests {
    use pompeii_replay::{Options, replay, text};

    use super::*;

    fn on_threads((threads, ticks): (usize, i64)) -> OnThreads {
        OnThreads { threads, ticks: [ticks; 2], held: [0; 2], bounds: [ticks; 2] }
    }

    fn simulated(trace: &str, threads: &[usize]) -> Vec<Simulated> {
        simulated_with(trace, threads, TASKS_MAX)
    }

    fn simulated_with(trace: &str, threads: &[usize], tasks_max: usize) -> Vec<Simulated> {
        let trace = text::parse(trace).unwrap().trace();
        let mut all = Simulations { tasks_max, ..Simulations::new(threads, Rule::OpenMp) };
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
            collapsed: Collapsed::default(),
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

    /// Thread 0 creates 1000 tasks of 10 ticks. It waits for each, and works for 5 ticks then. With
    /// room for 100 tasks, the analysis puts them together again and again.
    #[test]
    fn too_many_tasks_are_put_together() {
        let mut trace = "end 20000\nteam A = 0.0\n0 0.0 fork; team A; + parallel\n".to_owned();
        for task in 0..1000 {
            let (begin, end, name) = (15 * task, 15 * task + 10, task + 1);
            trace += &format!(
                "{begin} 0.0 + task_create; create A 0 {name}; -; + taskwait; switch A 0 {name}; + task\n\
                 {end} 0.0 -; done A 0 {name}; switch A 0 0; -\n"
            );
        }
        trace += "15000 0.0 + ibarrier; -; -; endteam A; join";
        let [all, few] =
            [TASKS_MAX, 100].map(|tasks_max| simulated_with(&trace, &[1, 4], tasks_max));
        let ([all], [few]) = (all.as_slice(), few.as_slice()) else { panic!("{all:?} {few:?}") };
        assert_eq!((all.executions, all.collapsed), (1, Collapsed::default()), "{all:?}");
        assert_eq!((few.executions, few.left_out, few.collapsed.tasks), (1, 0, 1000));
        assert!(few.collapsed.simulated_as <= 100, "{few:?}");
        assert_eq!((all.burdened, few.burdened), ([15000; 2], [15000; 2]));
        for (all, few) in all.on_threads.iter().zip(&few.on_threads) {
            let [least, most] = few.bounds;
            let times = [all.ticks, few.ticks].concat();
            assert!(times.iter().all(|ticks| (least..=most).contains(ticks)), "{all:?} {few:?}");
        }
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
}
