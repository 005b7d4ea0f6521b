//! Simulations of small graphs, and of random ones with bounds that follow from their chains.

use std::collections::HashMap;

use super::graph::{Step, TaskGraph};
use super::simulate::{Order, Played, Rule, Simulation, span};

pub(super) const ORDERS: [Order; 2] = [Order::Newest, Order::Oldest];
pub(super) const RULES: [Rule; 3] = [Rule::Untied, Rule::OpenMp, Rule::Libgomp];

/// A graph of an implicit task and the explicit ones.
pub(super) fn graph(implicit: &[Step], explicit: &[&[Step]]) -> TaskGraph {
    let mut graph = TaskGraph::default();
    graph.give_implicit(implicit);
    for steps in explicit {
        let task = graph.add();
        graph.give(task, steps);
    }
    graph
}

/// The times, which are the same for all orders and rules.
fn times(graph: &TaskGraph, start_ticks: u64, threads: &[usize]) -> Vec<Option<u64>> {
    let run = |&threads| {
        let all = RULES.map(|rule| {
            let run = |order| {
                Simulation { threads, order, rule, start_ticks, wake_ticks: start_ticks }.run(graph)
            };
            ORDERS.map(|order| run(order).map(|played| played.ticks))
        });
        assert_eq!(all, [all[0]; 3], "{threads} threads");
        assert_eq!(all[0][0], all[0][1], "{threads} threads");
        all[0][0]
    };
    threads.iter().map(run).collect()
}

/// Duration, and time in which threads were kept from ready tasks, with each rule.
fn played(graph: &TaskGraph, threads: usize, order: Order) -> [(u64, u64); 3] {
    RULES.map(|rule| {
        let simulation = Simulation { threads, order, rule, start_ticks: 0, wake_ticks: 0 };
        let Played { ticks, held_ticks, .. } = simulation.run(graph).unwrap();
        (ticks, held_ticks)
    })
}

/// At 10, task A waits for its child on thread 2, which ends at 50. Of the two tasks that the master
/// creates at 5, it executes one itself. The other one could run on the thread of A, but is no
/// descendant of A.
#[test]
fn a_waiting_tied_task_keeps_its_thread_from_tasks_of_others() {
    use Step::{Barrier, Create, Taskwait, Work};
    let a: &[Step] = &[Create(1), Work(10), Taskwait, Work(1)];
    let master = [Create(0), Work(5), Create(2), Create(3), Barrier];
    let graph = graph(&master, &[a, &[Work(50)], &[Work(20)], &[Work(40)]]);
    assert_eq!(played(&graph, 3, Order::Oldest), [(51, 0), (65, 15), (65, 15)]);
    assert_eq!(played(&graph, 3, Order::Newest), [(51, 0), (65, 35), (65, 15)]);
    assert_eq!(played(&graph, 1, Order::Newest), [(126, 0); 3]);
}

/// Beginning a task costs 3 ticks. The creator comes to its taskwait at 2 and begins the second task
/// itself, which ends at 15. The thread that was roused at 1 begins the first task at 4 and then, at
/// its taskwait, the child, which ends at 17. A third thread would come too late for any task.
#[test]
fn the_creator_is_faster_than_a_thread_that_wakes_up() {
    use Step::{Barrier, Create, Taskwait, Work};
    let creator = [Work(1), Create(0), Work(1), Create(1), Taskwait, Barrier];
    let graph = graph(&creator, &[&[Create(2), Taskwait], &[Work(10)], &[Work(10)]]);
    for threads in [2, 3] {
        let (order, rule, start_ticks) = (Order::Oldest, Rule::Libgomp, 3);
        let played = Simulation { threads, order, rule, start_ticks, wake_ticks: 3 }.run(&graph);
        assert_eq!(played, Some(Played { ticks: 17, held_ticks: 0, waking_ticks: 3 }));
    }
}

