//! The short ways of task events: those of a construct that this thread has met from here before,
//! with nothing special going on. See [`crate::short`]; the long ways are in [`crate::task`].
//!
//! Instances that were predicted to be undeferred, which their handles say, have ways of their own:
//! they are counted only, and there may be one for each few operations of a program.

use std::sync::atomic::Ordering;

use pompeii_live::Key;

use crate::clock::Clock;
use crate::descriptor::Defined;
use crate::events::{Records, kind};
use crate::instance::{Due, Task, state};
use crate::location::{Location, TASKS, gate};
use crate::short::{account, begin_event, end_event, known, later, pass, step};
use crate::task::{self, PREDICTED, TaskRegions, UNTIMED, untag};
use crate::task_times;

/// A step behind which nothing is due: where the switch back from a task was, its record comes
/// before what `write` writes.
#[inline(always)]
fn step_back(
    thread: &mut Location,
    clock: impl Clock,
    before: u32,
    write: impl FnOnce(Records) -> Records,
) -> Option<u64> {
    let name = task::current_name(thread);
    step(thread, clock, |records| match before & gate::SWITCH {
        0 => write(records),
        _ => write(records.fields(kind::TASK_SWITCH, &name)),
    })
}

/// As [`task::create_begin`], where the instance is predicted to be undeferred.
#[inline(always)]
pub fn create_begin_predicted(thread: &mut Location, create: &Defined) -> Option<usize> {
    let before = begin_event(thread, gate::SWITCH)?;
    let done = create_begin_predicted_inside(thread, create).map(|handle| (before, handle));
    end_event(thread, before, done)
}

#[inline(always)]
fn create_begin_predicted_inside(thread: &mut Location, create: &Defined) -> Option<usize> {
    let node = known(thread, thread.header.current, create.key)?;
    let instance = thread.free_instance_at_hand()?;
    if thread.node(node).private & PREDICTED == 0 {
        return None;
    }
    thread.node(node).visits += 1;
    // SAFETY: the instance is the first free one, so nobody else knows it.
    unsafe {
        thread.use_again(instance);
        (*instance).node = node;
        if thread.tracing {
            thread.name_instance(instance);
        }
    }
    Some(instance as usize | UNTIMED)
}

/// The same where it is not.
#[inline(always)]
pub fn create_begin_timed(
    thread: &mut Location,
    regions: TaskRegions,
    clock: impl Clock,
) -> Option<usize> {
    let before = begin_event(thread, gate::SWITCH)?;
    let done = create_begin_timed_inside(thread, regions, clock, before);
    end_event(thread, before, done)
}

#[inline(always)]
fn create_begin_timed_inside(
    thread: &mut Location,
    regions: TaskRegions,
    clock: impl Clock,
    before: u32,
) -> Option<(u32, usize)> {
    let node = known(thread, thread.header.current, regions.create.key)?;
    let instance = thread.free_instance_at_hand()?;
    if thread.node(node).private & PREDICTED != 0 {
        return None;
    }
    let now = match before & gate::SWITCH {
        0 => pass(thread, clock)?,
        _ => step_back(thread, clock, before, |records| records)?,
    };
    thread.header.current = node;
    thread.node(node).visits += 1;
    thread.tasks.due = Some(Due { region: regions.create, task: instance });
    // SAFETY: the instance is the first free one, so nobody else knows it.
    unsafe {
        thread.use_again(instance);
        (*instance).created_ticks = now;
        if thread.tracing {
            thread.name_instance(instance);
        }
    }
    Some((gate::CREATION, instance as usize))
}

/// As [`task::create_end`], for an instance that was predicted to be undeferred, and was.
#[inline(always)]
pub fn create_end_untimed(thread: &mut Location, handle: usize) -> Option<()> {
    let instance = untag(handle);
    let is_done = task::state_of(instance) == state::UNDEFERRED | state::COMPLETED;
    if !is_done || !is_own(thread, instance) {
        return None;
    }
    let before = begin_event(thread, gate::SWITCH)?;
    thread.free_undeferred(instance);
    end_event(thread, before, Some((before, ())))
}

/// Whether the thread has created the instance.
#[inline(always)]
fn is_own(thread: &Location, instance: *mut Task) -> bool {
    // SAFETY: the memory of an instance stays one, and its creator never changes.
    thread.header.index == unsafe { (*instance).creator }
}

