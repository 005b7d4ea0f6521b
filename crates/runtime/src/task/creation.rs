//! The creation of tasks: what is due of one until it turns out whether the task is deferred,
//! executed by its creator at once, or undeferred.

use std::sync::atomic::Ordering;

use pompeii_live::NodeOffset;

use super::due::{creator_stays, take_due, write_creation};
use super::instance::{Due, Task, state};
use super::{
    PREDICTED, UNTIMED, counted, expect_tasks, has_moved, is_undeferred, leave_moved, spare,
    state_of, times, untag, wait,
};
use crate::clock::Clock;
use crate::descriptor::{Defined, TaskRegions};
use crate::guard;
use crate::location::{Location, gate};
use crate::openmp;

/// A thread meets a task construct. Returns the handle of the new instance, 0 where it goes
/// unobserved.
pub fn create_begin(thread: &mut Location, regions: TaskRegions, clock: impl Clock) -> usize {
    let node = thread.count_key(regions.create.key);
    if node == 0 {
        return 0;
    }
    let timed_undeferred = thread.process.options.timed_undeferred;
    let predicted = thread.node(node).private & PREDICTED != 0 && !timed_undeferred;
    if predicted
        && regions.conditional
        && let Some(handle) = counted::create(thread, node)
    {
        return handle;
    }
    let task = new_instance(thread);
    if predicted {
        return task as usize | UNTIMED;
    }
    let now = clock.now();
    if thread.gate != 0 {
        thread.flush_gate(now);
    }
    let now = thread.account(now);
    thread.header.current = node;
    // SAFETY: nobody else knows the instance yet.
    unsafe { ((*task).created_ticks, (*task).tied) = (now, regions.tied) };
    if creator_stays(thread) {
        // SAFETY: as above.
        unsafe { (*task).state.store(state::CREATED, Ordering::Relaxed) };
    }
    thread.tasks.due = Some(Due { region: regions.create, task });
    thread.gate |= gate::CREATION;
    if timed_undeferred {
        thread.flush_gate(now);
    }
    task as usize
}

/// A new instance with a name of its own.
pub fn new_instance(thread: &mut Location) -> *mut Task {
    let task = thread.new_instance();
    if thread.tracing {
        // SAFETY: nobody else knows the instance yet.
        unsafe { thread.name_instance(task) };
    }
    task
}

/// The creator goes on behind the construct.
pub fn create_end(thread: &mut Location, handle: usize, regions: TaskRegions, clock: impl Clock) {
    let task = untag(handle);
    if thread.tasks.due.is_some_and(|due| due.task == task) {
        return end_creation(thread, task, regions, clock.now());
    }
    if spare::is_one(handle) {
        if counted::create_end(thread, handle, regions.create) {
            return;
        }
    } else if is_undeferred(handle) {
        return end_undeferred(thread, task);
    }
    let state = state_of(task);
    if state & (state::CREATED | state::FREE) == 0 {
        end_creation_late(thread, handle, regions, clock);
    } else if is_open_here(thread, handle, regions.create) {
        // It was executed while something came between; there is nothing to note about it.
        let node = thread.header.current;
        created(thread, node, false);
        thread.exit(regions.create.id, clock.now());
    }
}

/// Whether the thread is in a creation that has taken its time.
fn is_open_here(thread: &mut Location, handle: usize, create: &Defined) -> bool {
    handle & UNTIMED == 0 && thread.current().key == create.key && !thread.is_passing()
}

/// An undeferred instance ends with its creation, as a rule on the thread that has begun it.
fn end_undeferred(thread: &mut Location, task: *mut Task) {
    // SAFETY: only its creation still names the instance.
    let creator = unsafe { (*task).creator };
    if creator == thread.index() {
        thread.next_counted.leave();
    }
    thread.free_instance(task, creator);
}