/// A task creates two tasks of 10 ticks, which create two each. If threads without a task are there
/// at once, they begin the two first tasks, and the creator has no child left: one of three threads
/// does nothing until it is over. If they wake up, the creator begins the second task itself.
#[test]
fn the_creator_may_find_no_child_at_its_taskwait() {
    use Step::{Barrier, Create, Taskwait, Work};
    let creator = [Create(0), Work(1), Create(1), Work(1), Taskwait, Barrier];
    let inner = |first| [Work(10), Create(first), Create(first + 1), Taskwait];
    let (one, other) = (inner(2), inner(4));
    let leaf: &[Step] = &[Work(30)];
    let graph = graph(&creator, &[&one, &other, leaf, leaf, leaf, leaf]);
    let run = |wake_ticks| {
        let (threads, order, rule) = (3, Order::Oldest, Rule::Libgomp);
        let played = Simulation { threads, order, rule, start_ticks: 0, wake_ticks }.run(&graph);
        played.map(|played| played.ticks)
    };
    // From 10 to 71: two leaves one after the other on each of two threads. Otherwise the third
    // thread takes one of them.
    assert_eq!((run(0), run(2)), (Some(71), Some(72)));
}

/// A tree of 63 pairs of tasks, whose leaves take 15 ticks. The creator of a pair finds no child at
/// its taskwait if other threads are there at once. This takes longer than work / threads + span,
/// and the time in which threads were kept from ready tasks explains it.
#[test]
fn libgomp_may_need_more_than_the_bound_of_untied_tasks() {
    use Step::{Barrier, Create, Taskwait, Work};
    fn tree(graph: &mut TaskGraph, depth: u32) -> Vec<Step> {
        if depth == 0 {
            return vec![Work(1500)];
        }
        let mut create = || {
            let (task, steps) = (graph.add(), tree(graph, depth - 1));
            graph.give(task, &steps);
            Create(task)
        };
        let (one, other) = (create(), create());
        vec![Work(200), one, Work(1), other, Work(1), Taskwait, Work(200)]
    }
    let mut graph = TaskGraph::default();
    let steps = tree(&mut graph, 6);
    graph.give_implicit(&[&steps[..], &[Barrier]].concat());
    let (work, longest) = (64 * 1500 + 63 * 402, 6 * 401 + 1500);
    assert_eq!(span(&graph, 0), Some(longest));
    let run = |rule, wake_ticks| {
        let (threads, order) = (4, Order::Oldest);
        Simulation { threads, order, rule, start_ticks: 0, wake_ticks }.run(&graph).unwrap()
    };
    let bound = work / 4 + longest;
    let at_once = run(Rule::Libgomp, 0);
    assert!(at_once.ticks > bound, "{at_once:?} {bound}");
    assert!(at_once.ticks <= bound + at_once.held_ticks, "{at_once:?} {bound}");
    // If they wake up later than the creator comes to its taskwait, nothing is lost.
    for played in [run(Rule::Libgomp, 5), run(Rule::OpenMp, 5), run(Rule::Untied, 0)] {
        assert!(played.ticks <= bound, "{played:?} {bound}");
    }
}

/// At 10, task A waits for its child on the other thread, which ends at 50. The grandchild is a
/// descendant of A, and in its taskgroup, but it is no child.
#[test]
fn libgomp_takes_only_children_at_a_taskwait() {
    use Step::{Barrier, Create, GroupBegin, GroupEnd, Taskwait, Work};
    let others: [&[Step]; 2] = [&[Create(2), Work(50)], &[Work(20)]];
    let taskwait: &[Step] = &[Create(1), Work(10), Taskwait];
    let with_wait = graph(&[Create(0), Barrier], &[taskwait, others[0], others[1]]);
    let group: &[Step] = &[GroupBegin, Create(1), Work(10), GroupEnd];
    let with_group = graph(&[Create(0), Barrier], &[group, others[0], others[1]]);
    for order in ORDERS {
        assert_eq!(played(&with_wait, 2, order), [(50, 0), (50, 0), (70, 40)]);
        assert_eq!(played(&with_group, 2, order), [(50, 0); 3]);
    }
}

/// Task A waits from 1 to 10. Meanwhile its thread begins a grandchild of 100 ticks, so A goes on
/// later, although the other thread has no task. With libgomp, the other thread executes that one.
#[test]
fn a_tied_task_goes_on_on_its_own_thread() {
    use Step::{Barrier, Create, Taskwait, Work};
    let a: &[Step] = &[Create(1), Work(1), Taskwait, Work(30)];
    let mut graph = graph(&[Create(0), Barrier], &[a, &[Create(2), Work(10)], &[Work(100)]]);
    for order in ORDERS {
        assert_eq!(played(&graph, 2, order), [(101, 0), (131, 91), (110, 9)]);
    }
    graph.set_untied(0);
    for order in ORDERS {
        assert_eq!(played(&graph, 2, order), [(101, 0), (101, 0), (110, 9)]);
    }
}

