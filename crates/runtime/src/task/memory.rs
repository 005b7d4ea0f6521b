//! The memory of task instances.
//!
//! An instance is named by its creation, by the stack of the thread that executes it, and by its
//! handle in the program. Its memory goes back to its creator when all of them are done with it, in
//! whatever order, so memory is proportional to the instances that are alive.

use std::ptr::{null, null_mut};
use std::sync::atomic::Ordering;

use super::instance::{Task, state};
use super::times;
use crate::location::Location;
use crate::waiting::Waiting;

/// Brings the cache line of an instance here, to be written: another thread may have used it last.
/// Nothing waits for that.
#[inline(always)]
pub fn prefetch(task: *mut Task) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: changes nothing, whatever the address is; older processors ignore the instruction.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) task, options(readonly, nostack, preserves_flags));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = task;
}

impl Location {
    /// A new instance that no other thread knows yet, without a time of its creation.
    pub fn new_instance(&mut self) -> *mut Task {
        if self.tasks.free.is_null() {
            self.more_instances();
        }
        let task = self.tasks.free;
        // SAFETY: there are free instances now.
        unsafe {
            self.use_again(task);
            (*task).parent = self.waiting();
        }
        task
    }

    /// The first free instance is a new one now. Free ones are as [`Task::NEW`] but for the time of
    /// the creation, and for what the begin of an instance sets.
    ///
    /// # Safety
    /// `task` must be the first free instance.
    #[inline(always)]
    pub unsafe fn use_again(&mut self, task: *mut Task) {
        // SAFETY: instances in the free list belong to this location alone.
        unsafe {
            self.tasks.free = (*task).below;
            (*task).state.store(0, Ordering::Relaxed);
            (*task).created_ticks = 0;
            (*task).parent = null();
        }
    }

    /// What the running task waits with for its children.
    #[inline(always)]
    pub fn waiting(&self) -> *const Waiting {
        // SAFETY: running tasks are alive; the memory of an instance stays one.
        unsafe { &raw const (*self.tasks.running).waiting }
    }

    /// Puts an instance of this location's back that is as it was but for its state, and for what
    /// its begin has set.
    #[inline(always)]
    pub fn free_unchanged(&mut self, task: *mut Task) {
        // SAFETY: no thread names it any more.
        unsafe {
            (*task).state.store(state::FREE, Ordering::Relaxed);
            (*task).below = self.tasks.free;
        }
        self.tasks.free = task;
    }

    /// The same for an instance of another location, which gets it back.
    #[inline(always)]
    pub fn give_back_unchanged(&self, task: *mut Task) {
        // SAFETY: no thread names it any more.
        unsafe {
            (*task).state.store(state::FREE, Ordering::Relaxed);
            self.process.seat((*task).creator).give_back(task);
        }
    }

    /// An instance of this location's, begun on the fast way, was executed here to its end; inside
    /// of its creation, if it was begun at once.
    #[inline(always)]
    pub fn leave_own(&mut self, task: *mut Task, is_at_once: bool, executed: u64) {
        if is_at_once {
            // SAFETY: no other thread names it any more.
            let task_of = unsafe { &*task };
            // The end of its creation comes next.
            task_of.executed_ticks.store(executed, Ordering::Relaxed);
            task_of.state.store(state::AT_ONCE | state::DONE, Ordering::Relaxed);
        } else {
            self.free_unchanged(task);
        }
    }

    /// Gives a new instance a name of its own.
    ///
    /// # Safety
    /// No other thread may know the instance yet.
    #[inline(always)]
    pub unsafe fn name_instance(&mut self, task: *mut Task) {
        let generation = self.tasks.generation.wrapping_add(1);
        self.tasks.generation = generation;
        // SAFETY: the caller's promise.
        unsafe {
            (*task).name = self.contexts.top().task_name;
            (*task).name.set_last_of_task(generation);
        }
    }

