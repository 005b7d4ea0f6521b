//! Explicit tasks: creation, execution, and going back to what was suspended.
//!
//! A task instance executes on top of what its thread was doing at a scheduling point, so the
//! thread's tasks form a stack: begin pushes, end pops (instrumentation rules, section 4). Its
//! time lives only in its task tree, below [`TASKS`]; the scheduling point gets a stub that says
//! how much there was.
//!
//! An undeferred task (`if` false, included in a final one) is counted and not timed:
//! its creation is written down only when something else than its own begin comes next.
//!
//! An untied task may go on at another thread: there a proxy stands for it, while the entry in the
//! stack of the thread that it has left is abandoned at that thread's next event that cares.

use std::ptr::null;
use std::sync::atomic::Ordering;

use pompeii_live::{Key, NodeOffset};

use crate::arrivals;
use crate::barrier;
use crate::cause::{self, Delay, Place};
use crate::clock::Clock;
use crate::descriptor::Defined;
use crate::detach;
use crate::events::{Fields, kind};
use crate::guard;
use crate::instance::{Due, Task, is_implicit, state};
use crate::iteration;
use crate::location::{Location, TASKS, gate};
use crate::metrics;
use crate::openmp;
use crate::spare;
use crate::task_times;

/// Regions of a task construct.
#[derive(Clone, Copy)]
pub struct TaskRegions {
    /// Creating it.
    pub create: &'static Defined,
    /// Executing it.
    pub task: &'static Defined,
    /// Its clauses may make it undeferred. Another task that its creator executes at once could
    /// have been deferred: the OpenMP runtime chose not to (too many are waiting), so it is timed.
    pub conditional: bool,
    /// It never goes on at another thread.
    pub tied: bool,
}

/// Marks a handle whose creation was predicted to be undeferred and took no time.
pub const UNTIMED: usize = 1;
/// Beside it in the handle: the instance is that of [`spare`].
pub const CONDITIONAL: usize = 2;
/// In a creation's `private` word: the last instance created there was undeferred.
pub const PREDICTED: u64 = 1;

/// The instance that a handle names.
pub fn untag(handle: usize) -> *mut Task {
    if spare::is_one(handle) { spare::instance(handle) } else { (handle & !UNTIMED) as *mut Task }
}

/// What has happened to an instance: [`state`].
#[inline(always)]
pub fn state_of(task: *mut Task) -> u32 {
    // SAFETY: callers hold a handle that is still in use, so the instance is alive.
    unsafe { (*task).state.load(Ordering::Relaxed) }
}

/// Whether a thread has begun it.
#[inline(always)]
pub fn has_begun(task: *mut Task) -> bool {
    state_of(task) & state::BEGUN != 0
}

/// Whether its creator executes it, which was begun, inside its creation, counted only.
#[inline(always)]
pub fn is_undeferred(handle: usize) -> bool {
    match spare::is_one(handle) {
        true => spare::is_undeferred(handle),
        false => state_of(untag(handle)) == state::UNDEFERRED,
    }
}

fn note_begun(task: *mut Task) {
    // SAFETY: as above.
    unsafe { (*task).state.fetch_or(state::BEGUN, Ordering::Relaxed) };
}

/// Its name in the trace.
pub fn name_of(task: *mut Task) -> Fields {
    // SAFETY: as above; set before others know the instance.
    unsafe { (*task).name }
}

/// Whether the end of a creation that the thread begins now comes on this thread, too: what runs is
/// no untied task. Then its instance is as good as created, and its end alone says that it is gone.
#[inline(always)]
pub fn creator_stays(thread: &Location) -> bool {
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
        take_back(due.task);
    }
}

/// The creation that was due; nothing is from here on.
fn take_due(thread: &mut Location) -> Option<Due> {
    thread.gate &= !gate::CREATION;
    thread.tasks.due.take()
}

/// The end of the instance's creation is not simply the next event of its creator, which names it
/// again.
fn take_back(task: *mut Task) {
    // SAFETY: the memory of an instance stays one. Where it was executed meanwhile, it is free, and
    // the end of its creation will find that.
    unsafe { (*task).state.fetch_and(!state::CREATED, Ordering::Relaxed) };
}

fn write_creation(thread: &mut Location, region: &Defined, task: *mut Task, now: u64) {
    // Set by this thread, which alone uses the memory again.
    let name = name_of(task);
    thread.records(now, |records| records.region(region.enter).fields(kind::TASK_CREATE, &name));
}

/// Name of what runs.
pub fn current_name(thread: &Location) -> Fields {
    let task = thread.tasks.current();
    if task.is_null() { thread.contexts.top().task_name } else { name_of(task) }
}

fn write_switch(thread: &mut Location, now: u64) {
    let name = current_name(thread);
    thread.records(now, |records| records.fields(kind::TASK_SWITCH, &name));
}

