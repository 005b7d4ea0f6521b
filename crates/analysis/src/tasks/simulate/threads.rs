//! The threads of a simulation: which tied tasks are suspended on them, and which threads have no
//! task. A thread has a number from its first task on, so that any number of threads costs nothing.

use super::NONE;

/// All threads.
#[derive(Debug)]
pub(super) struct Threads {
    limit: usize,
    /// By thread: the tied task that was suspended last.
    top: Vec<u32>,
    /// By thread: its place among those without a task.
    places: Vec<u32>,
    /// Threads without a task and without a suspended one, and those with a suspended one.
    idle: [Vec<u32>; 2],
    /// By task: the one that was suspended before it on the same thread.
    below: Vec<u32>,
    /// Threads that have a task, or may find one.
    busy: usize,
}

impl Threads {
    /// At most this number of threads, for this number of tasks.
    pub fn new(limit: usize, tasks: usize) -> Threads {
        let limit = limit.clamp(1, NONE as usize);
        let below = vec![NONE; tasks];
        Threads {
            limit,
            top: Vec::new(),
            places: Vec::new(),
            idle: Default::default(),
            below,
            busy: 0,
        }
    }

    /// Whether one of them has no task.
    pub fn has_idle(&self) -> bool {
        self.busy < self.limit
    }

    /// One more thread has a task; `None` if there are enough.
    pub fn begin(&mut self) -> Option<u32> {
        (self.top.len() < self.limit).then(|| {
            self.top.push(NONE);
            self.places.push(NONE);
            self.busy += 1;
            self.top.len() as u32 - 1
        })
    }

    /// The tied task that was suspended last on a thread, and is suspended still.
    pub fn top(&self, thread: u32) -> Option<u32> {
        Some(self.top[thread as usize]).filter(|task| *task != NONE)
    }

    /// A tied task is suspended.
    pub fn suspend(&mut self, thread: u32, task: u32) {
        let top = &mut self.top[thread as usize];
        self.below[task as usize] = std::mem::replace(top, task);
    }

    /// The task that was suspended last on a thread goes on.
    pub fn resume(&mut self, thread: u32) {
        let top = &mut self.top[thread as usize];
        if *top != NONE {
            *top = self.below[*top as usize];
        }
    }

    /// A thread finds no task.
    pub fn rest(&mut self, thread: u32) {
        let idle = &mut self.idle[usize::from(self.top[thread as usize] != NONE)];
        self.places[thread as usize] = idle.len() as u32;
        idle.push(thread);
        self.busy -= 1;
    }

    /// A thread may find a task. Returns whether it had none.
    pub fn wake(&mut self, thread: u32) -> bool {
        let idle = &mut self.idle[usize::from(self.top[thread as usize] != NONE)];
        let place = std::mem::replace(&mut self.places[thread as usize], NONE);
        let is_idle = place != NONE;
        if is_idle {
            idle.swap_remove(place as usize);
            if let Some(moved) = idle.get(place as usize) {
                self.places[*moved as usize] = place;
            }
            self.busy += 1;
        }
        is_idle
    }

    /// A thread without a task and without a suspended one may find a task.
    pub fn wake_free(&mut self) -> Option<u32> {
        match self.idle[0].last() {
            Some(&thread) => self.wake(thread).then_some(thread),
            None => self.begin(),
        }
    }

    /// Threads without a task that have a suspended one.
    pub fn waiting(&self) -> &[u32] {
        &self.idle[1]
    }
}
