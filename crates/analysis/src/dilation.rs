//! What measuring cost: by how much the run would have been shorter without it, estimated from
//! visits and the cost of an event.
//!
//! Each visit has two events, and an event costs a reading of the clock, which the measured
//! process has timed, and a few nanoseconds for the accounting. One of the two lies in the time of
//! the visited call path, the other one in that of the call path around it, and no call path has
//! more cost than time. Not each of these nanoseconds makes the run longer: a thread that waits at
//! a barrier anyway waits less instead. Let c_i be the cost of thread i in a parallel region, and
//! W_i its waiting at barriers there. Of W_i the least, W_m, changes from visit to visit and hides
//! nothing. The region ends earlier by min(W_i - W_m + c_i). A combined construct (`parallel for`)
//! is measured as its two halves. Therefore the instrumented program has one barrier more at the
//! end of the loop. What threads wait there they would wait at the join instead; the rest of the
//! time in this barrier is a cost of measuring, and is known. With fewer CPUs than threads, who
//! waits keeps others from a CPU, and all of it is a cost. The CPUs have no time left then, so each
//! event delays a thread that waits for its turn: the events of all threads, divided by the number
//! of CPUs, make the run longer. Threads that take turns at a lock are delayed by the events of
//! each other too: the costs of all of them add up, so far as they wait.
//!
//! Tasks cost the threads that execute them, in the regions that their stubs show. One that another
//! thread has created brings its state in cache lines that move between both. Threads that create
//! and execute tasks take turns at the queue of the runtime library. An event of a thread
//! costs nothing while the thread would wait for its turn anyway. How often that happens is not
//! known, so half of these events count ([`Queue`]).
//!
//! A processor reads its clock while it computes. Therefore events of functions that have work
//! between them, and the events around the lock of a critical region, cost a part of their time
//! only ([`crate::overlap`]).
//!
//! The estimate does not know what a compiler could have inlined or moved without the calls.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use pompeii_model::{CallId, Cube, Id, IndexVec, LocationId, RegionId, Role, Ticks};

use crate::overlap::{NextToWork, Overlapping};
use crate::own_messages::own_messages_ns;
use crate::{Lens, Measuring};

/// No more than this share of a time is cost, beyond what the construct itself takes: the program
/// has done something in it.
const MOST: f64 = 0.95;

/// What measuring cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Dilation {
    /// Wall time by which the run was longer.
    pub ticks: Ticks,
    /// The same as a share of the run without measuring.
    pub share: f64,
    /// CPU time of events by region, over all locations, and its visits; the largest first.
    pub regions: Vec<(RegionId, Ticks, i64)>,
}

/// The estimate for an analysed cube.
pub fn dilation(cube: &Cube, measuring: &Measuring) -> Dilation {
    let costs = Costs::new(cube, measuring);
    let ns = costs.run_ns() + measuring.excluded_visits as f64 * measuring.of_excluded_ns();
    let of_second = cube.clock.ticks_per_second() / 1e9;
    let wall = cube.wall_ticks as f64;
    let ticks = (ns * of_second).min(MOST * wall).max(0.0);
    let share = if wall > ticks { ticks / (wall - ticks) } else { 0.0 };
    let region = |(&region, &(ns, visits)): (&RegionId, &(f64, i64))| {
        (region, (ns * of_second) as Ticks, visits)
    };
    let mut regions: Vec<(RegionId, Ticks, i64)> = costs.regions.iter().map(region).collect();
    regions.sort_by_key(|&(region, ticks, _)| (Reverse(ticks), region));
    Dilation { ticks: ticks as Ticks, share, regions }
}

/// Costs in nanoseconds, by location where a list is for one part of the program.
pub(crate) struct Costs<'a> {
    lens: Lens<'a>,
    /// What lies in the time of each call path, of all locations.
    inside: IndexVec<CallId, f64>,
    queue: Queue,
    /// Outside of parallel regions and tasks.
    serial: Vec<f64>,
    tasks: Vec<f64>,
    /// By outermost parallel region.
    parallel: BTreeMap<CallId, Team>,
    regions: BTreeMap<RegionId, (f64, i64)>,
}

