//! How threads without a task find one. A thread first goes on with the task that is suspended on
//! it, then with an implicit task or one that has waited; else it begins one from the pool.

use std::collections::VecDeque;

use super::pool::{Ready, Waiter};
use super::{Event, Rule, Run, Simulation, Task, Waits};

impl Run<'_> {
    /// Threads without a task take those that they may. A task that works for no time gives its
    /// thread back at once.
    pub(super) fn take_tasks(&mut self) {
        loop {
            if let Some(thread) = self.seeking.pop() {
                self.seek(thread, None);
            } else if self.pool.len() + self.resumed.len() > self.waking
                && let Some(thread) = self.threads.wake_free()
            {
                self.rouse(thread);
            } else if !self.wake_waiting() {
                return;
            }
        }
    }

    fn seek(&mut self, thread: u32, awake: Option<u64>) {
        if !self.take_task(thread, awake) {
            self.threads.rest(thread);
        }
    }

    /// A thread that rested is to look for a task.
    fn rouse(&mut self, thread: u32) {
        match self.how.rule {
            Rule::Untied => self.seeking.push(thread),
            Rule::OpenMp | Rule::Libgomp => {
                self.waking += 1;
                self.foresee(self.how.wake_ticks, Event::Awake(thread));
            }
        }
    }

    /// A thread that was roused with this event looks for a task.
    pub(super) fn come_awake(&mut self, thread: u32, sequence: u64) {
        self.waking -= 1;
        self.seek(thread, Some(sequence));
    }

    /// Threads whose suspended tasks wait look at tasks that can begin since they looked last.
    fn wake_waiting(&mut self) -> bool {
        while let Some(task) = self.created.pop() {
            if self.threads.waiting().is_empty() {
                self.created.clear();
                break;
            }
            if self.pool.has(task)
                && let Some(thread) = self.thread_for(task)
            {
                self.threads.wake(thread);
                self.rouse(thread);
                return true;
            }
        }
        let thread = self.threads.waiting().first().filter(|_| !self.resumed.is_empty()).copied();
        thread.is_some_and(|thread| self.wake(thread))
    }

    /// A thread that waits, and may take this task.
    fn thread_for(&self, task: u32) -> Option<u32> {
        let of = self.ready(task);
        let may_take = |thread: u32| {
            let top = self.threads.top(thread);
            top.is_some_and(|top| self.pool.may_take(self.waiter(top), of))
        };
        self.threads.waiting().iter().copied().find(|thread| may_take(*thread))
    }

    pub(super) fn ready(&self, task: u32) -> Ready {
        let Task { parent, member_of: group, is_tied, .. } = self.tasks[task as usize];
        Ready { task, parent, group, is_untied: !is_tied }
    }

    fn waiter(&self, task: u32) -> Waiter {
        let Task { waits, group, .. } = self.tasks[task as usize];
        Waiter { task, group: (waits == Waits::Group).then_some(group) }
    }

    pub(super) fn wake(&mut self, thread: u32) -> bool {
        let is_idle = self.threads.wake(thread);
        if is_idle {
            self.seeking.push(thread);
        }
        is_idle
    }

    /// A thread goes on with a task or begins one, if it may. One that was roused after the task
    /// was ready has woken up meanwhile, which is the cost of beginning the task.
    fn take_task(&mut self, thread: u32, awake: Option<u64>) -> bool {
        let top = self.threads.top(thread);
        if let Some(top) = top.filter(|top| self.tasks[*top as usize].waits == Waits::Nothing) {
            self.threads.resume(thread);
            self.tied_ready -= 1;
            self.go_on(top);
            return true;
        }
        let own = self.implicit.get_mut(thread as usize).filter(|_| top.is_none());
        if let Some(task) = own.and_then(VecDeque::pop_front) {
            self.tied_ready -= 1;
            self.go_on(task);
            return true;
        }
        if let Some(task) = self.resumed.pop_front() {
            self.tasks[task as usize].thread = thread;
            self.go_on(task);
            return true;
        }
        let waiter = top.map(|top| self.waiter(top));
        let fresh = match waiter {
            None => self.pool.take(),
            Some(waiter) => self.pool.take_for(waiter),
        };
        let Some(task) = fresh else { return false };
        let of = &mut self.tasks[task as usize];
        of.thread = thread;
        let Simulation { start_ticks, wake_ticks, .. } = self.how;
        let is_begun = wake_ticks >= start_ticks && awake.is_some_and(|it| it > of.offered);
        match is_begun || of.is_executed || start_ticks == 0 {
            true => self.go_on(task),
            false => self.foresee(start_ticks, Event::Worked(task)),
        }
        true
    }
}
