//! Tasks that can begin, and which of them a thread takes whose suspended task waits.
//!
//! Tasks are in the order in which they became ready. A thread that may not take all of them needs
//! an order of its own: under the rule of OpenMP that of the program, in which the descendants of a
//! task come directly after it; under that of libgomp the children of each task and the tasks of
//! each taskgroup. A task that was taken by another way stays in these orders until it is found.

use std::collections::VecDeque;

use super::super::graph::{Step, TaskGraph};
use super::bits::Bits;
use super::{NONE, Order, Rule};

/// Tasks that can begin.
#[derive(Debug)]
pub(super) struct Pool {
    order: Order,
    /// By task: whether it can begin.
    is_ready: Vec<bool>,
    ready: usize,
    /// In the order in which they became ready.
    queue: VecDeque<u32>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// Any thread may take any task.
    Untied,
    OpenMp(Descendants),
    Libgomp(Lists),
}

/// A task, and what decides which threads may take it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ready {
    pub task: u32,
    pub parent: u32,
    /// The taskgroup in which it was created.
    pub group: u32,
    pub is_untied: bool,
}

/// Where a thread's task waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiter {
    /// The suspended task.
    pub task: u32,
    /// The taskgroup whose end it waits for.
    pub group: Option<u32>,
}

impl Pool {
    pub fn new(graph: &TaskGraph, rule: Rule, order: Order) -> Pool {
        let kind = match rule {
            Rule::Untied => Kind::Untied,
            Rule::OpenMp => Kind::OpenMp(Descendants::new(graph)),
            Rule::Libgomp => Kind::Libgomp(Lists::new(graph.tasks())),
        };
        let is_ready = vec![false; graph.tasks()];
        Pool { order, is_ready, ready: 0, queue: VecDeque::new(), kind }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ready
    }

    pub fn has(&self, task: u32) -> bool {
        self.is_ready[task as usize]
    }

    /// A task can begin.
    pub fn add(&mut self, new: Ready) {
        let task = new.task;
        self.is_ready[task as usize] = true;
        self.ready += 1;
        self.queue.push_back(task);
        match &mut self.kind {
            Kind::Untied => {}
            Kind::OpenMp(of) if new.is_untied => of.untied.push_back(task),
            Kind::OpenMp(of) => of.ready.insert(of.first[task as usize] as usize),
            Kind::Libgomp(lists) => lists.add(new),
        }
    }

    /// A thread without a suspended task takes the newest or the oldest task.
    pub fn take(&mut self) -> Option<u32> {
        loop {
            let task = match self.order {
                Order::Newest => self.queue.pop_back(),
                Order::Oldest => self.queue.pop_front(),
            }?;
            if self.has(task) {
                return Some(self.taken(task));
            }
        }
    }

    /// A thread with a suspended task takes one that it may.
    pub fn take_for(&mut self, waiter: Waiter) -> Option<u32> {
        let is_ready = |task: &u32| self.is_ready[*task as usize];
        let task = match &mut self.kind {
            Kind::Untied => return self.take(),
            Kind::OpenMp(of) => of
                .ready_below(waiter.task, self.order)
                .or_else(|| std::iter::from_fn(|| of.untied.pop_front()).find(is_ready)),
            Kind::Libgomp(lists) => lists.take(waiter, is_ready),
        }?;
        Some(self.taken(task))
    }

    /// Whether the thread of a waiting task may take this one.
    pub fn may_take(&self, waiter: Waiter, of: Ready) -> bool {
        match &self.kind {
            Kind::Untied => true,
            Kind::OpenMp(all) => of.is_untied || all.is_below(of.task, waiter.task),
            Kind::Libgomp(_) => of.parent == waiter.task || waiter.group == Some(of.group),
        }
    }

    fn taken(&mut self, task: u32) -> u32 {
        self.is_ready[task as usize] = false;
        self.ready -= 1;
        if let Kind::OpenMp(of) = &mut self.kind {
            of.ready.remove(of.first[task as usize] as usize);
        }
        task
    }
}

/// The tasks in the order of the program: each one before its children, and the children of a task
/// in the order of their creation. So a task and its descendants have consecutive numbers.
#[derive(Debug)]
struct Descendants {
    /// By task: its number, and that of its last descendant.
    first: Vec<u32>,
    last: Vec<u32>,
    /// By number.
    tasks: Vec<u32>,
    /// The numbers of tied tasks that can begin.
    ready: Bits,
    /// Untied tasks that can begin, and some that have begun.
    untied: VecDeque<u32>,
}

