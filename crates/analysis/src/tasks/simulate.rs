//! Runs a task graph on any number of threads: a thread that has no task takes one that is ready.
//! Runtime libraries take the newest task or the oldest one, so both are there; real ones lie
//! between.
//!
//! Any thread may go on with a task that has waited. Tied tasks must go on where they began, which
//! can take longer; that is not simulated. No thread is without a task while one is ready, so
//! the time is at most work / threads + span, and at least the larger one of these two.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use pompeii_replay::hash::Table;

use super::graph::{Step, TaskGraph};

/// Which of the tasks that have not begun a thread takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The newest one.
    Newest,
    /// The oldest one.
    Oldest,
}

/// How a graph is run.
#[derive(Clone, Copy, Debug)]
pub struct Simulation {
    /// Threads.
    pub threads: usize,
    /// Which task a thread takes.
    pub order: Order,
    /// What it costs a thread to begin an explicit task, in ticks.
    pub start_ticks: u64,
}

impl Simulation {
    /// The time that the graph takes, in ticks. `None` if it does not come to its end: tasks are
    /// missing, or wait for each other.
    pub fn run(self, graph: &TaskGraph) -> Option<u64> {
        let mut run = Run::new(graph, self);
        run.begin();
        while let Some(Reverse((time, _, task))) = run.working.pop() {
            run.now = time;
            run.go_on(task);
            run.take_tasks();
        }
        (run.done == graph.tasks()).then_some(run.now)
    }
}

/// Longest chain of a graph: its time with a thread for each task.
pub fn span(graph: &TaskGraph, start_ticks: u64) -> Option<u64> {
    Simulation { threads: usize::MAX, order: Order::Oldest, start_ticks }.run(graph)
}

/// Why a task does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    Nothing,
    Children,
    Group,
    Barrier,
}

/// No task, and no taskgroup.
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
    waits: Waits,
    /// Its parent goes on when it is done.
    is_executed: bool,
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
    tasks: Vec<Task>,
    groups: Vec<Group>,
    /// The tasks that come after a task which is not done.
    next: Table<u32, Vec<u32>>,
    /// What the task comes after that is created next.
    before: Vec<u32>,
    /// Tasks that work, by the time when they have done that. Equal times are in the order in which
    /// the tasks began to work.
    working: BinaryHeap<Reverse<(u64, u64, u32)>>,
    sequence: u64,
    /// Tasks that can go on, and tasks that can begin.
    resumed: VecDeque<u32>,
    fresh: VecDeque<u32>,
    free: usize,
    now: u64,
    done: usize,
    /// Explicit tasks that are created and not done.
    live: usize,
    /// Implicit tasks at the barrier, and those that are not done.
    arrived: Vec<u32>,
    implicit_left: u32,
}

impl<'a> Run<'a> {
    fn new(graph: &'a TaskGraph, how: Simulation) -> Run<'a> {
        let task = |place: usize| Task {
            place,
            parent: NONE,
            children: 0,
            member_of: NONE,
            group: NONE,
            waits: Waits::Nothing,
            is_executed: false,
            is_done: false,
            after: 0,
        };
        Run {
            graph,
            how,
            tasks: graph.begins().map(task).collect(),
            groups: Vec::new(),
            next: Table::default(),
            before: Vec::new(),
            working: BinaryHeap::new(),
            sequence: 0,
            resumed: VecDeque::new(),
            fresh: VecDeque::new(),
            free: how.threads.max(1),
            now: 0,
            done: 0,
            live: 0,
            arrived: Vec::new(),
            implicit_left: graph.implicit(),
        }
    }

    fn begin(&mut self) {
        self.resumed.extend(0..self.graph.implicit());
        self.take_tasks();
    }

    /// Threads without a task take those that are ready. A task that works for no time gives its
    /// thread back at once.
    fn take_tasks(&mut self) {
        while self.free > 0 {
            let fresh = match self.how.order {
                _ if !self.resumed.is_empty() => None,
                Order::Newest => self.fresh.pop_back(),
                Order::Oldest => self.fresh.pop_front(),
            };
            let Some(task) = fresh.or_else(|| self.resumed.pop_front()) else { return };
            self.free -= 1;
            match fresh {
                Some(_) if self.how.start_ticks > 0 => self.work(task, self.how.start_ticks),
                _ => self.go_on(task),
            }
        }
    }

    fn work(&mut self, task: u32, ticks: u64) {
        self.sequence += 1;
        self.working.push(Reverse((self.now.saturating_add(ticks), self.sequence, task)));
    }

    /// A thread executes a task up to its next work, its next wait or its end.
    fn go_on(&mut self, task: u32) {
        let mut task = task;
        loop {
            let place = self.tasks[task as usize].place;
            let step = self.graph.step(place);
            self.tasks[task as usize].place = place.saturating_add(1);
            match step {
                Step::Work(0) => {}
                Step::Work(ticks) => return self.work(task, ticks),
                Step::After(other) => self.before.extend(self.graph.place(other)),
                Step::Create(child) => {
                    if let Some(child) = self.create(task, child) {
                        self.offer(child);
                    }
                }
                Step::Execute(child) => {
                    let Some(child) = self.create(task, child) else { continue };
                    self.tasks[child as usize].is_executed = true;
                    if self.tasks[child as usize].after > 0 {
                        // The thread is free until the tasks before that one are done.
                        self.free += 1;
                        return;
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

    /// The thread has no task any more.
    fn wait(&mut self, task: u32, waits: Waits) {
        self.tasks[task as usize].waits = waits;
        self.free += 1;
    }

    fn resume(&mut self, task: u32) {
        self.tasks[task as usize].waits = Waits::Nothing;
        self.resumed.push_back(task);
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
        self.wait_for_others(child, before);
        Some(child)
    }

    /// The task that is created comes after those that were named before its creation.
    fn wait_for_others(&mut self, child: u32, before: Vec<u32>) {
        for before in before {
            if !self.tasks[before as usize].is_done {
                self.tasks[child as usize].after += 1;
                self.next.entry(before).or_default().push(child);
            }
        }
    }

    /// A thread can begin the task, unless it comes after others.
    fn offer(&mut self, task: u32) {
        let Task { after, is_executed, .. } = self.tasks[task as usize];
        match (after, is_executed) {
            (1.., _) => {}
            (_, true) => self.resumed.push_back(task),
            (_, false) => self.fresh.push_back(task),
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
        let Task { parent, member_of, is_executed, .. } = self.tasks[task as usize];
        self.done += 1;
        self.offer_next(task);
        if task < self.graph.implicit() {
            self.implicit_left -= 1;
        } else {
            self.live -= 1;
            self.end_child(parent, member_of);
        }
        self.leave_barrier();
        if is_executed {
            return Some(parent);
        }
        self.free += 1;
        None
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