/// The untied task is executed at once, and goes on on the other thread at 10. Its creator waits for
/// it, and goes on at 17 on its own thread.
#[test]
fn the_creator_of_an_untied_task_waits_for_it_on_its_own_thread() {
    use Step::{Barrier, Create, Execute, Taskwait, Work};
    let task: &[Step] = &[Create(1), Work(1), Taskwait, Work(7)];
    let mut graph = graph(&[Execute(0), Work(5), Barrier], &[task, &[Work(10)]]);
    graph.set_untied(0);
    for order in ORDERS {
        assert_eq!(played(&graph, 2, order), [(22, 0); 3]);
        assert_eq!(played(&graph, 1, order), [(23, 0); 3]);
    }
}

/// Each thread has two implicit tasks, which wait for their own tasks.
#[test]
fn a_thread_executes_several_implicit_tasks_one_after_the_other() {
    use Step::{Barrier, Create, Taskwait, Work};
    let mut graph = TaskGraph::default();
    for task in 0..4 {
        graph.give_implicit(&[Create(task), Work(3), Taskwait, Barrier, Work(2)]);
        assert_eq!(graph.add(), task);
        graph.give(task, &[Work(10)]);
    }
    assert_eq!(times(&graph, 0, &[1, 4]), [60, 15].map(Some));
    let [untied, openmp, libgomp] = played(&graph, 2, Order::Oldest);
    assert_eq!((untied, openmp, libgomp), ((30, 0), (30, 0), (30, 0)));
}

#[test]
fn tasks_of_equal_length_need_rounds() {
    use Step::{Create, Taskwait, Work};
    let task: &[Step] = &[Work(10)];
    let creator: &[Step] = &[Create(0), Create(1), Create(2), Create(3), Create(4), Taskwait];
    let five = graph(creator, &[task; 5]);
    assert_eq!(times(&five, 0, &[1, 2, 3, 5, 9]), [50, 30, 20, 10, 10].map(Some));
    // Each start costs 2 ticks.
    assert_eq!(times(&five, 2, &[1, 2, 3, 5, 9]), [60, 36, 24, 12, 12].map(Some));
}

/// Creating one takes 10 ticks and executing it 25, so 2.5 threads are fed next to the creator. More
/// than four threads have no use.
#[test]
fn a_slow_creator_limits_the_threads() {
    let mut creator = Vec::new();
    (0..30).for_each(|task| creator.extend([Step::Work(10), Step::Create(task)]));
    let task: &[Step] = &[Step::Work(25)];
    let all = graph(&creator, &[task; 30]);
    assert_eq!(times(&all, 0, &[1, 4, 5, 100]), [1050, 325, 325, 325].map(Some));
    assert_eq!(span(&all, 0), Some(325));
}

#[test]
fn waits_and_groups_order_the_tasks() {
    use Step::{Create, Execute, GroupBegin, GroupEnd, Taskwait, Work};
    // The grandchild is no child of the first task, but it is in its group.
    let tasks: [&[Step]; 2] = [&[Create(1), Work(1)], &[Work(100)]];
    let with_wait = graph(&[Create(0), Taskwait, Work(5)], &tasks);
    assert_eq!(span(&with_wait, 0), Some(100));
    let with_group = graph(&[GroupBegin, Create(0), GroupEnd, Work(5)], &tasks);
    assert_eq!(span(&with_group, 0), Some(105));
    // A task that its creator executes is a part of its chain, and has no start.
    let executed = graph(&[Work(3), Execute(0), Work(5)], &[&[Work(7)]]);
    assert_eq!(times(&executed, 50, &[1, 2]), [15, 15].map(Some));
}

/// Task 1 comes after task 0, task 3 after tasks 1 and 2. Longest chain: 10 + 20 + 5.
#[test]
fn dependences_order_the_tasks() {
    use Step::{After, Create, Taskwait, Work};
    let creator = [
        Create(0),
        After(0),
        Create(1),
        Create(2),
        After(1),
        After(2),
        Create(3),
        Taskwait,
        Work(1),
    ];
    let tasks: [&[Step]; 4] = [&[Work(10)], &[Work(20)], &[Work(12)], &[Work(5)]];
    let all = graph(&creator, &tasks);
    assert_eq!(times(&all, 0, &[1, 2, 3]), [48, 36, 36].map(Some));
    assert_eq!(span(&all, 0), Some(36));
}