/// One outermost parallel region, by location.
#[derive(Clone)]
struct Team {
    cost: Vec<f64>,
    /// Time in barriers that the instrumenter has added, where threads take turns at the CPUs.
    added: Vec<f64>,
    /// These CPUs; 0 if each thread has its own.
    crowded_cpus: usize,
    /// The part of the cost that lies at locks and ordered regions.
    turns: Vec<f64>,
    /// Waiting at barriers, in ticks.
    barriers: Vec<Ticks>,
    visits: Vec<i64>,
    /// Waiting at locks and ordered regions, and time of all threads, in ticks.
    waiting: Ticks,
    time: Ticks,
}

impl<'a> Costs<'a> {
    pub(crate) fn new(cube: &'a Cube, measuring: &Measuring) -> Self {
        let lens = Lens::new(cube);
        let count = cube.system.locations.len();
        let empty = Team {
            cost: vec![0.0; count],
            added: vec![0.0; count],
            crowded_cpus: measuring.crowded_cpus,
            turns: vec![0.0; count],
            barriers: vec![0; count],
            visits: vec![0; count],
            waiting: 0,
            time: 0,
        };
        let parallels = lens.outermost_parallels();
        let (serial, tasks) = (vec![0.0; count], vec![0.0; count]);
        let (parallel, regions) = (BTreeMap::new(), BTreeMap::new());
        let inside = cube.calls.ids().map(|_| 0.0).collect();
        let queue = Queue::new(&lens);
        let next = NextToWork::new(&lens, measuring);
        let mut costs = Self { lens, inside, queue, serial, tasks, parallel, regions };
        for call in cube.calls.ids() {
            let row = costs.inside_ns(call, (measuring, &next));
            let list = match parallels[call] {
                Some(parallel) => {
                    let team = costs.parallel.entry(parallel).or_insert_with(|| empty.clone());
                    team.add(&lens, (parallel, call), measuring);
                    match lens.is_added_barrier(call) && measuring.is_crowded() {
                        true => &mut team.added,
                        false => &mut team.cost,
                    }
                }
                None if lens.in_task_tree(call) => &mut costs.tasks,
                None => &mut costs.serial,
            };
            list.iter_mut().zip(&row).for_each(|(sum, ns)| *sum += ns);
            costs.inside[call] = row.iter().sum();
        }
        costs.share_out(&Tasks::new(&lens, measuring, queue), &parallels);
        costs
    }

    /// How much longer or shorter than estimated the events of tasks may have made a region, as a
    /// share of the estimate: it is not known how many of them other threads hide.
    pub(crate) fn unsure_of_tasks(&self) -> f64 {
        self.queue.hidden / self.queue.counts()
    }

    /// A visit of a call path, in nanoseconds: in its own time, and in that around it.
    fn visit_ns(&self, measuring: &Measuring, call: CallId) -> (f64, f64) {
        let (own, around) = measuring.visit_ns(&self.lens, call);
        let is_task = self.lens.role(call) == Role::TaskCreate || self.lens.is_task_tree(call);
        let counts = if is_task { self.queue.counts() } else { 1.0 };
        (own * counts, around * counts)
    }

    /// What lies in the time of some call paths, over all locations.
    pub(crate) fn inside(&self, calls: &[CallId]) -> Ticks {
        let ns: f64 = calls.iter().map(|&call| self.inside[call]).sum();
        (ns * self.lens.cube.clock.ticks_per_second() / 1e9) as Ticks
    }

    /// What lies in the time of each call path and all below it, over all locations.
    pub(crate) fn inclusive(&self) -> IndexVec<CallId, Ticks> {
        let calls = &self.lens.cube.calls;
        let mut sums = self.inside.clone();
        for call in calls.ids().rev() {
            let Some(parent) = calls.parent(call) else { continue };
            let below = sums[call];
            sums[parent] += below;
        }
        let of_second = self.lens.cube.clock.ticks_per_second();
        sums.into_iter().map(|ns| (ns * of_second / 1e9) as Ticks).collect()
    }

    /// By how much the run was longer because of some outermost parallel regions.
    pub(crate) fn longer(&self, parallels: &[CallId]) -> Ticks {
        let longer = |threads: &Vec<LocationId>| -> f64 {
            let teams = parallels.iter().filter_map(|parallel| self.parallel.get(parallel));
            teams.map(|team| team.run_ns(&self.lens, threads)).sum()
        };
        let processes = self.lens.cube.system.locations_by_process();
        let ns = processes.iter().map(longer).fold(f64::INFINITY, f64::min);
        (ns * self.lens.cube.clock.ticks_per_second() / 1e9) as Ticks
    }

