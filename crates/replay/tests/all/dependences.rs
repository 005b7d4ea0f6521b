//! Scenarios of random programs with `depend` clauses. A thread creates tasks, and each thread
//! executes its own ones in the order of their creation. So a program does the same if its tasks
//! take another time, and scenarios predict it exactly. Which tasks come before which others is
//! found here by comparing all pairs.

use std::fmt::Write;

use pompeii_replay::scenario::{Scaled, Scenario, Scenarios, UNIT};
use pompeii_replay::text::{self, TextTrace};
use pompeii_replay::transport::local::Local;
use pompeii_replay::{Options, Sinks, replay_on};

use crate::generate::numbers::Numbers;

/// How a task uses an address. Tasks may exclude each other; here they keep the order of their
/// creation then.
const KINDS: [&str; 4] = ["in", "inout", "inoutset", "mutexinoutset"];

/// Constructs of tasks.
const CONSTRUCTS: u64 = 3;

struct Task {
    construct: u64,
    thread: usize,
    work: u64,
    /// Ticks of its creation.
    creation: u64,
    /// Ticks from the moment at which its thread can begin it to its begin.
    switch: u64,
    /// Kind and address.
    items: Vec<(&'static str, u64)>,
}

fn task(numbers: &mut Numbers, threads: u64) -> Task {
    let mut addresses = [1, 2, 3, 4];
    numbers.shuffle(&mut addresses);
    let items = numbers.below(4) as usize;
    Task {
        construct: 1 + numbers.below(CONSTRUCTS),
        thread: numbers.below(threads) as usize,
        work: 1 + numbers.below(40),
        creation: 1 + numbers.below(4),
        switch: 1 + numbers.below(3),
        items: addresses[..items].iter().map(|address| (numbers.of(&KINDS), *address)).collect(),
    }
}

/// Whether the later one of two tasks begins after the earlier one.
fn is_after(later: &Task, earlier: &Task) -> bool {
    let is_ordered = |a: &str, b: &str| a != b || ["inout", "mutexinoutset"].contains(&a);
    let pairs = later.items.iter().flat_map(|a| earlier.items.iter().map(move |b| (a, b)));
    pairs.into_iter().any(|(a, b)| a.1 == b.1 && is_ordered(a.0, b.0))
}

/// Executes the tasks; those of a construct take a multiple of their time. Returns the trace and its
/// duration.
fn execute(tasks: &[Task], threads: usize, scaled: (u64, u64)) -> (String, u64) {
    let mut logs = vec![String::new(); threads];
    let mut now = vec![0; threads];
    for (thread, log) in logs.iter_mut().enumerate() {
        let fork = if thread == 0 { "fork; " } else { "" };
        writeln!(log, "0 0.{thread} {fork}team A; + parallel").unwrap();
    }
    let mut created = Vec::new();
    for (number, task) in (1..).zip(tasks) {
        let items: String = task.items.iter().map(|(kind, at)| format!(" {kind}:{at}")).collect();
        writeln!(logs[0], "{} 0.0 + task_create", now[0]).unwrap();
        now[0] += task.creation;
        writeln!(logs[0], "{} 0.0 create A 0 {number}{items}; -", now[0]).unwrap();
        created.push(now[0]);
    }
    for (thread, log) in logs.iter_mut().enumerate() {
        writeln!(log, "{} 0.{thread} + ibarrier", now[thread]).unwrap();
    }
    let mut ends: Vec<u64> = Vec::new();
    for (place, task) in tasks.iter().enumerate() {
        let Task { thread, construct, switch, .. } = *task;
        let before = (0..place).filter(|earlier| is_after(task, &tasks[*earlier]));
        let ready = before.map(|earlier| ends[earlier]).max().unwrap_or(0).max(created[place]);
        let begin = ready.max(now[thread]) + switch;
        let end = begin + task.work * if construct == scaled.0 { scaled.1 } else { 1 };
        let (log, number) = (&mut logs[thread], place + 1);
        writeln!(log, "{begin} 0.{thread} switch A 0 {number}; + task:{construct}").unwrap();
        writeln!(log, "{end} 0.{thread} -; done A 0 {number}; switch A {thread} 0").unwrap();
        now[thread] = end;
        ends.push(end);
    }
    let duration = now.iter().max().unwrap() + 1;
    for (thread, log) in logs.iter_mut().enumerate() {
        let join = if thread == 0 { "; join" } else { "" };
        writeln!(log, "{duration} 0.{thread} -; -; endteam A{join}").unwrap();
    }
    let members: Vec<String> = (0..threads).map(|thread| format!("0.{thread}")).collect();
    let head = format!("end {duration}\nteam A = {}\n", members.join(" "));
    (head + &logs.concat(), duration)
}

/// The recorded duration, and those in which tasks of a construct take a multiple of their time.
fn played(trace: &TextTrace, scaled: &[(u64, u64)], threads: usize) -> (i64, Vec<i64>) {
    let regions = &trace.definitions.regions;
    let scenario = |&(construct, factor): &(u64, u64)| {
        let name = format!("task:{construct}");
        let share = factor as i64 * UNIT;
        let scaled = |region| Scaled { region, location: None, share };
        let of_name = regions.ids().filter(|id| regions[*id].name == name);
        let scaled = of_name.map(scaled).collect();
        Scenario { scaled, ..Scenario::default() }
    };
    let mut scenarios = Scenarios::new(scaled.iter().map(scenario).collect());
    let options = Options { threads, window_events: 50, path: true, ..Options::default() };
    let sinks = Sinks { found: &mut |_| {}, tables: None, scenarios: Some(&mut scenarios) };
    let Ok(outcome) = replay_on(&mut Local, trace.trace(), options, sinks);
    scenarios.durations(&outcome.definitions)
}

#[test]
fn programs_with_dependences_take_as_long_as_predicted() {
    let scaled: Vec<(u64, u64)> =
        (1..=CONSTRUCTS).flat_map(|of| [0, 1, 3].map(|factor| (of, factor))).collect();
    let (mut changed, mut bound) = (0, 0);
    for seed in 0..200 {
        let mut numbers = Numbers::new(seed);
        let (threads, many) = (1 + numbers.below(4), 1 + numbers.below(25));
        let tasks: Vec<Task> = (0..many).map(|_| task(&mut numbers, threads)).collect();
        let threads = threads as usize;
        let (text, recorded) = execute(&tasks, threads, (0, 1));
        let trace = text::parse(&text).unwrap();
        for analysed_by in [1, 3] {
            let (own, predicted) = played(&trace, &scaled, analysed_by);
            assert_eq!(own, recorded.cast_signed(), "seed {seed}\n{text}");
            for (scaled, predicted) in scaled.iter().zip(predicted) {
                let again = execute(&tasks, threads, *scaled).1.cast_signed();
                assert_eq!(predicted, again, "seed {seed}, {scaled:?}\n{text}");
                changed += usize::from(again != own);
            }
        }
        let free = |task: Task| Task { items: Vec::new(), ..task };
        let free: Vec<Task> = tasks.into_iter().map(free).collect();
        bound += usize::from(execute(&free, threads, (0, 1)).1 != recorded);
    }
    // Dependences make many of the programs longer.
    assert!(changed > 1_000 && bound > 80, "{changed}, {bound}");
}