/// The creator executes task 1 at once, but waits for task 0 first.
#[test]
fn a_task_that_its_creator_executes_waits_for_those_before_it() {
    use Step::{After, Create, Execute, Work};
    let creator = [Create(0), After(0), Execute(1), Work(3)];
    let all = graph(&creator, &[&[Work(10)], &[Work(20)]]);
    assert_eq!(times(&all, 0, &[1, 2]), [33, 33].map(Some));
}

#[test]
fn implicit_tasks_meet_at_barriers_and_execute_tasks_there() {
    let mut graph = TaskGraph::default();
    let task = graph.add();
    graph.give_implicit(&[Step::Create(task), Step::Work(10), Step::Barrier, Step::Work(1)]);
    graph.give_implicit(&[Step::Work(4), Step::Barrier, Step::Work(2)]);
    graph.give(task, &[Step::Work(20)]);
    // Two threads: the task runs from 4 to 24. One thread: everything, one after the other.
    assert_eq!(times(&graph, 0, &[1, 2, 3]), [37, 26, 22].map(Some));
}

#[test]
fn a_graph_with_a_missing_task_has_no_time() {
    let lonely = graph(&[Step::Work(1)], &[&[Step::Work(1)]]);
    assert_eq!(times(&lonely, 0, &[1]), [None], "nothing creates it");
    let other = graph(&[Step::Create(0), Step::Create(7), Step::Taskwait, Step::GroupEnd], &[]);
    assert_eq!(times(&other, 0, &[1]), [Some(0)], "tasks that there are not");
}

/// Makes random programs, and knows their work.
pub(super) struct Random {
    state: u64,
    pub graph: TaskGraph,
    /// The steps of the explicit and of the implicit tasks.
    explicit: Vec<Vec<Step>>,
    implicit: Vec<Vec<Step>>,
    work: u64,
    created: u64,
}

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.state >> 33) % limit
    }

    fn task(&mut self, depth: u64) -> u32 {
        let task = self.graph.add();
        self.explicit.push(Vec::new());
        let steps = self.steps(depth);
        self.graph.give(task, &steps);
        self.explicit[task as usize] = steps;
        task
    }

    /// A task comes after some of those that the same task has created before.
    fn some_of(&mut self, siblings: &[u32]) -> Vec<Step> {
        let mut some = Vec::new();
        for sibling in siblings {
            if self.below(3) == 0 {
                some.push(Step::After(*sibling));
            }
        }
        some
    }

    fn steps(&mut self, depth: u64) -> Vec<Step> {
        let (mut steps, mut siblings) = (Vec::new(), Vec::new());
        for _ in 0..self.below(7) {
            match self.below(8) {
                0..=2 => {
                    let ticks = self.below(40);
                    self.work += ticks;
                    steps.push(Step::Work(ticks));
                }
                3 | 4 if depth > 0 => {
                    self.created += 1;
                    let child = self.task(depth - 1);
                    steps.extend(self.some_of(&siblings));
                    if self.below(8) == 0 {
                        self.graph.set_untied(child);
                    }
                    steps.push(Step::Create(child));
                    siblings.push(child);
                }
                5 if depth > 0 => {
                    let child = self.task(depth - 1);
                    steps.extend(self.some_of(&siblings));
                    steps.push(Step::Execute(child));
                    siblings.push(child);
                }
                6 if depth > 0 => {
                    steps.push(Step::GroupBegin);
                    steps.extend(self.steps(depth - 1));
                    steps.push(Step::GroupEnd);
                }
                _ => steps.push(Step::Taskwait),
            }
        }
        steps
    }
}

pub(super) fn random(seed: u64) -> Random {
    let (explicit, implicit) = (Vec::new(), Vec::new());
    let graph = TaskGraph::default();
    let mut all = Random { state: seed, graph, explicit, implicit, work: 0, created: 0 };
    for _ in 0..seed % 3 + 1 {
        let mut steps = all.steps(4);
        steps.push(Step::Barrier);
        steps.extend(all.steps(3));
        all.graph.give_implicit(&steps);
        all.implicit.push(steps);
    }
    all
}

