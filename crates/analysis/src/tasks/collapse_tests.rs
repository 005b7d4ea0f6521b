//! Graphs with tasks that were put together, compared with the graphs of all tasks.

use super::collapse::{Collapse, Open};
use super::graph::{Step, TaskGraph};
use super::simulate::{Order, Rule, Simulation, span, span_alone};
use super::simulate_tests::{ORDERS, RULES, graph, random};

fn collapsed(graph: &TaskGraph, limit_ticks: u64, start_ticks: u64) -> TaskGraph {
    Collapse { limit_ticks, start_ticks }.run(graph.clone(), Open::default()).graph
}

/// Number of explicit tasks, T1, Tinf, and the longest chain if nothing is divided.
fn lengths(graph: &TaskGraph, start_ticks: u64) -> (u32, u64, u64, u64) {
    let (order, rule) = (Order::Newest, Rule::Untied);
    let one = Simulation { threads: 1, order, rule, start_ticks, wake_ticks: 0 };
    let work = one.run(graph).unwrap().ticks;
    let spans = (span(graph, start_ticks), span_alone(graph, start_ticks));
    (graph.explicit(), work, spans.0.unwrap(), spans.1.unwrap())
}

/// A task of 1 tick with two tasks of 10 and 20 ticks below it, for which it waits, and then 2 more
/// ticks. Beginning one costs 3. Its chain is 1 + 3 + 20 + 2 + its own begin.
#[test]
fn a_subtree_is_one_task_with_its_work_and_its_chain() {
    use Step::{Barrier, Create, Taskwait, Work};
    let inner: &[Step] = &[Work(1), Create(1), Create(2), Taskwait, Work(2)];
    let all = graph(&[Create(0), Work(4), Barrier], &[inner, &[Work(10)], &[Work(20)]]);
    assert_eq!(lengths(&all, 3), (3, 46, 29, 29));
    assert_eq!(lengths(&collapsed(&all, 39, 3), 3), (1, 46, 29, 42));
    // In all, the inner task and those below it take 33 ticks and two begins.
    // Up to its taskwait it takes 37 ticks in all, and the tasks that it has created take 33.
    assert_eq!(lengths(&collapsed(&all, 37, 3), 3), (1, 46, 29, 42));
    assert_eq!(lengths(&collapsed(&all, 36, 3), 3), (2, 46, 29, 42));
    assert_eq!(lengths(&collapsed(&all, 9, 3), 3), (3, 46, 29, 29));
}

/// Nothing waits for the inner task's children before the barrier.
#[test]
fn a_task_that_does_not_wait_is_no_subtree() {
    use Step::{Barrier, Create, Work};
    let inner: &[Step] = &[Create(1), Work(5)];
    let all = graph(&[Create(0), Barrier], &[inner, &[Work(10)]]);
    assert_eq!(lengths(&collapsed(&all, 1000, 0), 0), (2, 15, 10, 10));
}

/// Tasks of 30, 5 and 5 ticks, which are created at 2, 4 and 6. The chain of the first one ends at
/// 32, which is 26 after the creation of the last one.
#[test]
fn a_sequence_is_created_where_its_last_task_is() {
    use Step::{Barrier, Create, Work};
    let creator = [Work(2), Create(0), Work(2), Create(1), Work(2), Create(2), Work(1), Barrier];
    let small: &[Step] = &[Work(5)];
    let all = graph(&creator, &[&[Work(30)], small, small]);
    assert_eq!(lengths(&all, 0), (3, 47, 32, 32));
    assert_eq!(lengths(&collapsed(&all, 44, 0), 0), (1, 47, 32, 46));
    let two = collapsed(&all, 43, 0);
    assert_eq!(lengths(&two, 0), (2, 47, 32, 39), "40 ticks, and 4 of the creator");
}