impl Descendants {
    fn new(graph: &TaskGraph) -> Descendants {
        let all = graph.tasks();
        let mut of = Descendants {
            first: vec![NONE; all],
            last: vec![0; all],
            tasks: Vec::with_capacity(all),
            ready: Bits::new(all),
            untied: VecDeque::new(),
        };
        let begins: Vec<usize> = graph.begins().collect();
        let mut open = Vec::new();
        // A task that no other one creates is in no tree, but needs a number.
        for root in 0..all as u32 {
            of.enter(root, &begins, &mut open);
            while let Some((task, place)) = open.last_mut() {
                let step = graph.step(*place);
                *place = place.saturating_add(1);
                match step {
                    Step::Create(child) | Step::Execute(child) => {
                        let child = graph.place(child);
                        child.into_iter().for_each(|it| of.enter(it, &begins, &mut open));
                    }
                    Step::End => {
                        of.last[*task as usize] = of.tasks.len() as u32 - 1;
                        open.pop();
                    }
                    _ => {}
                }
            }
        }
        of
    }

    fn enter(&mut self, task: u32, begins: &[usize], open: &mut Vec<(u32, usize)>) {
        let first = &mut self.first[task as usize];
        if *first == NONE {
            *first = self.tasks.len() as u32;
            self.tasks.push(task);
            open.push((task, begins[task as usize]));
        }
    }

    fn is_below(&self, task: u32, ancestor: u32) -> bool {
        let (first, last) = (self.first[ancestor as usize], self.last[ancestor as usize]);
        (first + 1..=last).contains(&self.first[task as usize])
    }

    /// A descendant that can begin: the last or the first one in the order of the program.
    fn ready_below(&self, task: u32, order: Order) -> Option<u32> {
        let first = self.first[task as usize] as usize + 1;
        let last = self.last[task as usize] as usize;
        let found = match order {
            Order::Newest => self.ready.up_to(last),
            Order::Oldest => self.ready.from(first),
        };
        found.filter(|it| (first..=last).contains(it)).map(|it| self.tasks[it])
    }
}

/// The newest child of each task and the newest task of each taskgroup that can begin, and some
/// that have begun. Each leads to the one before.
#[derive(Debug)]
struct Lists {
    child: Vec<u32>,
    older_child: Vec<u32>,
    in_group: Vec<u32>,
    older_in_group: Vec<u32>,
}

impl Lists {
    fn new(tasks: usize) -> Lists {
        let none = || vec![NONE; tasks];
        let (child, older_child, older_in_group) = (none(), none(), none());
        Lists { child, older_child, in_group: Vec::new(), older_in_group }
    }

    fn add(&mut self, Ready { task, parent, group, .. }: Ready) {
        if let Some(newest) = self.child.get_mut(parent as usize) {
            self.older_child[task as usize] = std::mem::replace(newest, task);
        }
        if group != NONE {
            if self.in_group.len() <= group as usize {
                self.in_group.resize(group as usize + 1, NONE);
            }
            let newest = &mut self.in_group[group as usize];
            self.older_in_group[task as usize] = std::mem::replace(newest, task);
        }
    }

    /// At the end of a taskgroup its newest task, and if there is none, or at a taskwait, the
    /// newest child.
    fn take(&mut self, waiter: Waiter, is_ready: impl Fn(&u32) -> bool) -> Option<u32> {
        let in_group = waiter.group.and_then(|group| self.in_group.get_mut(group as usize));
        let in_group = in_group.and_then(|it| newest(it, &self.older_in_group, &is_ready));
        let child = &mut self.child[waiter.task as usize];
        in_group.or_else(|| newest(child, &self.older_child, &is_ready))
    }
}

/// Removes the newest task that can begin from a list, with those that have begun before it.
fn newest(head: &mut u32, older: &[u32], is_ready: impl Fn(&u32) -> bool) -> Option<u32> {
    let next = || {
        let task = *head;
        (task != NONE).then(|| {
            *head = older[task as usize];
            task
        })
    };
    std::iter::from_fn(next).find(is_ready)
}
