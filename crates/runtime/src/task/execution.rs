//! The execution of tasks: a begin pushes an instance onto its thread's stack, an end pops it, and
//! what is in between are its fragments.

use std::ptr::null;
use std::sync::atomic::Ordering;

use pompeii_live::{Key, NodeOffset};

use super::creation::{begins_undeferred, flush_creation, take_back};
use super::instance::{Task, is_implicit, state};
use super::untied::abandon;
use super::{
    TaskRegions, UNTIMED, current_name, has_begun, is_undeferred, name_of, note_begun, spare,
    state_of, times, untag,
};
use crate::barrier;
use crate::clock::Clock;
use crate::descriptor::Defined;
use crate::detach;
use crate::events::kind;
use crate::location::{Location, TASKS, gate, metrics};

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
        barrier::add_fragment(thread, stub, (start, now));
    }
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

/// The region of a task that was begun on this thread.
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