/// The same for any other one.
#[inline(always)]
pub fn create_end_timed(
    thread: &mut Location,
    handle: usize,
    regions: TaskRegions,
    clock: impl Clock,
) -> Option<()> {
    let before = begin_event(thread, gate::CREATION)?;
    let done = create_end_inside(thread, handle as *mut Task, regions, clock);
    end_event(thread, before, done)
}

#[inline(always)]
fn create_end_inside(
    thread: &mut Location,
    instance: *mut Task,
    regions: TaskRegions,
    clock: impl Clock,
) -> Option<(u32, ())> {
    if thread.tasks.due.is_none_or(|due| due.task != instance) {
        return None;
    }
    let node = thread.header.current;
    let times = task_times::known(thread, node)?;
    if thread.node(node).private & PREDICTED != 0 {
        return None;
    }
    let (begun, now) = (thread.header.last_ticks, later(thread, clock)?);
    if thread.tracing {
        // SAFETY: as above.
        let name = unsafe { (*instance).name };
        Records::begin(&thread.events, begun)?
            .region(regions.create.enter)
            .fields(kind::TASK_CREATE, &name)
            .later(now)
            .region(regions.create.leave)
            .end(&mut thread.events, begun);
    }
    account(thread, now);
    thread.tasks.due = None;
    thread.header.current = thread.node(node).parent;
    thread.node(node).created += 1;
    task::expect_children(thread);
    task::expect_tasks(thread);
    times.created(now - begun);
    thread.note_created(instance);
    Some((0, ()))
}

/// As [`task::begin`], for an instance that was predicted to be undeferred, and is: its creator
/// begins it inside its creation. Counting needs no gate.
#[inline(always)]
pub fn begin_untimed(thread: &mut Location, handle: usize, conditional: bool) -> Option<()> {
    let instance = untag(handle);
    let is_fresh = task::state_of(instance) == 0 && !task::has_begun(instance);
    let is_open = thread.gate & !gate::SWITCH == 0;
    if !(is_fresh && is_open && conditional && is_own(thread, instance)) {
        return None;
    }
    // SAFETY: an instance that begins is alive, and no other thread knows it.
    let node = unsafe {
        (*instance).state.store(state::UNDEFERRED, Ordering::Relaxed);
        (*instance).node
    };
    thread.node(node).undeferred += 1;
    thread.tasks.undeferred_depth += 1;
    Some(())
}

/// The same for any other one.
#[inline(always)]
pub fn begin_timed(
    thread: &mut Location,
    handle: usize,
    regions: TaskRegions,
    clock: impl Clock,
) -> Option<()> {
    let before = begin_event(thread, gate::SWITCH)?;
    let done = begin_inside(thread, handle as *mut Task, regions, clock);
    end_event(thread, before, done)
}

#[inline(always)]
fn begin_inside(
    thread: &mut Location,
    instance: *mut Task,
    regions: TaskRegions,
    clock: impl Clock,
) -> Option<(u32, ())> {
    if task::state_of(instance) != state::CREATED || task::has_begun(instance) {
        return None;
    }
    let region = regions.task;
    let root = known(thread, TASKS, region.key)?;
    let times = task_times::known(thread, root)?;
    let (here, below) = (thread.header.current, thread.tasks.current());
    let place = if below.is_null() { here } else { thread.context().scheduling_node };
    let stub = thread.search_child(place, Key::Stub(region.id).encode());
    if stub == 0 {
        return None;
    }
    // SAFETY: an instance that begins is alive.
    let name = || unsafe { (*instance).name };
    let now = step(thread, clock, |records| {
        records.fields(kind::TASK_SWITCH, &name()).region(region.enter)
    })?;
    task::suspend(thread, here, now);
    // SAFETY: as above, and executed by this thread only.
    unsafe {
        (*instance).begun.store(true, Ordering::Relaxed);
        (*instance).executed_ticks.store(0, Ordering::Relaxed);
        (*instance).tied = regions.tied;
        (*instance).below = below;
        (*instance).root = root;
        (*instance).stub = stub;
        times.begun(now.saturating_sub((*instance).created_ticks));
    }
    thread.tasks.current = instance;
    thread.header.current = root;
    thread.node(root).visits += 1;
    thread.node(stub).task_switches += 1;
    Some((0, ()))
}