/// Writes what is due of tasks: a creation, and the switch back from one.
pub fn flush_due(thread: &mut Location, now: u64) {
    flush_creation(thread);
    flush_switch(thread, now);
}

/// Writes the switch back to what a completed task had suspended.
pub fn flush_switch(thread: &mut Location, now: u64) {
    if thread.gate & gate::SWITCH != 0 {
        thread.gate &= !gate::SWITCH;
        let now = now.max(thread.header.last_ticks);
        write_switch(thread, now);
    }
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
    if let Some(times) = task_times::of_creation(thread, node, regions.task.id) {
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
        if let Some(times) = task_times::of_creation(thread, node, regions.task.id) {
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
    expect_children(thread);
    expect_tasks(thread);
}

/// The running task has children that its next taskwait may wait for. Returns whether it had.
#[inline(always)]
pub fn expect_children(thread: &mut Location) -> bool {
    // SAFETY: running tasks are alive; only this thread changes the field.
    unsafe { std::mem::replace(&mut (*thread.tasks.running).children, true) }
}

/// The team has tasks: who waits in its barriers without one starves.
#[inline(always)]
pub fn expect_tasks(thread: &mut Location) {
    if let Some(record) = thread.contexts.top().team_record() {
        arrivals::expect_tasks(record);
        barrier::expect_tasks(thread);
    }
}

/// A thread begins to execute an instance.
pub fn begin(thread: &mut Location, handle: usize, regions: TaskRegions, clock: impl Clock) {
    if thread.next_counted.begin(handle).is_some() {
        return;
    }
    let task = untag(handle);
    if thread.tasks.due.is_some_and(|due| due.task == task) {
        // Its creator executes it inside the creation.
        take_back(task);
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
        && let Some(times) = task_times::of_execution(thread, node, region.id)
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

/// The instance's creator executes it inside its creation: counted only, if nothing about the
/// creation was written down yet.
fn begins_undeferred(
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

/// Suspends what runs and makes `task` the current task.
fn push(thread: &mut Location, task: *mut Task, now: u64) {
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
fn stub(thread: &mut Location, task: *mut Task, region: u32) {
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
fn region_of(thread: &mut Location, task: *mut Task) -> Option<u32> {
    // SAFETY: the end is not noted yet, so the instance is alive.
    let root = unsafe { (*task).root };
    match Key::decode(if root == 0 { return None } else { thread.node(root).key }) {
        Key::Region(region) => Some(region),
        _ => None,
    }
}

/// Writes down how long a task was executed that no other thread has executed.
fn executed(thread: &mut Location, task: *mut Task, region: u32) {
    // SAFETY: the end is not noted yet, so the instance is alive.
    let (root, migrated, ticks) =
        unsafe { ((*task).root, (*task).migrated, (*task).executed_ticks.load(Ordering::Relaxed)) };
    if root != 0
        && migrated == u32::MAX
        && let Some(times) = task_times::of_execution(thread, root, region)
    {
        times.executed(ticks);
    }
}

fn write_complete(thread: &mut Location, now: u64) {
    let name = current_name(thread);
    thread.records(now, |records| records.fields(kind::TASK_COMPLETE, &name));
}

/// Whether the running task is this instance or stands for it.
fn is_current(thread: &Location, task: *mut Task) -> bool {
    is_or_stands_for(thread.tasks.running, task)
}

fn is_or_stands_for(entry: *mut Task, task: *mut Task) -> bool {
    // SAFETY: entries of a stack are alive; what is asked for is an instance.
    entry == task || unsafe { (*entry).original } == task
}

fn is_in_stack(thread: &Location, task: *mut Task) -> bool {
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

/// An untied task goes on behind a scheduling point, perhaps on another thread.
pub fn resume(thread: &mut Location, handle: usize, region: u32, clock: impl Clock) {
    let task = untag(handle);
    let deferred =
        has_begun(task) && !is_undeferred(handle) && state_of(task) & state::COMPLETED == 0;
    if !deferred || thread.is_passing() || is_current(thread, task) {
        return;
    }
    let now = clock.now();
    let proxy = thread.new_instance();
    // SAFETY: nobody else knows the proxy; the instance is alive until its end.
    unsafe {
        (*proxy).name = (*task).name;
        (*task).migrated = region;
        (*proxy).children = true;
        thread.stand_for(proxy, task);
    }
    flush_creation(thread);
    push(thread, proxy, now);
    let now = thread.header.last_ticks;
    let node = thread.child(TASKS, Key::Region(region).encode());
    thread.header.current = if node == 0 { TASKS } else { node };
    if thread.tracing {
        thread.gate &= !gate::SWITCH;
        write_switch(thread, now);
    }
    stub(thread, proxy, region);
}

/// The current task, an untied one, has left this thread at a scheduling point, or a tied one was
/// cancelled and has no end: what has passed since the last event belongs to what it had
/// suspended. False where there is no explicit task.
pub fn abandon(thread: &mut Location) -> bool {
    let task = thread.tasks.running;
    // SAFETY: what runs is in the stack.
    if unsafe { is_implicit(task) } {
        return false;
    }
    let now = thread.header.last_ticks;
    if thread.gate != 0 {
        thread.end_off(now);
    }
    // SAFETY: entries of a stack are alive.
    let (is_proxy, tied) = unsafe { (!(*task).original.is_null(), (*task).tied) };
    if tied {
        thread.flush_gate(now);
        thread.unwind_to_node(TASKS, now);
        write_complete(thread, now);
    } else {
        flush_creation(thread);
    }
    let left = pop(thread, now);
    if let (true, Some(region)) = (tied, region_of(thread, left)) {
        executed(thread, left, region);
    }
    match (is_proxy, tied) {
        (true, _) => thread.release(left),
        (_, true) => thread.note(left, state::COMPLETED | state::LEFT),
        _ => thread.note(left, state::LEFT),
    }
    if thread.tracing {
        thread.gate |= gate::SWITCH;
    }
    true
}

/// At the end of a thread's part of a region its implicit task is the current one.
pub fn abandon_all(thread: &mut Location) {
    if thread.gate & gate::ENDING != 0 {
        iteration::end_last(thread);
    }
    while abandon(thread) {}
}

/// Whether the current task can be one that has left. A proxy that was just resumed cannot: what
/// it had open on the thread that it came from is not open here.
pub fn may_have_left(thread: &mut Location) -> bool {
    let task = thread.tasks.current();
    let node = thread.header.current;
    // SAFETY: running tasks are alive.
    !task.is_null() && (unsafe { (*task).original.is_null() } || thread.node(node).parent != TASKS)
}

/// Whether something that this team's thread has suspended is in a region of this key.
pub fn is_suspended_in(thread: &mut Location, key: u64) -> bool {
    let mut task = thread.tasks.running;
    // SAFETY: entries of a stack are alive.
    while !unsafe { is_implicit(task) } {
        // SAFETY: as above.
        let node = unsafe {
            task = (*task).below;
            (*task).node
        };
        if thread.is_open_from(node, key) {
            return true;
        }
    }
    false
}

/// Whether a taskwait may have something to wait for.
#[inline(always)]
pub fn has_children(thread: &mut Location) -> bool {
    // SAFETY: running tasks are alive; only this thread changes the field.
    let children = unsafe { (*thread.tasks.running).children };
    children || thread.process.options.timed_undeferred
}

/// Enters a taskwait; without children it is counted only.
pub fn wait_enter(thread: &mut Location, region: u32, clock: impl Clock) {
    if has_children(thread) || thread.is_passing() {
        thread.enter(region, clock.now());
        begin_waiting(thread);
    } else {
        thread.count(region);
        thread.tasks.counted_wait = true;
    }
}

/// Leaves a taskwait.
pub fn wait_exit(thread: &mut Location, region: u32, clock: impl Clock) {
    // Without children nothing can have come between: a walk down the stack of a deep recursion, to
    // find that the region is not open, would cost more than the taskwait.
    if std::mem::take(&mut thread.tasks.counted_wait) {
        return;
    }
    let key = Key::Region(region).encode();
    let here = thread.current().key == key || thread.is_passing();
    let timed = here || may_have_left(thread) && is_suspended_in(thread, key);
    if !timed {
        return;
    }
    let (node, last) = (thread.header.current, thread.header.last_ticks);
    thread.exit(region, clock.now());
    waited(thread, thread.tasks.running);
    end_waiting(thread, if here && !thread.is_passing() { node } else { 0 }, last);
}

/// The running task waits for its children.
fn begin_waiting(thread: &mut Location) {
    let running = thread.tasks.running;
    // SAFETY: running tasks are alive.
    unsafe { (*running).waiting.begin((*running).created_ticks) };
}

/// It has waited at this node, 0 where that is not known, and since `last` for children that others
/// execute.
fn end_waiting(thread: &mut Location, node: NodeOffset, last: u64) {
    // SAFETY: running tasks are alive, and what a task waits with is never freed.
    if let Some(place) = unsafe { (*thread.waiting()).end() } {
        let wait = thread.header.last_ticks - last;
        add_waiting(thread, node, Place::from_word(place), wait);
    }
}

/// The running task has waited at this node so long, for what ended at `place`.
pub fn add_waiting(thread: &mut Location, node: NodeOffset, place: Place, wait: u64) {
    if node != 0 && wait > 0 {
        cause::add(thread, node, place, Delay { wait, starvation: 0 });
    }
}

/// The running task has waited for its children.
#[inline(always)]
pub fn waited(thread: &mut Location, running: *mut Task) {
    // Inside an undeferred task the flag is its parent's too, whose tasks may still be running.
    if thread.next_counted.is_inside() {
        return;
    }
    // SAFETY: running tasks are alive; only this thread changes the field.
    unsafe { (*running).children = false };
}