    /// Tasks cost the regions in which they were executed, which their stubs show, and those in
    /// which they were created. What is known of no region stays.
    fn share_out(&mut self, tasks: &Tasks, parallels: &IndexVec<CallId, Option<CallId>>) {
        let cube = self.lens.cube;
        let inside = std::mem::take(&mut self.tasks);
        let executed_ns = inside.iter().zip(&tasks.executed_ns).map(|(a, b)| a + b).collect();
        self.tasks = vec![0.0; inside.len()];
        for (metric, costs, numbers) in [
            ("task_switches", &executed_ns, &tasks.switches),
            ("tasks_created", &tasks.created_ns, &tasks.created),
        ] {
            let mut left: Vec<f64> = Vec::clone(costs);
            for call in cube.calls.ids() {
                let team = parallels[call].and_then(|at| self.parallel.get_mut(&at));
                let (Some(team), Some(metric)) = (team, self.lens.metric(metric)) else { continue };
                for (at, &here) in cube.row(metric, call).iter().enumerate().filter(|of| *of.1 > 0)
                {
                    let all = numbers[LocationId::from_index(at)].max(1);
                    let part = costs[at] * here as f64 / all as f64;
                    team.cost[at] += part;
                    left[at] -= part;
                }
            }
            self.tasks.iter_mut().zip(left).for_each(|(sum, ns)| *sum += ns.max(0.0));
        }
    }

    /// Costs that lie in the time of a call path, by location.
    fn inside_ns(
        &mut self,
        call: CallId,
        (measuring, next): (&Measuring, &NextToWork),
    ) -> Vec<f64> {
        let lens = self.lens;
        let row = |name: &str, call: CallId| {
            lens.metric(name).map_or(&[][..], |metric| lens.cube.row(metric, call))
        };
        let mut all = vec![0.0; lens.threads()];
        let add = |all: &mut [f64], row: &[i64], ns: f64| {
            all.iter_mut().zip(row).for_each(|(sum, &count)| *sum += count as f64 * ns);
        };
        let (own, around) = self.visit_ns(measuring, call);
        add(&mut all, row("visits", call), own);
        let messages = own_messages_ns(&lens, call);
        all.iter_mut().zip(&messages).for_each(|(sum, ns)| *sum += ns);
        let added = lens.is_added_barrier(call);
        if added && measuring.is_crowded() {
            all = row("execution", call).iter().map(|&ticks| lens.seconds(ticks) * 1e9).collect();
            all.resize(lens.threads(), 0.0);
        } else if added {
            all = lens.added_barrier(call).map(|ticks| lens.seconds(ticks) * 1e9).collect();
        }
        // What was executed at once was counted only, in the time of the code around.
        add(&mut all, row("tasks_undeferred", call), -own);
        let is_part = |&&child: &&CallId| !lens.is_task_tree(child);
        for &child in lens.cube.calls.children(call).iter().filter(is_part) {
            let (_, around) = self.visit_ns(measuring, child);
            add(&mut all, row("visits", child), around);
            add(&mut all, row("tasks_undeferred", child), measuring.undeferred_ns() - around);
        }
        let of_visits = lens.own("visits", call) - lens.own("tasks_undeferred", call);
        let mut ns = of_visits as f64 * (own + around)
            + lens.own("tasks_undeferred", call) as f64 * measuring.undeferred_ns();
        if added {
            ns = of_visits as f64 * around + all.iter().sum::<f64>();
        }
        let region = self.regions.entry(lens.cube.calls.region(call)).or_default();
        *region = (region.0 + ns, region.1 + lens.own("visits", call));
        let (times, visits) = (row("execution", call), row("visits", call));
        let itself_ns = measuring.itself_ns(&lens, call);
        let overlapping = Overlapping::new(&lens, (measuring, next), call);
        for (at, ns) in all.iter_mut().enumerate() {
            let time = lens.seconds(times.get(at).copied().unwrap_or(0)) * 1e9;
            let cost = overlapping.cost(at, *ns, time);
            let itself = visits.get(at).copied().unwrap_or(0) as f64 * itself_ns;
            *ns = cost.min(if added { time } else { MOST * (time - itself) }).max(0.0);
        }
        all
    }