/// As [`task::end`], for an undeferred instance.
#[inline(always)]
pub fn end_untimed(thread: &mut Location, handle: usize) -> Option<()> {
    let instance = untag(handle);
    let is_open = thread.gate & !gate::SWITCH == 0;
    let is_begun = task::state_of(instance) == state::UNDEFERRED;
    if !(is_open && is_begun && is_own(thread, instance)) {
        return None;
    }
    task::close_undeferred(thread, instance);
    Some(())
}

/// The same for any other one.
#[inline(always)]
pub fn end_timed(
    thread: &mut Location,
    handle: usize,
    regions: TaskRegions,
    clock: impl Clock,
) -> Option<()> {
    let before = begin_event(thread, 0)?;
    let done = end_inside(thread, handle as *mut Task, regions.task, clock);
    end_event(thread, before, done)
}

#[inline(always)]
fn end_inside(
    thread: &mut Location,
    instance: *mut Task,
    region: &Defined,
    clock: impl Clock,
) -> Option<(u32, ())> {
    let root = thread.header.current;
    let is_current = thread.tasks.current() == instance;
    if !is_current || thread.node(root).key != region.key {
        return None;
    }
    let times = task_times::known(thread, root)?;
    // SAFETY: the running instance is alive.
    let (name, migrated) = unsafe { (|| (*instance).name, (*instance).migrated) };
    if migrated != u32::MAX {
        return None;
    }
    let now = step(thread, clock, |records| {
        records.region(region.leave).fields(kind::TASK_COMPLETE, &name())
    })?;
    task::pop(thread, now);
    // SAFETY: as above.
    times.executed(unsafe { (*instance).executed_ticks.load(Ordering::Relaxed) });
    thread.note_done(instance);
    Some((if thread.tracing { gate::SWITCH } else { 0 }, ()))
}

/// As [`task::wait_enter`], for a taskwait without children.
#[inline(always)]
pub fn wait_enter_counted(thread: &mut Location, region: &Defined) -> Option<()> {
    if thread.gate & !gate::SWITCH != 0 || task::has_children(thread) {
        return None;
    }
    let node = known(thread, thread.header.current, region.key)?;
    thread.node(node).visits += 1;
    thread.tasks.counted_wait = true;
    Some(())
}

/// As [`task::wait_enter`], for any other taskwait.
#[inline(always)]
pub fn wait_enter_timed(thread: &mut Location, region: &Defined, clock: impl Clock) -> Option<()> {
    let before = begin_event(thread, gate::SWITCH)?;
    let done = wait_enter_inside(thread, region, clock, before);
    end_event(thread, before, done)
}

#[inline(always)]
fn wait_enter_inside(
    thread: &mut Location,
    region: &Defined,
    clock: impl Clock,
    before: u32,
) -> Option<(u32, ())> {
    // A part that is over may have been left without a word.
    if !task::has_children(thread) || thread.contexts.top().has_ended() {
        return None;
    }
    let node = known(thread, thread.header.current, region.key)?;
    step_back(thread, clock, before, |records| records.region(region.enter))?;
    thread.node(node).visits += 1;
    thread.header.current = node;
    Some((0, ()))
}

/// As [`task::wait_exit`], likewise.
#[inline(always)]
pub fn wait_exit_timed(thread: &mut Location, region: &Defined, clock: impl Clock) -> Option<()> {
    let before = begin_event(thread, gate::SWITCH)?;
    let done = wait_exit_inside(thread, region, clock, before);
    end_event(thread, before, done)
}

#[inline(always)]
fn wait_exit_inside(
    thread: &mut Location,
    region: &Defined,
    clock: impl Clock,
    before: u32,
) -> Option<(u32, ())> {
    let node = thread.header.current;
    if thread.tasks.counted_wait || thread.node(node).key != region.key {
        return None;
    }
    step_back(thread, clock, before, |records| records.region(region.leave))?;
    thread.header.current = thread.node(node).parent;
    task::waited(thread);
    Some((0, ()))
}

/// As [`task::wait_exit`], for a taskwait that was counted.
#[inline(always)]
pub fn wait_exit_counted(thread: &mut Location) -> Option<()> {
    if thread.gate & !gate::SWITCH != 0 || !thread.tasks.counted_wait {
        return None;
    }
    thread.tasks.counted_wait = false;
    Some(())
}
