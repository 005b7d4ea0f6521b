//! The execution of tasks: a begin pushes an instance onto its thread's stack ([`super::stack`]),
//! and an end pops it. Between them are its fragments.

use std::ptr::null;
use std::sync::atomic::Ordering;

use super::abandon::abandon;
use super::creation::begins_undeferred;
use super::due::take_back;
use super::flush::flush_creation;
use super::instance::{Task, state};
use super::stack::{
    executed, is_current, is_in_stack, pop, push, stub, tell_parent, write_complete,
};
use super::{
    UNTIMED, has_begun, is_undeferred, name_of, note_begun, spare, state_of, times, untag,
};
use crate::clock::Clock;
use crate::descriptor::{Defined, TaskRegions};
use crate::detach;
use crate::events::kind;
use crate::location::{Location, TASKS, gate};

/// A thread begins to execute an instance.
pub fn begin(thread: &mut Location, handle: usize, regions: TaskRegions, clock: impl Clock) {
    if thread.next_counted.begin(handle).is_some() {
        return;
    }
    let task = untag(handle);
    if thread.tasks.due.is_some_and(|due| due.task == task) {
        // Its creator executes it inside the creation.
        take_back(thread, task);
    }
    let before = state_of(task);
    if before & (state::UNDEFERRED | state::FREE | state::BEGUN) != 0 {
        return;
    }
    if spare::is_one(handle) {
        spare::note_begin(handle);
    }
    if thread.is_passing() {
        thread.skip();
        note_begun(task);
        return thread.note(task, state::LEFT);
    }
    // SAFETY: an instance that begins is alive; its creator is set before others know it.
    if before & state::CREATED == 0 && unsafe { (*task).creator } == thread.index() {
        if begins_undeferred(thread, task, handle, regions) {
            return;
        }
        thread.note(task, state::IMMEDIATE);
    }
    note_begun(task);
    let now = clock.now();
    // The switch that may be due is replaced by the one to this task.
    flush_creation(thread);
    thread.gate &= !gate::SWITCH;
    push(thread, task, now);
    // SAFETY: the instance is alive and executed by this thread only.
    unsafe {
        if handle & UNTIMED != 0 {
            // What its creation leaves as it was.
            ((*task).created_ticks, (*task).parent) = (0, null());
        }
        (*task).tied = regions.tied && (*task).construct == u32::MAX;
        (*task).children = false;
        (*task).executed_ticks.store(0, Ordering::Relaxed);
    }
    go_into(thread, task, regions.task);
}

/// The task that is the current one now is executed below the tasks' root.
fn go_into(thread: &mut Location, task: *mut Task, region: &Defined) {
    let now = thread.header.last_ticks;
    let node = thread.child(TASKS, region.key);
    thread.header.current = if node == 0 { TASKS } else { node };
    thread.current().visits += u64::from(node != 0);
    // SAFETY: as above.
    let created = unsafe {
        (*task).root = node;
        (*task).created_ticks
    };
    if node != 0
        && created != 0
        && let Some(times) = times::of_execution(thread, node, region.id)
    {
        times.begun(now.saturating_sub(created));
    }
    if thread.tracing {
        let name = name_of(task);
        thread
            .records(now, |records| records.fields(kind::TASK_SWITCH, &name).region(region.enter));
    }
    stub(thread, task, region.id);
}

/// A thread has executed an instance to its end.
pub fn end(thread: &mut Location, handle: usize, regions: TaskRegions, clock: impl Clock) {
    let task = untag(handle);
    if is_undeferred(handle) {
        // It ends with its creation, which is the next event of its creator.
        return;
    }
    complete(thread, task, regions, clock.now());
}

/// A thread has executed the body of a detached instance, which is complete when its event is
/// fulfilled as well.
pub fn end_detached(
    thread: &mut Location,
    (handle, event): (usize, usize),
    regions: TaskRegions,
    clock: impl Clock,
) {
    let task = untag(handle);
    if is_undeferred(handle) {
        return;
    }
    let completes = !thread.tracing || detach::completes(event, name_of(task));
    leave(thread, task, regions, clock.now(), completes);
}

/// An instance that may be somewhere in the thread's stack has been executed to its end.
pub fn complete(thread: &mut Location, task: *mut Task, regions: TaskRegions, now: u64) {
    leave(thread, task, regions, now, true);
}

/// The same for the body alone, unless that completes it.
fn leave(thread: &mut Location, task: *mut Task, regions: TaskRegions, now: u64, completes: bool) {
    if !is_in_stack(thread, task) {
        thread.unskip();
        if has_begun(task) {
            thread.note(task, state::COMPLETED);
        }
        return;
    }
    while !is_current(thread, task) && abandon(thread) {}
    if thread.gate != 0 {
        thread.resynchronise(now);
    }
    thread.exit(regions.task.id, now);
    let now = thread.header.last_ticks;
    if completes {
        write_complete(thread, now);
    }
    if thread.tracing {
        thread.gate |= gate::SWITCH;
    }
    let left = pop(thread, now);
    tell_parent(thread, task, left);
    if left == task {
        executed(thread, task, regions.task.id);
        return thread.note_done(task);
    }
    thread.note(task, state::COMPLETED);
    thread.release(left);
}
