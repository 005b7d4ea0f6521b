//! Runs a task graph on any number of threads: a thread that has no task takes one that is ready.
//! Runtime libraries take the newest task or the oldest one, so both are there; real ones lie
//! between.
//!
//! A tied task goes on only on the thread that has begun it, and while it waits there, its thread
//! may not begin all tasks ([`Rule`]). A thread executes a task on the stack of the one that waits,
//! so that one goes on after the other has ended.
//!
//! If all tasks are untied, no thread is without a task while one is ready. So the time is at most
//! work / threads + span, and at least the larger one of these two. With the other rules, which
//! are those of real libraries, a thread that has no task needs time to wake up. Meanwhile the
//! creator of a task may come to a scheduling point and begin the task itself: in a recursion this
//! decides which thread executes which part of the tree. The time in which a thread is kept from a
//! ready task, by its rule or because it wakes up ([`Played`]), explains what is longer than work
//! / threads + span.

mod bits;
mod pool;
mod seek;
mod threads;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use pompeii_replay::hash::Table;

use super::graph::{Step, TaskGraph};
use pool::Pool;
use threads::Threads;

/// Which of the tasks that have not begun a thread takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The newest one.
    Newest,
    /// The oldest one.
    Oldest,
}

/// Which tasks a thread may execute while a task of it waits for others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// All tasks are untied: any task, and any thread may go on with a task that has waited.
    Untied,
    /// OpenMP's task scheduling constraint (5.2, section 12.9): descendants of the tied tasks that
    /// are suspended on the thread, unless these are at a barrier; untied tasks always.
    #[default]
    OpenMp,
    /// What libgomp does, in which all tasks are tied: at a taskwait the newest child of the
    /// waiting task; at the end of a taskgroup its newest task, or a child; at a barrier the oldest
    /// task of the team. There is no other order.
    Libgomp,
}

/// How a graph is run.
#[derive(Clone, Copy, Debug)]
pub struct Simulation {
    /// Threads.
    pub threads: usize,
    /// Which task a thread takes.
    pub order: Order,
    /// Which tasks it may take.
    pub rule: Rule,
    /// What it costs a thread to begin an explicit task, in ticks.
    pub start_ticks: u64,
    /// What a thread that had no task needs until it can begin one, its beginning included, in
    /// ticks. If it is less than `start_ticks`, the thread chooses a task after that, and begins it
    /// then. Untied tasks need no time for it.
    pub wake_ticks: u64,
}

/// What a run of a graph took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// Time of the run.
    pub ticks: u64,
    /// Time in which a thread had no task although one was ready, because the rule kept the thread
    /// from it.
    pub held_ticks: u64,
    /// Further time in which a task was ready and a thread woke up to begin it.
    pub waking_ticks: u64,
}

impl Simulation {
    /// What the graph takes. `None` if it does not come to its end: tasks are missing, or wait for
    /// each other.
    pub fn run(self, graph: &TaskGraph) -> Option<Played> {
        self.play(graph, Execution::Alone)
    }

    fn play(self, graph: &TaskGraph, execution: Execution) -> Option<Played> {
        let mut run = Run::new(graph, self, execution);
        run.begin();
        while let Some(Reverse((time, sequence, event))) = run.events.pop() {
            run.come_to(time);
            match event {
                Event::Worked(task) => run.go_on(task),
                Event::Awake(thread) => run.come_awake(thread, sequence),
            }
            run.take_tasks();
        }
        (run.done == graph.tasks()).then_some(run.played)
    }
}

/// Longest chain of a graph: its time with a thread for each task.
pub fn span(graph: &TaskGraph, start_ticks: u64) -> Option<u64> {
    chain(graph, start_ticks, Execution::Chain)
}

/// The same if one thread executes all tasks that were put together into one.
pub fn span_alone(graph: &TaskGraph, start_ticks: u64) -> Option<u64> {
    chain(graph, start_ticks, Execution::Alone)
}

fn chain(graph: &TaskGraph, start_ticks: u64, execution: Execution) -> Option<u64> {
    let (threads, order, rule) = (usize::MAX, Order::Oldest, Rule::Untied);
    let simulation = Simulation { threads, order, rule, start_ticks, wake_ticks: 0 };
    Some(simulation.play(graph, execution)?.ticks)
}