/// The creation of an instance ends, and nothing has come between: it was deferred.
fn end_creation(thread: &mut Location, task: *mut Task, regions: TaskRegions, now: u64) {
    let before = thread.header.last_ticks;
    guard::flush(thread);
    take_due(thread);
    // Where its creator stays, others may have executed the instance and it is not there any more,
    // but for its name.
    write_creation(thread, regions.create, task, before);
    let now = thread.account(now);
    let node = thread.header.current;
    thread.header.current = thread.node(node).parent;
    thread.records(now, |records| records.region(regions.create.leave));
    created(thread, node, false);
    if let Some(times) = times::of_creation(thread, node, regions.task.id) {
        times.created(now - before);
    }
    if !creator_stays(thread) {
        thread.note(task, state::CREATED);
    }
}

/// The creation ends of an instance that was executed inside, or for which anything else came
/// between.
fn end_creation_late(
    thread: &mut Location,
    handle: usize,
    regions: TaskRegions,
    clock: impl Clock,
) {
    let task = untag(handle);
    let state = state_of(task);
    let create = regions.create;
    let immediate = state & state::IMMEDIATE != 0;
    if is_open_here(thread, handle, create) {
        let node = thread.header.current;
        created(thread, node, immediate);
        thread.exit(create.id, clock.now());
        // SAFETY: `CREATED` is not noted yet, so the instance is alive.
        let (begin, executed) = unsafe { ((*task).created_ticks, &(*task).executed_ticks) };
        let inside = if immediate { executed.load(Ordering::Relaxed) } else { 0 };
        let ticks = thread.header.last_ticks.saturating_sub(begin + inside);
        if let Some(times) = times::of_creation(thread, node, regions.task.id) {
            times.created(ticks);
        }
        return thread.note(task, state::CREATED);
    }
    let node = match thread.is_passing() {
        true => 0,
        false => thread.child(thread.header.current, create.key),
    };
    if node != 0 {
        created(thread, node, immediate);
    }
    if handle & UNTIMED == 0 && has_moved(thread) {
        // Its begin is in the trace of the thread that the creator has left.
        let now = thread.account(clock.now());
        leave_moved(thread, create.id, now);
    } else if node != 0 && thread.tracing && handle & UNTIMED != 0 {
        // It was predicted to be undeferred and is not: the time of this creation stays unknown.
        let now = thread.account(clock.now());
        thread.flush_gate(now);
        write_creation(thread, create, task, now);
        thread.records(now, |records| records.region(create.leave));
    }
    thread.note(task, state::CREATED);
}

fn created(thread: &mut Location, node: NodeOffset, immediate: bool) {
    // An instance that was executed at once, but timed, has its records too.
    thread.node(node).created += 1;
    if immediate {
        return;
    }
    thread.node(node).private &= !PREDICTED;
    wait::expect_children(thread);
    expect_tasks(thread);
}

/// The instance's creator executes it inside its creation: counted only, if nothing about the
/// creation was written down yet.
pub(super) fn begins_undeferred(
    thread: &mut Location,
    task: *mut Task,
    handle: usize,
    regions: TaskRegions,
) -> bool {
    let is_due = thread.tasks.due.is_some_and(|due| due.task == task);
    if thread.process.options.timed_undeferred || !(is_due || handle & UNTIMED != 0) {
        return false;
    }
    if !regions.conditional && !openmp::in_final() {
        return false;
    }
    // SAFETY: the instance is alive, and no other thread knows it.
    if unsafe { (*task).construct } != u32::MAX {
        return false;
    }
    // SAFETY: the instance is alive, and no other thread knows it.
    unsafe { (*task).state.store(state::UNDEFERRED, Ordering::Relaxed) };
    if is_due {
        thread.tasks.due = None;
        thread.gate &= !gate::CREATION;
        thread.header.current = thread.current().parent;
    }
    let node = thread.child(thread.header.current, regions.create.key);
    if node != 0 {
        thread.node(node).undeferred += 1;
        thread.node(node).private |= PREDICTED;
    }
    if regions.conditional {
        counted::provide(thread);
    }
    thread.next_counted.enter();
    true
}