    /// By how much the run was longer, in ticks.
    pub(crate) fn run_ticks(&self) -> Ticks {
        let cube = self.lens.cube;
        let ticks = self.run_ns() * cube.clock.ticks_per_second() / 1e9;
        ticks.clamp(0.0, MOST * cube.wall_ticks as f64) as Ticks
    }

    /// By how much the run was longer: the process in which it was least, since the others have
    /// waited for it in MPI.
    fn run_ns(&self) -> f64 {
        let system = &self.lens.cube.system;
        let mpi = self.lens.metric("mpi");
        let in_mpi = |threads: &[LocationId]| -> Ticks {
            mpi.map_or(0, |mpi| threads.iter().map(|&at| self.lens.cube.total_at(mpi, at)).sum())
        };
        let processes = system.locations_by_process();
        let least = processes.iter().map(|threads| in_mpi(threads)).min().unwrap_or(0);
        let slack = |threads: &[LocationId]| self.lens.seconds(in_mpi(threads) - least) * 1e9;
        let ns = processes.iter().map(|threads| slack(threads) + self.process_ns(threads));
        ns.fold(f64::INFINITY, f64::min)
    }

    fn process_ns(&self, threads: &[LocationId]) -> f64 {
        let at = |list: &[f64]| -> Vec<f64> { threads.iter().map(|at| list[at.index()]).collect() };
        let serial = at(&self.serial).into_iter().fold(0.0, f64::max);
        // Tasks go to the threads that have time.
        let tasks = at(&self.tasks).iter().sum::<f64>() / threads.len().max(1) as f64;
        let parallel = self.parallel.values().map(|team| team.run_ns(&self.lens, threads));
        serial + tasks + parallel.sum::<f64>()
    }
}

/// What tasks cost outside of their own time, by location: the events around them lie in what the
/// thread does before and after; and what one thread creates and another one executes has its state
/// in cache lines that move between the two.
struct Tasks {
    created: IndexVec<LocationId, i64>,
    created_ns: Vec<f64>,
    /// Executions that have stubs.
    switches: IndexVec<LocationId, i64>,
    executed_ns: Vec<f64>,
}

impl Tasks {
    fn new(lens: &Lens, measuring: &Measuring, queue: Queue) -> Self {
        let calls: Vec<CallId> = lens.cube.calls.ids().collect();
        let tops: Vec<CallId> =
            calls.iter().copied().filter(|&call| lens.is_task_tree(call)).collect();
        let created = lens.by_location("tasks_created", &calls);
        let executed = lens.by_location("visits", &tops);
        let is_created = created.iter().any(|&number| number > 0);
        let line_ns = if is_created { measuring.line_ns * queue.counts() } else { 0.0 };
        let pairs = || created.iter().zip(executed.iter());
        let created_ns = pairs().map(|(c, e)| (c - e).max(0) as f64 * line_ns).collect();
        let mut executed_ns: Vec<f64> =
            pairs().map(|(c, e)| (e - c).max(0) as f64 * line_ns).collect();
        for &top in &tops {
            let (_, around) = measuring.visit_ns(lens, top);
            let visits = lens.by_location("visits", &[top]);
            executed_ns.iter_mut().zip(visits.iter()).for_each(|(sum, &of)| {
                *sum += of as f64 * around * queue.counts();
            });
        }
        let switches = lens.by_location("task_switches", &calls);
        Self { created, created_ns, switches, executed_ns }
    }
}

/// How much of the events of tasks others hide, at the queue from which all threads take them.
#[derive(Clone, Copy)]
struct Queue {
    /// The share of the events that is expected to cost nothing; as much may cost all of its time.
    hidden: f64,
}

impl Queue {
    /// If one thread creates and executes all tasks, it waits for no turn. If all threads do so
    /// equally, half of the events is hidden.
    fn new(lens: &Lens) -> Self {
        let calls: Vec<CallId> = lens.cube.calls.ids().collect();
        let tops: Vec<CallId> =
            calls.iter().copied().filter(|&call| lens.is_task_tree(call)).collect();
        let created = lens.by_location("tasks_created", &calls);
        let executed = lens.by_location("visits", &tops);
        let turns = || created.iter().zip(executed.iter()).map(|(a, b)| a + b);
        let (all, most) = (turns().sum::<i64>(), turns().max().unwrap_or(0));
        let members = turns().filter(|&of| of > 0).count() as f64;
        let others = (all - most) as f64 / all.max(1) as f64;
        let equally = ((members - 1.0) / members.max(1.0)).max(f64::MIN_POSITIVE);
        Self { hidden: 0.5 * (others / equally).min(1.0) }
    }