/// A task creates one of 10 ticks and waits, twice, and works for 1 tick during the first one.
/// Beginning one costs 3 ticks.
#[test]
fn a_part_that_ends_with_a_taskwait_is_executed_by_its_creator() {
    use Step::{Barrier, Create, Taskwait, Work};
    let creator = [Create(0), Work(1), Taskwait, Create(1), Taskwait, Work(5), Barrier];
    let task: &[Step] = &[Work(10)];
    let all = graph(&creator, &[task; 2]);
    assert_eq!(lengths(&all, 3), (2, 32, 31, 31));
    assert_eq!(lengths(&collapsed(&all, 27, 3), 3), (0, 32, 31, 32));
    // Both parts, each by itself: one takes 14 ticks, and one 13.
    assert_eq!(lengths(&collapsed(&all, 26, 3), 3), (0, 32, 31, 32));
    assert_eq!(lengths(&collapsed(&all, 13, 3), 3), (1, 32, 31, 31));
    assert_eq!(lengths(&collapsed(&all, 12, 3), 3), (2, 32, 31, 31));
}

/// A taskgroup and a task that others come after end a sequence.
#[test]
fn tasks_with_an_order_are_in_no_sequence() {
    use Step::{After, Barrier, Create, GroupBegin, GroupEnd, Work};
    let task: &[Step] = &[Work(10)];
    for between in [GroupBegin, GroupEnd] {
        let all = graph(&[Create(0), between, Create(1), Barrier], &[task; 2]);
        assert_eq!(collapsed(&all, 1000, 0).explicit(), 2, "{between:?}");
    }
    let all = graph(&[Create(0), Create(1), After(1), Create(2), Barrier], &[task; 3]);
    assert_eq!(lengths(&collapsed(&all, 1000, 0), 0), (3, 30, 20, 20));
}

/// What open tasks say later has the new numbers: the second task comes after the first one, and is
/// not done yet. The other ones are a sequence.
#[test]
fn open_tasks_go_on_with_the_new_numbers() {
    use Step::{After, Barrier, Create, Work};
    let mut all = graph(&[], &[&[Work(7)], &[Work(7)], &[Work(10)]]);
    let live = all.add();
    let mut open = vec![Create(0), Create(1), Create(2), Create(live)];
    let numbers = vec![live];
    let how = Collapse { limit_ticks: 1000, start_ticks: 0 };
    let new = how.run(all, Open { steps: vec![&mut open], numbers, named: vec![2] });
    assert_eq!((new.number(0), new.number(1)), (None, None));
    let (before, live) = (new.number(2).unwrap(), new.number(live).unwrap());
    let mut graph = new.graph;
    let next = graph.add();
    graph.give(live, &[Work(1)]);
    graph.give(next, &[Work(20)]);
    graph.give_implicit(&[&open[..], &[After(before), Create(next), Barrier]].concat());
    assert_eq!(lengths(&graph, 0), (4, 45, 30, 30));
}

/// For random programs and several limits: T1 and Tinf are those of all tasks, and the simulated
/// times of both graphs are between the bounds that are given.
#[test]
fn random_programs_keep_work_and_span() {
    let mut fewer = 0;
    for seed in 0..200 {
        let program = random(seed).graph;
        let start_ticks = seed % 4;
        let (tasks, work, longest, _) = lengths(&program, start_ticks);
        for limit in [30, 100, u64::MAX] {
            let small = collapsed(&program, limit, start_ticks);
            let (left, small_work, small_span, alone) = lengths(&small, start_ticks);
            let what = format!("seed {seed}, limit {limit}");
            assert_eq!((small_work, small_span), (work, longest), "{what}");
            assert!(left <= tasks && alone >= longest, "{what}: {left} of {tasks}, {alone}");
            fewer += tasks - left;
            for (order, threads) in ORDERS.into_iter().flat_map(|it| [(it, 2), (it, 5)]) {
                let simulation =
                    Simulation { threads, order, rule: Rule::Untied, start_ticks, wake_ticks: 0 };
                let share = work.div_ceil(threads as u64);
                let bounds = share.max(longest)..=share + alone;
                for times in [&program, &small].map(|of| simulation.run(of).unwrap().ticks) {
                    assert!(bounds.contains(&times), "{what}: {times} {bounds:?}");
                }
                for rule in RULES {
                    let simulation = Simulation { rule, wake_ticks: seed % 7, ..simulation };
                    let played = simulation.run(&small).unwrap();
                    let most = bounds.end() + played.held_ticks + played.waking_ticks;
                    assert!((*bounds.start()..=most).contains(&played.ticks), "{what}: {played:?}");
                }
            }
        }
    }
    assert!(fewer > 500, "{fewer}");
}