    #[cold]
    #[inline(never)]
    fn more_instances(&mut self) {
        self.tasks.free = self.process.seat(self.index()).take_returned();
        if self.tasks.free.is_null() {
            let creator = self.index();
            self.tasks.make_instances(creator);
        }
    }

    /// Notes what has happened to an instance, and reuses its memory when that was the last.
    #[inline(always)]
    pub fn note(&mut self, task: *mut Task, what: u32) {
        // SAFETY: an instance is alive until all of `GONE` was noted, each by one thread.
        let before = unsafe { (*task).state.fetch_or(what, Ordering::AcqRel) };
        if state::is_gone(before | what) {
            self.gone(task);
        }
    }

    /// This thread stands for an instance that is being executed, by a proxy of its own.
    ///
    /// # Safety
    /// `proxy` must be new, and the instance alive.
    pub unsafe fn stand_for(&mut self, proxy: *mut Task, task: *mut Task) {
        // SAFETY: the caller's promise.
        unsafe {
            ((*proxy).original, (*proxy).tied) = (task, false);
            (*task).state.fetch_add(state::PROXY, Ordering::Relaxed);
            (*task).state.fetch_and(!state::FAST, Ordering::Relaxed);
        }
    }

    /// What was not executed to its end here is in no stack any more: a proxy, or what a program
    /// says wrongly.
    pub fn release(&mut self, entry: *mut Task) {
        // SAFETY: what is in a stack is alive, and what a proxy stands for until it is not.
        if let Some(task) = unsafe { (*entry).original.as_ref() } {
            let before = task.state.fetch_sub(state::PROXY, Ordering::AcqRel);
            if state::is_gone(before - state::PROXY) {
                self.gone(std::ptr::from_ref(task).cast_mut());
            }
        }
        self.note(entry, state::GONE);
    }

    /// Notes that the creation of an instance is over, which only its creator says, once.
    #[inline(always)]
    pub fn note_created(&mut self, task: *mut Task) {
        // An addition, since what a bitwise one was before is known after a loop only.
        // SAFETY: an instance is alive until all of `GONE` was noted.
        let before = unsafe { (*task).state.fetch_add(state::CREATED, Ordering::AcqRel) };
        if state::is_gone(before | state::CREATED) {
            self.gone(task);
        }
    }

    /// Notes that an instance was executed to its end and is in no stack any more. Where its
    /// creator names it no more and no proxy has stood for it, no other thread notes anything.
    #[inline(always)]
    pub fn note_done(&mut self, task: *mut Task) {
        // SAFETY: as above.
        unsafe {
            let before = (*task).state.load(Ordering::Acquire);
            if (*task).migrated == u32::MAX && before & state::CREATED != 0 {
                return self.free_instance(task, (*task).creator);
            }
        }
        self.note(task, state::DONE);
    }

    #[inline(never)]
    fn gone(&mut self, task: *mut Task) {
        // SAFETY: this is the last one to name it.
        let (creator, migrated, ticks) = unsafe {
            let ticks = (*task).executed_ticks.load(Ordering::Relaxed);
            ((*task).creator, (*task).migrated, ticks)
        };
        if migrated != u32::MAX {
            times::executed_by_several(self, migrated, ticks);
        }
        self.free_instance(task, creator);
    }

    /// Puts an instance that no thread names back to where it came from.
    #[inline(always)]
    pub fn free_instance(&mut self, task: *mut Task, creator: u32) {
        // SAFETY: no thread names it any more.
        unsafe {
            (*task).state.store(state::FREE, Ordering::Relaxed);
            (*task).original = null_mut();
            ((*task).migrated, (*task).construct) = (u32::MAX, u32::MAX);
            ((*task).children, (*task).tied) = (false, false);
            (*task).waiting.end();
        }
        if creator == self.header.index {
            // SAFETY: as above.
            unsafe { (*task).below = self.tasks.free };
            self.tasks.free = task;
        } else {
            // SAFETY: as above.
            unsafe { self.process.seat(creator).give_back(task) };
        }
    }
}