    fn counts(self) -> f64 {
        1.0 - self.hidden
    }
}

impl Team {
    fn add(&mut self, lens: &Lens, (parallel, call): (CallId, CallId), measuring: &Measuring) {
        let row = |name: &str| lens.metric(name).map_or(&[][..], |of| lens.cube.row(of, call));
        for name in ["omp_ibarrier_wait", "omp_ebarrier_wait"] {
            self.barriers.iter_mut().zip(row(name)).for_each(|(sum, ticks)| *sum += ticks);
        }
        for name in ["omp_lock_contention_critical", "omp_lock_contention_api", "omp_ordered_wait"]
        {
            self.waiting += row(name).iter().sum::<Ticks>();
        }
        self.time += row("execution").iter().sum::<Ticks>();
        // The other threads of inner teams are not members: between these teams they are idle.
        if call == parallel {
            self.visits.iter_mut().zip(row("visits")).for_each(|(sum, visits)| *sum += visits);
        }
        let takes_turns = matches!(
            lens.role(call),
            Role::Critical | Role::CriticalBody | Role::Lock | Role::Ordered | Role::OrderedBody
        );
        if takes_turns {
            // While a thread has its turn, the events around it delay the next one as well.
            let (own, around) = measuring.visit_ns(lens, call);
            let ns = |&visits: &i64| visits as f64 * (own + around);
            self.turns.iter_mut().zip(row("visits")).for_each(|(sum, of)| *sum += ns(of));
        }
    }

