//! Tasks of POMP2: the end of one does not say its instance, and an untied one is named again only
//! behind its taskwaits and creations.
//!
//! So every instance is pushed on its thread's stack when it begins, also an undeferred one, and
//! remembers its construct: what ends is the innermost of that construct.

use std::sync::atomic::Ordering;

use crate::clock::System;
use crate::descriptor::TaskRegions;
use crate::location::{Location, gate};
use crate::task::instance::Task;
use crate::task::instance::state;
use crate::task::{self, untag};

/// A thread meets a task construct. Returns the id of the new instance, 0 where it goes unobserved.
pub fn create_begin(thread: &mut Location, regions: TaskRegions, untied: bool) -> usize {
    let id = task::create_begin(thread, regions, System);
    if let Some(task) = named(id) {
        let maker = current_untied(thread);
        // SAFETY: nobody else knows the instance yet.
        unsafe {
            (*task).construct = regions.task.id;
            (*task).untied = untied;
            (*task).maker.store(maker, Ordering::Relaxed);
        }
    }
    id
}

fn named(id: usize) -> Option<*mut Task> {
    let task = untag(id);
    (!task.is_null()).then_some(task)
}

/// The creation of an instance is over; an untied creator may go on at another thread.
pub fn create_end(thread: &mut Location, id: usize, regions: TaskRegions) {
    let Some(task) = named(id) else { return };
    // SAFETY: until the end of its creation the instance is alive.
    let maker = unsafe { (*task).maker.load(Ordering::Relaxed) };
    // First, because the end must find the creator.
    go_on(thread, maker);
    task::create_end(thread, id, regions, System);
}

/// The untied task that is running, 0 where another one is.
pub fn current_untied(thread: &Location) -> usize {
    let entry = thread.tasks.current();
    if entry.is_null() {
        return 0;
    }
    let task = instance(entry);
    // SAFETY: a running instance is alive.
    let untied = unsafe { (*task).construct != u32::MAX && (*task).untied };
    if untied { task as usize } else { 0 }
}

/// The instance that an entry of the stack is or stands for.
fn instance(entry: *mut Task) -> *mut Task {
    // SAFETY: entries of a stack are alive.
    match unsafe { (*entry).original } {
        original if original.is_null() => entry,
        original => original,
    }
}

/// An untied task goes on here, perhaps on another thread than before.
pub fn go_on(thread: &mut Location, id: usize) {
    if let Some(task) = named(id) {
        // SAFETY: the task that goes on is alive.
        let construct = unsafe { (*task).construct };
        task::resume(thread, id, construct, System);
    }
}

/// A thread begins to execute an instance. Where its creation was not observed, all of it is passed
/// over: its end could not be told from that of the task below.
pub fn begin(thread: &mut Location, id: usize, regions: TaskRegions) {
    match named(id) {
        Some(_) if !thread.is_passing() => task::begin(thread, id, regions, System),
        // Nobody will name it any more.
        Some(task) => {
            thread.skip();
            thread.note(task, state::BEGUN | state::COMPLETED | state::LEFT);
        }
        None => {
            thread.gate |= gate::SKIPPING;
            thread.skip();
        }
    }
}

/// A thread has executed an instance of this construct.
pub fn end(thread: &mut Location, regions: TaskRegions) {
    if thread.unskip() {
        return;
    }
    let mut entry = thread.tasks.current();
    while !entry.is_null() {
        let task = instance(entry);
        // SAFETY: entries of a stack and what they stand for are alive.
        let (construct, below) = unsafe { ((*task).construct, (*entry).below) };
        if construct == regions.task.id {
            return task::end(thread, task as usize, regions, System);
        }
        entry = below;
    }
}