/// Who executes tasks that were put together into one ([`super::collapse`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Execution {
    /// One thread.
    Alone,
    /// A thread for each of them.
    Chain,
}

/// Why a task does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    Nothing,
    Children,
    Group,
    Barrier,
    /// For the task that it has created and its thread executes.
    Executed,
}

/// What happens at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A task has done its work, or its begin.
    Worked(u32),
    /// A thread has woken up.
    Awake(u32),
}

/// No task, no taskgroup, and no thread.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Task {
    /// Its next step.
    place: usize,
    parent: u32,
    /// Children that are not done.
    children: u32,
    /// The taskgroup that it was created in, and the one that it is in now.
    member_of: u32,
    group: u32,
    /// The thread that executes it, or has executed it last.
    thread: u32,
    /// The last event before threads could begin it.
    offered: u64,
    waits: Waits,
    /// Its parent goes on when it is done.
    is_executed: bool,
    is_tied: bool,
    is_done: bool,
    /// Tasks that it comes after and that are not done.
    after: u32,
}

#[derive(Clone, Copy, Debug)]
struct Group {
    /// The group around it.
    outer: u32,
    /// Tasks that are not done.
    open: u32,
    /// The task that waits for them.
    waiter: u32,
}

struct Run<'a> {
    graph: &'a TaskGraph,
    how: Simulation,
    execution: Execution,
    tasks: Vec<Task>,
    groups: Vec<Group>,
    /// The tasks that come after a task which is not done.
    next: Table<u32, Vec<u32>>,
    /// What the task comes after that is created next.
    before: Vec<u32>,
    threads: Threads,
    /// What happens later, by its time. Events of the same time are in the order in which they were
    /// foreseen.
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    sequence: u64,
    /// Tasks that can begin.
    pool: Pool,
    /// Those of them that threads with suspended tasks have not looked at.
    created: Vec<u32>,
    /// Untied tasks that can go on.
    resumed: VecDeque<u32>,
    /// By thread: implicit tasks that can begin, or go on after a barrier.
    implicit: Vec<VecDeque<u32>>,
    /// Threads that may find a task.
    seeking: Vec<u32>,
    /// Threads that wake up.
    waking: usize,
    now: u64,
    played: Played,
    done: usize,
    /// Tied tasks that can go on, the implicit ones that can begin included.
    tied_ready: usize,
    /// Explicit tasks that are created and not done.
    live: usize,
    /// Implicit tasks at the barrier, and those that are not done.
    arrived: Vec<u32>,
    implicit_left: u32,
}