/// The longest chain of a program, by its steps alone: the end of a task that begins at a time, and
/// the latest end of all tasks that were created from it.
struct Chains<'a> {
    steps: &'a [Vec<Step>],
    start: u64,
    latest: u64,
    /// Ends of tasks, and the latest one that the next task comes after.
    ends: HashMap<u32, u64>,
    before: u64,
}

impl Chains<'_> {
    /// Returns the end, and the latest end of the tasks in the group around.
    fn task(&mut self, task: u32, begin: u64) -> (u64, u64) {
        let all = self.steps;
        let steps = &all[task as usize];
        let mut state = (begin, 0, vec![0]);
        for step in steps {
            self.step(*step, &mut state);
        }
        let (end, _, groups) = state;
        self.latest = self.latest.max(end);
        self.ends.insert(task, end);
        (end, groups[0].max(end))
    }

    fn step(&mut self, step: Step, (now, children, groups): &mut (u64, u64, Vec<u64>)) {
        match step {
            Step::Work(ticks) => *now += ticks,
            Step::Create(child) | Step::Execute(child) => {
                let is_executed = step == Step::Execute(child);
                let begin = (*now).max(std::mem::take(&mut self.before));
                let begin = begin + if is_executed { 0 } else { self.start };
                let (end, of_group) = self.task(child, begin);
                *children = (*children).max(end);
                let group = groups.last_mut().unwrap();
                *group = (*group).max(of_group);
                if is_executed {
                    *now = end;
                }
            }
            Step::Taskwait => *now = (*now).max(*children),
            Step::GroupBegin => groups.push(0),
            Step::GroupEnd => *now = (*now).max(groups.pop().unwrap()),
            Step::After(other) => self.before = self.before.max(self.ends[&other]),
            Step::Barrier | Step::End => {}
            step => unreachable!("{step:?} is in no program"),
        }
    }
}

fn chain(program: &Random, start: u64) -> u64 {
    let mut chains =
        Chains { steps: &program.explicit, start, latest: 0, ends: HashMap::new(), before: 0 };
    let mut states = vec![(0, 0, vec![0]); program.implicit.len()];
    for phase in 0..2 {
        for (steps, state) in program.implicit.iter().zip(&mut states) {
            let mut parts = steps.split(|step| *step == Step::Barrier);
            for step in parts.nth(phase).unwrap() {
                chains.step(*step, state);
            }
            chains.latest = chains.latest.max(state.0);
        }
        states.iter_mut().for_each(|state| state.0 = chains.latest);
    }
    chains.latest
}

/// One thread takes as long as the work, any number at least the share of it and the longest chain.
/// If all tasks are untied, any number takes at most the sum of both. What tied tasks take longer is
/// not more than the time in which a thread was kept from a ready task, or woke up for it.
#[test]
fn random_programs_keep_the_bounds() {
    let (mut tasks, mut kept) = (0, 0);
    for seed in 0..500 {
        let program = random(seed);
        let (start_ticks, wake_ticks) = (seed % 4, seed % 7);
        tasks += program.graph.tasks();
        assert!(program.graph.is_complete(), "seed {seed}");
        let work = program.work + program.created * start_ticks;
        let longest = chain(&program, start_ticks);
        assert_eq!(span(&program.graph, start_ticks), Some(longest), "seed {seed}");
        let ways = ORDERS.into_iter().flat_map(|order| RULES.map(|rule| (order, rule)));
        for ((order, rule), threads) in ways.flat_map(|it| (1..9).map(move |n| (it, n))) {
            let simulation = Simulation { threads, order, rule, start_ticks, wake_ticks };
            let played = simulation.run(&program.graph).unwrap();
            let (time, held) = (played.ticks, played.held_ticks + played.waking_ticks);
            let share = work.div_ceil(threads as u64);
            let what = format!("seed {seed}, {threads} threads, {order:?}, {rule:?}: {time}");
            assert!(time >= share.max(longest), "{what} < {share}, {longest}");
            assert!(time <= share + longest + held, "{what} > {share} + {longest} + {held}");
            assert!(threads > 1 || time == work, "{what} is not {work}");
            assert!(rule != Rule::Untied || held == 0, "{what}, {held} held");
            kept += usize::from(played.held_ticks > 0);
        }
    }
    assert!(tasks > 2_000, "{tasks}");
    assert!(kept > 1_000, "{kept}");
}