    /// By how much the region was longer in a process.
    fn run_ns(&self, lens: &Lens, threads: &[LocationId]) -> f64 {
        let members: Vec<usize> =
            threads.iter().map(|at| at.index()).filter(|&at| self.visits[at] > 0).collect();
        if members.is_empty() {
            return 0.0;
        }
        let least = members.iter().map(|&at| self.barriers[at]).min().unwrap_or(0);
        let slack = |at: usize| lens.seconds(self.barriers[at] - least) * 1e9;
        let least_of =
            |ns: &[f64]| members.iter().map(|&at| slack(at) + ns[at]).fold(f64::INFINITY, f64::min);
        let all_of = |ns: &[f64]| members.iter().map(|&at| ns[at]).sum::<f64>();
        let count = members.len() as f64;
        let (longer, at_once) = match self.crowded_cpus {
            0 => (least_of(&self.cost), count),
            cpus => {
                let at_once = count.min(cpus as f64);
                (least_of(&self.added) + all_of(&self.cost) / at_once, at_once)
            }
        };
        // Of n threads that always take turns, each waits in (n - 1)/n of its time; then the costs
        // of the others come on top of those that are counted already.
        let waits = self.waiting as f64 / self.time.max(1) as f64;
        let in_turn = (waits * count / (count - 1.0).max(1.0)).clamp(0.0, 1.0);
        longer + in_turn * all_of(&self.turns) * (at_once - 1.0) / at_once
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clock readings of 7.5 ns, so an event of a profile is 10 ns; a tick is a microsecond.
    fn check(text: &str, expected_us: i64) -> Dilation {
        let cube = crate::derive(&crate::notation::cube(text).unwrap());
        let found = dilation(&cube, &Measuring { clock_ns: 7.5, ..Measuring::default() });
        assert_eq!(found.ticks, expected_us);
        found
    }

    /// 25 ms of events, one after the other. Between two of them is work of 30 ns.
    #[test]
    fn each_visit_has_two_events_that_overlap_with_work() {
        let found = check(
            "wall=100000 locations=1 clock=1000000
             a           0  time=50000 visits=1
             a/f@a.c:2   0  time=40000 visits=1000000
             a/g@a.c:9   0  time=10000 visits=250000",
            11_250,
        );
        assert_eq!(found.share, 11.25 / 88.75);
        assert_eq!((found.regions[0].1, found.regions[0].2), (20_000, 1_000_000));
    }

    /// In the code around there are 2.5 ns of work between two events of 10 ns, next to which 45 % of
    /// 2.5 ns counts. The same holds in the function.
    #[test]
    fn with_little_work_between_them_events_cost_most_of_their_time() {
        check(
            "wall=100000 locations=1 clock=1000000
             a           0  time=50000 visits=1
             a/f@a.c:2   0  time=50000 visits=4000000",
            69_000,
        );
    }

    /// In a loop that does nothing else, a function of 37.5 ns is called 1,000,000 times on each of
    /// two threads, with events of 12.5 ns. Those in the loop lie next to the function's work, too:
    /// 45 % of 25 ns counts.
    #[test]
    fn events_overlap_with_the_work_of_the_function() {
        let text = "wall=50000 locations=2 clock=1000000
             a/parallel@a.c:2              *  time=12500 visits=1
             a/parallel@a.c:2/f@a.c:3      *  time=37500 visits=1000000";
        let cube = crate::derive(&crate::notation::cube(text).unwrap());
        let measuring = Measuring { clock_ns: 10.0, ..Measuring::default() };
        assert_eq!(dilation(&cube, &measuring).ticks, 11_250);
    }

    /// The inner visits of a recursion only call the next ones, and those at its end take 60 ns with
    /// their own event. There are as many of both, so 45 % of 20 ms counts.
    #[test]
    fn events_overlap_with_the_work_of_other_visits_of_the_function() {
        check(
            "wall=50000 locations=1 clock=1000000
             a                      0  time=10000 visits=1
             a/f@a.c:2              0  time=10000 visits=500000
             a/f@a.c:2/f@a.c:2      0  time=30000 visits=500000",
            9_000,
        );
    }

    /// The first and the last event lie next to 60 ns of work, and 45 % of both counts: 9 ns. With the
    /// first event of the body, 14.5 ns of the 20 ns of the critical region could be events, but 10 ns
    /// are its two atomic instructions. So 4.5 ns before it count, 9.5 ns in it and 9.5 ns of the body.
    #[test]
    fn a_critical_region_takes_its_atomic_instructions_without_measuring() {
        check(
            "wall=100000 locations=1 clock=1000000
             a                                  0  time=70000 visits=1
             a/critical@a.c:2                   0  time=20000 visits=1000000
             a/critical@a.c:2/critical_body@a.c:2  0  time=10000 visits=1000000",
            23_500,
        );
    }

    /// A million calls of an excluded function take 4 ms one after the other, and lie next to its
    /// work.
    #[test]
    fn calls_of_excluded_functions_overlap_with_their_work() {
        let cube =
            crate::notation::cube("wall=100000 locations=1 clock=1000000\na  0  time=100000");
        let cube = crate::derive(&cube.unwrap());
        let measuring = Measuring { excluded_visits: 1_000_000, ..Measuring::default() };
        assert_eq!(dilation(&cube, &measuring).ticks, 1_800);
    }

    /// A line costs 1 us and an arrival of both threads 2 us: each of the 1,000 regions takes 1 us
    /// for its begin and 3 us for its barrier, and 30 ns for three events. A thread that is alone
    /// shares nothing.
    #[test]
    fn threads_of_a_team_share_cache_lines() {
        let regions = |threads: &str| {
            format!(
                "wall=100000 locations=2 clock=1000000
                 a/parallel@a.c:2                          {threads}  time=50000 visits=1000
                 a/parallel@a.c:2/implicit barrier@a.c:9   {threads}  time=50000 visits=1000"
            )
        };
        let measuring = Measuring {
            clock_ns: 7.5,
            line_ns: 1000.0,
            arrival_ns: 2000.0,
            ..Measuring::default()
        };
        let ticks = |text: &str| {
            let cube = crate::derive(&crate::notation::cube(text).unwrap());
            dilation(&cube, &measuring).ticks
        };
        assert_eq!(ticks(&regions("*")), 4_030);
        assert_eq!(ticks(&regions("0")), 30);
    }

    /// Thread 1 creates and executes 1,000,000 tasks, and thread 0 waits for it. Without stubs
    /// nothing tells where they were executed.
    #[test]
    fn tasks_cost_the_region_and_the_thread_that_executes_them() {
        let text = |stub: &str| {
            format!(
                "wall=100000 locations=2 clock=1000000
                 a/parallel@a.c:2                          *  visits=1
                 a/parallel@a.c:2/taskloop@a.c:5           1  time=80000 visits=1
                 a/parallel@a.c:2/taskloop@a.c:5/task@a.c:5  1  {stub}
                 a/parallel@a.c:2/implicit barrier@a.c:9   0  time=100000 visits=1 \
                 omp_ibarrier_wait=100000
                 TASKS/task@a.c:5                          1  time=20000 visits=1000000"
            )
        };
        // Two events of 10 ns, and 37.5 ns because they are of a taskloop.
        check(&text("task_switches=1000000"), 57_500);
        check(&text("task_switches=0"), 28_750);
    }

    /// Thread 0 creates what thread 1 executes: 100,000 times a line moves to each of them.
    #[test]
    fn tasks_that_another_thread_executes_move_cache_lines() {
        let text = "wall=100000 locations=2 clock=1000000
             a/parallel@a.c:2                          *  visits=1
             a/parallel@a.c:2/create task@a.c:5        0  time=100000 visits=100000 \
             tasks_created=100000
             a/parallel@a.c:2/implicit barrier@a.c:9   1  time=80000 visits=1
             a/parallel@a.c:2/implicit barrier@a.c:9/task@a.c:5  1  task_switches=100000
             TASKS/task@a.c:5                          1  time=20000 visits=100000";
        let cube = crate::derive(&crate::notation::cube(text).unwrap());
        let measuring = Measuring { clock_ns: 7.5, line_ns: 100.0, ..Measuring::default() };
        // 10 ms for the lines, and 1 ms for an event of 10 ns: the creator's other event would lie
        // in the region's own time, which is none here. Both threads need the queue as often, so
        // half of that is hidden.
        assert_eq!(dilation(&cube, &measuring).ticks, 5_500);
    }

    /// Five eighths of the calls for small messages, but not more than three times our own calls.
    /// Of collective operations all of our time.
    #[test]
    fn messages_of_pompeii_cost_more_than_their_calls() {
        check(
            "wall=100000 locations=1 clock=1000000
             a                 0  time=4000 visits=1
             a/MPI_Recv        0  time=16000 mpi_own_messages=6000
             a/MPI_Waitall     0  time=70000 mpi_latesender=30000 mpi_own_messages=1000
             a/MPI_Allreduce   0  time=10000 mpi_own_messages=2000",
            10_000 + 3_000 + 2_000,
        );
    }

    /// A million counted visits take 2.25 ms. 500,000 undeferred tasks take 4 ms, if there is nothing
    /// between them, and 45 % of it if each has 160 ns of work. With 1.25 ms of work, 45 % of 1.25 ms
    /// counts, and the rest does fully.
    #[test]
    fn what_is_counted_costs_less() {
        let text = |time: i64| {
            format!(
                "wall=100000 locations=1 clock=1000000
                 a                        0  time={time} visits=1
                 a/atomic@a.c:2           0  visits=1000000
                 a/create task@a.c:5      0  visits=500000 tasks_undeferred=500000
                 a/f@a.c:9                0  time={} visits=1",
                100_000 - time
            )
        };
        check(&text(90_000), 2_250 + 1_800);
        check(&text(7_500), 2_250 + 3_312);
    }

    /// The barrier of a combined loop is the instrumenter's: it took 5 ms without the waiting. The
    /// other 4 ms are the events of region and loop. In a loop of its own, the barrier has 1 ms.
    #[test]
    fn the_barrier_that_the_instrumenter_adds_is_a_cost() {
        let text = |line: u32| {
            format!(
                "wall=100000 locations=2 clock=1000000
                 a/parallel@a.c:2                                *  time=10000 visits=100000
                 a/parallel@a.c:2/for@a.c:{line}                 *  time=80000 visits=100000
                 a/parallel@a.c:2/for@a.c:{line}/implicit barrier@a.c:4  *  \
                 time=10000 visits=100000 omp_ibarrier_wait=5000"
            )
        };
        check(&text(2), 9_000);
        check(&text(3), 5_000);
        let cube = crate::derive(&crate::notation::cube(&text(2)).unwrap());
        let crowded = Measuring { clock_ns: 7.5, crowded_cpus: 1, ..Measuring::default() };
        assert_eq!(dilation(&cube, &crowded).ticks, 18_000, "on one CPU: 4 ms of each thread");
    }

    /// Location 2 is the second thread of the inner team, with 1 ms of events. Thread 0 of the outer
    /// team has 4 ms, and thread 1 waits for it.
    #[test]
    fn threads_of_inner_teams_hide_nothing() {
        check(
            "wall=100000 locations=3 clock=1000000
             a/parallel@a.c:2                   0  time=50000 visits=1
             a/parallel@a.c:2                   1  time=10000 visits=1
             a/parallel@a.c:2/parallel@a.c:3    0  time=50000 visits=200000
             a/parallel@a.c:2/parallel@a.c:3    2  time=3000 visits=100000
             a/parallel@a.c:2/implicit barrier@a.c:9  1  time=90000 visits=1 omp_ibarrier_wait=90000",
            4_000,
        );
    }

    /// Four threads take turns at two CPUs. Each has 9 ms of events, so each CPU has 18 ms of them.
    /// Thread 1 waited at the barrier, where it took no CPU from others.
    #[test]
    fn events_of_all_threads_count_where_they_take_turns_at_cpus() {
        let text = "wall=100000 locations=4 clock=1000000
             a/parallel@a.c:2                         *  time=50000 visits=1
             a/parallel@a.c:2/f@a.c:3                 *  time=50000 visits=1000000
             a/parallel@a.c:2/implicit barrier@a.c:9  1  time=30000 visits=1 omp_ibarrier_wait=30000";
        let cube = crate::derive(&crate::notation::cube(text).unwrap());
        let measuring =
            |crowded_cpus| Measuring { clock_ns: 7.5, crowded_cpus, ..Measuring::default() };
        assert_eq!(dilation(&cube, &measuring(0)).ticks, 9_000);
        assert_eq!(dilation(&cube, &measuring(2)).ticks, 18_000);
        assert_eq!(dilation(&cube, &measuring(1)).ticks, 36_000);
    }

    /// Thread 1 has 20 ms of events, and waits for longer than that: without them it waits more.
    #[test]
    fn events_of_a_thread_that_waits_anyway_do_not_count() {
        check(
            "wall=100000 locations=2 clock=1000000
             a/parallel@a.c:2                         0  time=99000 visits=1
             a/parallel@a.c:2/implicit barrier@a.c:9  0  time=1000 visits=1
             a/parallel@a.c:2                         1  time=25000 visits=1
             a/parallel@a.c:2/f@a.c:3                 1  time=25000 visits=1000000
             a/parallel@a.c:2/implicit barrier@a.c:9  1  time=50000 visits=1 omp_ibarrier_wait=50000",
            0,
        );
        check(
            "wall=100000 locations=2 clock=1000000
             a/parallel@a.c:2          *  time=50000 visits=1
             a/parallel@a.c:2/f@a.c:3  *  time=50000 visits=1000000",
            9_000,
        );
    }

    /// Without turns, the two events of a visit lie next to the work around, and 45 % of 20 ms counts.
    #[test]
    fn threads_that_take_turns_are_delayed_by_the_events_of_all() {
        let text = |waits: i64| {
            format!(
                "wall=200000 locations=2 clock=1000000
                 a/parallel@a.c:2                  *  time={0} visits=1
                 a/parallel@a.c:2/critical@a.c:3   *  time={1} visits=1000000 \
                 omp_lock_contention_critical={waits}",
                175_000 - waits,
                25_000 + waits
            )
        };
        check(&text(0), 9_000);
        check(&text(100_000), 40_000);
    }

    /// Rank 0 waits 65 ms more than rank 1, which has no events but those of MPI.
    #[test]
    fn so_do_those_of_a_rank_that_waits_anyway() {
        check(
            "wall=100000 locations=2 processes=2 clock=1000000
             a              0  time=15000 visits=1
             a              1  time=95000 visits=1
             a/f@a.c:2      0  time=15000 visits=1000000
             a/MPI_Barrier  0  time=70000 visits=10
             a/MPI_Barrier  1  time=5000 visits=10",
            0,
        );
    }

    #[test]
    fn no_call_path_has_more_cost_than_time() {
        let found = check(
            "wall=100000 locations=1 clock=1000000
             a           0  time=98000 visits=1
             a/f@a.c:2   0  time=2000 visits=1000000",
            6_400,
        );
        assert!((found.share - 6.4 / 93.6).abs() < 1e-9);
        check(
            "wall=1000 locations=1 clock=1000000
             a           0  time=500 visits=1
             a/f@a.c:2   0  time=500 visits=1000000",
            950,
        );
    }
}