impl<'a> Run<'a> {
    fn new(graph: &'a TaskGraph, how: Simulation, execution: Execution) -> Run<'a> {
        let implicit = graph.implicit();
        let task = |(number, place): (u32, usize)| Task {
            place,
            parent: NONE,
            children: 0,
            member_of: NONE,
            group: NONE,
            thread: NONE,
            offered: 0,
            waits: Waits::Nothing,
            is_executed: false,
            is_done: false,
            after: 0,
            is_tied: match how.rule {
                Rule::Untied => false,
                Rule::OpenMp => number < implicit || !graph.is_untied(number),
                Rule::Libgomp => true,
            },
        };
        let order = if how.rule == Rule::Libgomp { Order::Oldest } else { how.order };
        Run {
            graph,
            how,
            execution,
            tasks: (0..).zip(graph.begins()).map(task).collect(),
            groups: Vec::new(),
            next: Table::default(),
            before: Vec::new(),
            threads: Threads::new(how.threads, graph.tasks()),
            events: BinaryHeap::new(),
            sequence: 0,
            pool: Pool::new(graph, how.rule, order),
            created: Vec::new(),
            resumed: VecDeque::new(),
            implicit: Vec::new(),
            seeking: Vec::new(),
            waking: 0,
            now: 0,
            played: Played { ticks: 0, held_ticks: 0, waking_ticks: 0 },
            done: 0,
            tied_ready: 0,
            live: 0,
            arrived: Vec::new(),
            implicit_left: implicit,
        }
    }

    /// The implicit tasks begin. If there are more of them than threads, a thread executes several,
    /// one after the other.
    fn begin(&mut self) {
        let implicit = self.graph.implicit();
        while self.seeking.len() < implicit as usize
            && let Some(thread) = self.threads.begin()
        {
            self.seeking.push(thread);
            self.implicit.push(VecDeque::new());
        }
        for task in 0..implicit {
            self.tasks[task as usize].thread = task % self.seeking.len() as u32;
            self.resume(task);
        }
        self.take_tasks();
    }

    /// Time goes on.
    fn come_to(&mut self, time: u64) {
        let ready = self.pool.len() + self.resumed.len() + self.tied_ready;
        let Played { ticks, held_ticks, waking_ticks } = &mut self.played;
        if ready > self.waking && self.threads.has_idle() {
            *held_ticks = held_ticks.saturating_add(time - self.now);
        } else if ready > 0 && self.waking > 0 {
            *waking_ticks = waking_ticks.saturating_add(time - self.now);
        }
        (self.now, *ticks) = (time, time);
    }

    fn foresee(&mut self, ticks: u64, event: Event) {
        self.sequence += 1;
        self.events.push(Reverse((self.now.saturating_add(ticks), self.sequence, event)));
    }

    /// A thread executes a task up to its next work, its next wait or its end.
    fn go_on(&mut self, task: u32) {
        let mut task = task;
        loop {
            let place = self.tasks[task as usize].place;
            let step = self.graph.step(place);
            self.tasks[task as usize].place = place.saturating_add(1);
            match step {
                Step::Work(_)
                | Step::Alone(_)
                | Step::AloneStarts(_)
                | Step::Chain(_)
                | Step::ChainStarts(_) => match self.work(step) {
                    0 => {}
                    ticks => return self.foresee(ticks, Event::Worked(task)),
                },
                Step::After(other) => self.before.extend(self.graph.place(other)),
                Step::Create(child) => {
                    let child = self.create(task, child);
                    child.into_iter().for_each(|child| self.offer(child));
                }
                Step::Execute(child) => {
                    let Some(child) = self.create(task, child) else { continue };
                    self.execute(task, child);
                    if self.tasks[child as usize].after > 0 {
                        return self.seeking.push(self.tasks[task as usize].thread);
                    }
                    task = child;
                }
                Step::Taskwait if self.tasks[task as usize].children == 0 => {}
                Step::Taskwait => return self.wait(task, Waits::Children),
                Step::GroupBegin => self.begin_group(task),
                Step::GroupEnd => {
                    if !self.end_group(task) {
                        return self.wait(task, Waits::Group);
                    }
                }
                Step::Barrier => {
                    self.arrived.push(task);
                    self.wait(task, Waits::Barrier);
                    return self.leave_barrier();
                }
                Step::End => match self.end(task) {
                    Some(parent) => task = parent,
                    None => return,
                },
            }
        }
    }

    /// For how long a task works in a step, in ticks.
    fn work(&self, step: Step) -> u64 {
        let starts = |number: u64| number.saturating_mul(self.how.start_ticks);
        match (step, self.execution) {
            (Step::Work(ticks), _)
            | (Step::Alone(ticks), Execution::Alone)
            | (Step::Chain(ticks), Execution::Chain) => ticks,
            (Step::AloneStarts(number), Execution::Alone)
            | (Step::ChainStarts(number), Execution::Chain) => starts(number),
            _ => 0,
        }
    }

    /// A task waits. The thread may find another one.
    fn wait(&mut self, task: u32, waits: Waits) {
        let of = &mut self.tasks[task as usize];
        of.waits = waits;
        let thread = of.thread;
        if of.is_tied && waits != Waits::Barrier {
            self.threads.suspend(thread, task);
        }
        self.seeking.push(thread);
    }

    /// The thread of a task executes a child of it first.
    fn execute(&mut self, task: u32, child: u32) {
        let of = &mut self.tasks[task as usize];
        of.waits = Waits::Executed;
        let thread = of.thread;
        if of.is_tied {
            self.threads.suspend(thread, task);
        }
        let of = &mut self.tasks[child as usize];
        (of.is_executed, of.thread) = (true, thread);
    }

    /// A task can go on, on any thread or on its own one.
    fn resume(&mut self, task: u32) {
        let of = &mut self.tasks[task as usize];
        let waited = std::mem::replace(&mut of.waits, Waits::Nothing);
        let Task { is_tied, thread, .. } = *of;
        if !is_tied {
            self.resumed.push_back(task);
            return;
        }
        self.tied_ready += 1;
        if matches!(waited, Waits::Nothing | Waits::Barrier) {
            self.implicit[thread as usize].push_back(task);
        }
        self.wake(thread);
    }

    /// Returns the place of a task that is created: none if there is no such task, or it was
    /// created before.
    fn create(&mut self, parent: u32, number: u32) -> Option<u32> {
        let before = std::mem::take(&mut self.before);
        let group = self.tasks[parent as usize].group;
        let child = self.graph.place(number)?;
        let new = self.tasks.get_mut(child as usize).filter(|it| it.parent == NONE)?;
        (new.parent, new.member_of, new.group) = (parent, group, group);
        self.tasks[parent as usize].children += 1;
        if let Some(group) = self.groups.get_mut(group as usize) {
            group.open += 1;
        }
        self.live += 1;
        for before in before {
            if !self.tasks[before as usize].is_done {
                self.tasks[child as usize].after += 1;
                self.next.entry(before).or_default().push(child);
            }
        }
        Some(child)
    }

    /// A thread can begin a task that is created, unless it comes after others.
    fn offer(&mut self, task: u32) {
        if self.tasks[task as usize].after == 0 {
            self.tasks[task as usize].offered = self.sequence;
            self.pool.add(self.ready(task));
            self.created.push(task);
        }
    }

    /// A task is done: others that come after it can begin.
    fn offer_next(&mut self, task: u32) {
        self.tasks[task as usize].is_done = true;
        for next in self.next.remove(&task).unwrap_or_default() {
            self.tasks[next as usize].after -= 1;
            self.offer(next);
        }
    }

    fn begin_group(&mut self, task: u32) {
        let outer = self.tasks[task as usize].group;
        self.tasks[task as usize].group = self.groups.len() as u32;
        self.groups.push(Group { outer, open: 0, waiter: NONE });
    }

    /// Whether the innermost group of the task has no task any more; it is over then. A task that
    /// has begun none is not in that of its creator.
    fn end_group(&mut self, task: u32) -> bool {
        let Task { group, member_of, .. } = self.tasks[task as usize];
        if group == member_of {
            return true;
        }
        let of = &mut self.groups[group as usize];
        if of.open > 0 {
            of.waiter = task;
            return false;
        }
        self.tasks[task as usize].group = of.outer;
        true
    }

    /// A task is done. Returns its parent if the thread goes on with that.
    fn end(&mut self, task: u32) -> Option<u32> {
        let Task { parent, member_of, thread, is_executed, .. } = self.tasks[task as usize];
        self.done += 1;
        self.offer_next(task);
        if task < self.graph.implicit() {
            self.implicit_left -= 1;
        } else {
            self.live -= 1;
            self.end_child(parent, member_of);
        }
        self.leave_barrier();
        if is_executed && let Some(parent) = self.end_executed(parent, thread) {
            return Some(parent);
        }
        self.seeking.push(thread);
        None
    }

    /// The thread of a task that was executed at once goes on with the parent, unless that is tied
    /// to another thread: the task is untied then, and has moved.
    fn end_executed(&mut self, parent: u32, thread: u32) -> Option<u32> {
        let of = &mut self.tasks[parent as usize];
        if of.is_tied && self.threads.top(thread) != Some(parent) {
            self.resume(parent);
            return None;
        }
        if of.is_tied {
            self.threads.resume(thread);
        }
        (of.waits, of.thread) = (Waits::Nothing, thread);
        Some(parent)
    }

    fn end_child(&mut self, parent: u32, group: u32) {
        let of = &mut self.tasks[parent as usize];
        of.children -= 1;
        if of.children == 0 && of.waits == Waits::Children {
            self.resume(parent);
        }
        let Some(of) = self.groups.get_mut(group as usize) else { return };
        of.open -= 1;
        let Group { open, waiter, outer } = *of;
        if open == 0 && waiter != NONE {
            self.tasks[waiter as usize].group = outer;
            self.resume(waiter);
        }
    }

    /// All implicit tasks leave the barrier if all are there, and no explicit task is left.
    fn leave_barrier(&mut self) {
        let are_all_here = self.arrived.len() as u32 == self.implicit_left;
        if are_all_here && self.live == 0 {
            for task in std::mem::take(&mut self.arrived) {
                self.resume(task);
            }
        }
    }
}
