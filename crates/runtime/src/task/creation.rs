//! The creation of tasks: what is due of one until it turns out whether the task is deferred,
//! executed by its creator at once, or undeferred.

use std::sync::atomic::Ordering;

use pompeii_live::NodeOffset;

use super::instance::{Due, Task, state};
use super::{
    PREDICTED, TaskRegions, UNTIMED, expect_tasks, is_undeferred, name_of, spare, state_of, times,
    untag, wait,
};
use crate::clock::Clock;
use crate::descriptor::Defined;
use crate::events::{Attribute, attributes_bytes, kind};
use crate::guard;
use crate::location::{Location, gate};
use crate::openmp;

/// Whether the end of a creation that the thread begins now comes on this thread, too: what runs is
/// no untied task. Then its instance is as good as created, and its end alone says that it is gone.
#[inline(always)]
fn creator_stays(thread: &Location) -> bool {
    // SAFETY: running tasks are alive.
    unsafe { (*thread.tasks.running).tied }
}

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
        && let Some(handle) = spare::create(thread, node)
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

/// Writes the records of a creation that turned out to be real, with the time of its beginning.
pub fn flush_creation(thread: &mut Location) {
    guard::flush(thread);
    if let Some(due) = take_due(thread) {
        write_creation(thread, due.region, due.task, thread.header.last_ticks);
        take_back(thread, due.task);
    }
}

/// The creation that was due; nothing is from here on.
pub(super) fn take_due(thread: &mut Location) -> Option<Due> {
    thread.gate &= !gate::CREATION;
    thread.tasks.due.take()
}

/// The end of the instance's creation is not simply the next event of its creator, which names it
/// again. Where an untied task creates it, that was never taken for granted, and the end may have
/// come elsewhere meanwhile.
pub(super) fn take_back(thread: &Location, task: *mut Task) {
    if creator_stays(thread) {
        // SAFETY: the memory of an instance stays one. Where it was executed meanwhile, it is free,
        // and the end of its creation will find that.
        unsafe { (*task).state.fetch_and(!state::CREATED, Ordering::Relaxed) };
    }
}

fn write_creation(thread: &mut Location, region: &Defined, task: *mut Task, now: u64) {
    // Set by this thread, which alone uses the memory again.
    let name = name_of(task);
    thread.records(now, |records| records.region(region.enter).fields(kind::TASK_CREATE, &name));
}

/// Writes the records of a creation, of which the task has these attributes.
pub(super) fn write_creation_with(thread: &mut Location, due: Due, attributes: &[Attribute]) {
    let now = thread.header.last_ticks;
    let name = name_of(due.task);
    thread.large_records((now, attributes_bytes(attributes.len())), |records| {
        let records = records.region(due.region.enter).attributes(attributes);
        records.fields(kind::TASK_CREATE, &name)
    });
}

/// The creator goes on behind the construct.
pub fn create_end(thread: &mut Location, handle: usize, regions: TaskRegions, clock: impl Clock) {
    let task = untag(handle);
    if thread.tasks.due.is_some_and(|due| due.task == task) {
        return end_creation(thread, task, regions, clock.now());
    }
    if spare::is_one(handle) {
        if spare::create_end(thread, handle, regions.create) {
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
    if node != 0 && thread.tracing && handle & UNTIMED != 0 {
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
        spare::provide(thread);
    }
    thread.next_counted.enter();
    true
}
