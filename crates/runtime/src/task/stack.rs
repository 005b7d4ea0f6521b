//! The stack of a thread's tasks: what runs, and what it was begun on top of.

use std::sync::atomic::Ordering;

use pompeii_live::{Key, NodeOffset};

use super::instance::{Task, is_implicit};
use super::{current_name, times};
use crate::barrier::fragments::add_fragment;
use crate::events::kind;
use crate::location::{Location, gate, metrics};

/// Suspends what runs and makes `task` the current task.
pub(super) fn push(thread: &mut Location, task: *mut Task, now: u64) {
    if thread.gate & gate::DETAIL != 0 {
        metrics::read(thread, now.max(thread.header.last_ticks));
    }
    let now = thread.account(now);
    suspend(thread, thread.header.current, now);
    // SAFETY: the instance is alive and executed by this thread only.
    unsafe { ((*task).below, (*task).fragment_start) = (thread.tasks.running, now) };
    thread.tasks.running = task;
}

/// What runs is suspended at `node`, for a task that begins its fragment now.
#[inline(always)]
fn suspend(thread: &mut Location, node: NodeOffset, now: u64) {
    let below = thread.tasks.running;
    // SAFETY: suspended tasks are alive.
    unsafe {
        if !is_implicit(below) {
            end_fragment(thread, below, now);
        }
        (*below).node = node;
    }
}

/// Finds the stub for `task` below the implicit task's scheduling point.
pub(super) fn stub(thread: &mut Location, task: *mut Task, region: u32) {
    // SAFETY: implicit tasks are never freed.
    let place = unsafe { (*thread.contexts.top().implicit).node };
    let key = Key::Stub(region).encode();
    let stub = match thread.search_child(place, key) {
        0 => thread.child(place, key),
        stub => stub,
    };
    // SAFETY: the instance is alive and executed by this thread only.
    unsafe { (*task).stub = stub };
    if stub != 0 {
        thread.node(stub).task_switches += 1;
    }
}

/// The running task's fragment ends.
#[inline(always)]
pub fn end_fragment(thread: &mut Location, task: *mut Task, now: u64) {
    // SAFETY: the task is running, so alive, and what a proxy stands for is alive until its end.
    let (of, stub, start) = unsafe {
        let original = (*task).original;
        (if original.is_null() { task } else { original }, (*task).stub, (*task).fragment_start)
    };
    // SAFETY: as above.
    let (tied, times) = unsafe { ((*of).tied, &(*of).executed_ticks) };
    let ticks = now - start;
    if tied {
        times.store(times.load(Ordering::Relaxed) + ticks, Ordering::Relaxed);
    } else {
        // A thread that an untied one has left may only now find out.
        times.fetch_add(ticks, Ordering::Relaxed);
    }
    if stub != 0 {
        thread.node(stub).task_ticks += ticks;
    }
    if thread.context().barrier.phase.is_within() {
        add_fragment(thread, stub, (start, now));
    }
}

/// The parent of an instance of another thread, which was executed here to its end as `entry` of
/// the stack, may be waiting for it.
pub fn tell_parent(thread: &Location, task: *mut Task, entry: *mut Task) {
    // SAFETY: the end is not noted yet, so both are alive; what parents wait with is never freed.
    unsafe {
        if (*task).creator != thread.index()
            && let Some(parent) = (*task).parent.as_ref()
        {
            parent.executed((*task).created_ticks, thread.own.at((*entry).stub).word());
        }
    }
}

/// The region of a task that was begun on this thread and has gone on at no other one.
pub(super) fn region_of(thread: &mut Location, task: *mut Task) -> Option<u32> {
    // SAFETY: the end is not noted yet, so the instance is alive.
    let root = unsafe { (*task).root };
    match Key::decode(if root == 0 { return None } else { thread.node(root).key }) {
        Key::Region(region) => Some(region),
        _ => None,
    }
}

/// Writes down how long a task was executed that no other thread has executed.
pub(super) fn executed(thread: &mut Location, task: *mut Task, region: u32) {
    // SAFETY: the end is not noted yet, so the instance is alive.
    let (root, migrated, ticks) =
        unsafe { ((*task).root, (*task).migrated, (*task).executed_ticks.load(Ordering::Relaxed)) };
    if root != 0
        && migrated == u32::MAX
        && let Some(times) = times::of_execution(thread, root, region)
    {
        times.executed(ticks);
    }
}

pub(super) fn write_complete(thread: &mut Location, now: u64) {
    let name = current_name(thread);
    thread.records(now, |records| records.fields(kind::TASK_COMPLETE, &name));
}

/// Whether the running task is this instance or stands for it.
pub(super) fn is_current(thread: &Location, task: *mut Task) -> bool {
    is_or_stands_for(thread.tasks.running, task)
}

fn is_or_stands_for(entry: *mut Task, task: *mut Task) -> bool {
    // SAFETY: entries of a stack are alive; what is asked for is an instance.
    entry == task || unsafe { (*entry).original } == task
}

/// Whether an instance is in the thread's stack, or something that stands for it.
pub(super) fn is_in_stack(thread: &Location, task: *mut Task) -> bool {
    let mut entry = thread.tasks.running;
    // SAFETY: as above.
    while !unsafe { is_implicit(entry) } {
        if is_or_stands_for(entry, task) {
            return true;
        }
        // SAFETY: as above.
        entry = unsafe { (*entry).below };
    }
    false
}

/// Resumes what the current task had suspended. Returns the task.
#[inline(always)]
pub fn pop(thread: &mut Location, now: u64) -> *mut Task {
    let task = thread.tasks.running;
    end_fragment(thread, task, now);
    // SAFETY: the running task is alive, and so are suspended ones.
    let (node, stub) = unsafe {
        let below = (*task).below;
        thread.tasks.running = below;
        (*below).fragment_start = now;
        ((*below).node, (*below).stub)
    };
    thread.header.current = node;
    if stub != 0 {
        thread.node(stub).task_switches += 1;
    }
    task
}
