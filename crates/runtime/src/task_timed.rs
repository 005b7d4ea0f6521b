//! The short ways of tasks that take their time: those of constructs that this thread has met from
//! here before, with nothing special going on. What is counted only is in [`crate::task_short`].
//!
//! A program may have one of these for every few hundred of its own instructions. So each is made
//! twice, with and without records, so that a profile does not pay for what only a trace needs; and
//! what is rare is the last call of a function, so that the function itself needs no frame.
//!
//! # Safety
//! That of [`crate::raw`]; and an instance is null or one that a creation has returned.

use std::ptr::null_mut;
use std::sync::atomic::Ordering;

use pompeii_live::{Key, NodeOffset};

use crate::barrier;
use crate::clock::Clock;
use crate::descriptor::Defined;
use crate::events::{Records, kind};
use crate::instance::{Due, Task, state};
use crate::location::{Location, TASKS, gate};
use crate::openmp;
use crate::raw::{account, begin_event, end_event, known, later, node, search};
use crate::task::{self, PREDICTED};
use crate::task_times::{self, Times};

/// What an instance is that nobody but its executing thread has anything to say about.
const RUNNING: u32 = state::CREATED | state::BEGUN;
/// What one is that its creator executes at once.
const AT_ONCE: u32 = state::IMMEDIATE | state::BEGUN;

/// Room for the records of an event, `None` where the chunk is full.
#[inline(always)]
unsafe fn records(thread: *mut Location, first: u64) -> Option<Records> {
    // SAFETY: the contract of this module.
    unsafe { Records::begin(&(*thread).events, first) }
}

/// Makes them visible; the first of them has this time.
#[inline(always)]
unsafe fn write(thread: *mut Location, records: Records, first: u64) {
    // SAFETY: the contract of this module.
    unsafe { records.end(&mut (*thread).events, first) }
}

/// A record that names an instance.
#[inline(always)]
unsafe fn named(records: Records, kind: u8, instance: *mut Task) -> Records {
    // SAFETY: the contract of this module; the name is this thread's to read.
    unsafe { records.numbered(kind, &(*instance).family, (*instance).generation) }
}

/// The switch back from a task, where its record is due.
#[inline(always)]
unsafe fn back(records: Records, thread: *mut Location, before: u32) -> Records {
    if before & gate::SWITCH == 0 {
        return records;
    }
    // SAFETY: the contract of this module; current tasks are alive.
    unsafe {
        let current = (*thread).tasks.current;
        match current.is_null() {
            true => records.fields(kind::TASK_SWITCH, &(*thread).contexts.top().task_name),
            false => named(records, kind::TASK_SWITCH, current),
        }
    }
}

/// The times that a node leads to, if they have been asked for before.
#[inline(always)]
unsafe fn times(thread: *mut Location, at: NodeOffset) -> Option<Times> {
    // SAFETY: the contract of this module.
    unsafe { task_times::at(&(*thread).task_times, (*node(thread, at)).private) }
}

/// As [`task::create_begin`], where the instance is not predicted to be undeferred. The switch back
/// from a task may be due.
#[inline(always)]
pub unsafe fn create_begin<const TRACE: bool>(
    thread: *mut Location,
    create: *mut Defined,
    clock: impl Clock,
) -> Option<usize> {
    // SAFETY: the contract of this module.
    unsafe {
        let before = begin_event(thread);
        let done = create_begin_inside::<TRACE>(thread, create, before, clock);
        end_event(thread, before, done)
    }
}

#[inline(always)]
unsafe fn create_begin_inside<const TRACE: bool>(
    thread: *mut Location,
    create: *mut Defined,
    before: u32,
    clock: impl Clock,
) -> Option<(u32, usize)> {
    // SAFETY: the contract of this module.
    unsafe {
        let here = (*thread).header.current;
        let at = known(thread, here, Defined::key_at(create))?;
        let instance = (*thread).tasks.free;
        if instance.is_null() || (*node(thread, at)).private & PREDICTED != 0 {
            return None;
        }
        let now = later(thread, clock)?;
        if TRACE && before & gate::SWITCH != 0 {
            write(thread, back(records(thread, now)?, thread, before), now);
        }
        account(thread, here, now);
        (*node(thread, at)).visits += 1;
        (*thread).header.current = at;
        (*thread).tasks.due = Some(Due { region: &*create, task: instance });
        (*thread).tasks.free = (*instance).next;
        let stays = task::creator_stays(&*thread);
        (*instance).state.store(if stays { state::CREATED } else { 0 }, Ordering::Relaxed);
        (*instance).parent = (*thread).waiting();
        (*instance).created_ticks = now;
        if TRACE {
            (*thread).name_instance(instance);
        }
        Some((gate::CREATION, instance as usize))
    }
}

/// As [`task::create_end`], for the instance whose creation is due, as the gate says.
#[inline(always)]
pub unsafe fn create_end<const TRACE: bool>(
    thread: *mut Location,
    instance: *mut Task,
    clock: impl Clock,
) -> Option<()> {
    // SAFETY: the contract of this module; what the gate says is due.
    unsafe {
        let due = (*thread).tasks.due.unwrap_unchecked();
        if due.task != instance {
            return None;
        }
        let before = begin_event(thread);
        let done = create_end_inside::<TRACE>(thread, due, clock);
        end_event(thread, before, done)
    }
}

#[inline(always)]
unsafe fn create_end_inside<const TRACE: bool>(
    thread: *mut Location,
    due: Due,
    clock: impl Clock,
) -> Option<(u32, ())> {
    // SAFETY: the contract of this module.
    unsafe {
        let at = (*thread).header.current;
        let times = times(thread, at)?;
        let (begun, now) = ((*thread).header.last_ticks, later(thread, clock)?);
        if TRACE {
            let records = records(thread, begun)?.region(due.region.enter);
            let records = named(records, kind::TASK_CREATE, due.task).later(now);
            write(thread, records.region(due.region.leave), begun);
        }
        account(thread, at, now);
        (*thread).tasks.due = None;
        (*thread).header.current = (*node(thread, at)).parent;
        (*node(thread, at)).created += 1;
        times.created(now - begun);
        let creator = (*thread).tasks.current;
        let children = match creator.is_null() {
            true => &mut (*thread).contexts.top_mut().children,
            false => &mut (*creator).children,
        };
        if !std::mem::replace(children, true) {
            task::expect_tasks(&mut *thread);
        }
        match creator.is_null() || (*creator).tied {
            true => Some((0, ())),
            false => Some((note_created(thread, due.task), ())),
        }
    }
}

/// As [`task::create_end`], for an instance that its creator has executed at once. The switch back
/// from it may be due.
#[inline(always)]
pub unsafe fn create_end_at_once<const TRACE: bool>(
    thread: *mut Location,
    instance: *mut Task,
    create: *mut Defined,
    clock: impl Clock,
) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        let is_done = !instance.is_null() && task::state_of(instance) == AT_ONCE | state::DONE;
        if !is_done || (*instance).creator != (*thread).header.index {
            return None;
        }
        let at = (*thread).header.current;
        if (*node(thread, at)).key != Defined::key_at(create) {
            return None;
        }
        let before = begin_event(thread);
        let done = create_end_at_once_inside::<TRACE>(thread, instance, (&*create, before), clock);
        end_event(thread, before, done)
    }
}

#[inline(always)]
unsafe fn create_end_at_once_inside<const TRACE: bool>(
    thread: *mut Location,
    instance: *mut Task,
    (create, before): (&Defined, u32),
    clock: impl Clock,
) -> Option<(u32, ())> {
    // SAFETY: the contract of this module.
    unsafe {
        let at = (*thread).header.current;
        let times = times(thread, at)?;
        let now = later(thread, clock)?;
        if TRACE {
            let records = back(records(thread, now)?, thread, before);
            write(thread, records.region(create.leave), now);
        }
        account(thread, at, now);
        (*thread).header.current = (*node(thread, at)).parent;
        (*node(thread, at)).created += 1;
        let inside = (*instance).executed_ticks.load(Ordering::Relaxed);
        times.created((now - (*instance).created_ticks).saturating_sub(inside));
        (*thread).free_unchanged(instance);
        Some((0, ()))
    }
}

/// An untied task has created the instance: an end of its creation may come from another thread, so
/// that its memory has waited for this one. Returns what the gate is.
#[inline(never)]
unsafe fn note_created(thread: *mut Location, instance: *mut Task) -> u32 {
    // SAFETY: the contract of this module.
    unsafe { (*thread).note_created(instance) };
    0
}

/// As [`task::begin`], for an instance that no other thread has anything to say about, on top of
/// the implicit task, or of an explicit one. The switch back from a task may be due, and is not
/// written.
#[inline(always)]
pub unsafe fn begin<const TRACE: bool, const NESTED: bool>(
    thread: *mut Location,
    instance: *mut Task,
    region: (*mut Defined, bool),
    clock: impl Clock,
) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        if instance.is_null() || task::state_of(instance) != state::CREATED {
            return None;
        }
        let before = begin_event(thread);
        let done = begin_inside::<TRACE, NESTED>(thread, instance, (region, RUNNING), clock);
        end_event(thread, before, done)
    }
}

/// The same for the instance whose creation is due: its creator executes it at once, because too
/// many others are waiting.
#[inline(always)]
pub unsafe fn begin_at_once<const TRACE: bool, const NESTED: bool>(
    thread: *mut Location,
    instance: *mut Task,
    region: (*mut Defined, bool),
    clock: impl Clock,
) -> Option<()> {
    // SAFETY: the contract of this module; what the gate says is due.
    unsafe {
        let due = (*thread).tasks.due.unwrap_unchecked();
        let has_room = !TRACE || (*thread).events.has_room_for_two();
        if due.task != instance || !has_room || openmp::in_final() {
            return None;
        }
        let before = begin_event(thread);
        let done = begin_inside::<TRACE, NESTED>(thread, instance, (region, AT_ONCE), clock);
        end_event(thread, before, done)
    }
}

/// The records of the creation that is due.
#[inline(always)]
unsafe fn write_creation(thread: *mut Location) -> Option<()> {
    // SAFETY: the contract of this module; what the gate says is due.
    unsafe {
        let due = (*thread).tasks.due.unwrap_unchecked();
        let begun = (*thread).header.last_ticks;
        let records = records(thread, begun)?.region(due.region.enter);
        write(thread, named(records, kind::TASK_CREATE, due.task), begun);
        Some(())
    }
}

#[inline(always)]
unsafe fn begin_inside<const TRACE: bool, const NESTED: bool>(
    thread: *mut Location,
    instance: *mut Task,
    ((place, tied), state): ((*mut Defined, bool), u32),
    clock: impl Clock,
) -> Option<(u32, ())> {
    // SAFETY: the contract of this module.
    unsafe {
        let here = (*thread).header.current;
        let root = known(thread, TASKS, Defined::key_at(place))?;
        let (region, times) = (&*place, times(thread, root)?);
        let context = (*thread).contexts.top_mut();
        let point = if NESTED { context.scheduling_node } else { here };
        let stub = search(thread, point, Key::Stub(region.id).encode())?;
        let now = later(thread, clock)?;
        if TRACE {
            if state == AT_ONCE {
                write_creation(thread)?;
            }
            let records = named(records(thread, now)?, kind::TASK_SWITCH, instance);
            write(thread, records.region(region.enter), now);
        }
        account(thread, here, now);
        (*instance).below = (*thread).tasks.current;
        if NESTED {
            task::suspend(&mut *thread, here, now);
        } else {
            (context.scheduling_node, context.fragment_start) = (here, now);
        }
        if state == AT_ONCE {
            (*thread).tasks.due = None;
        }
        (*instance).state.store(state, Ordering::Relaxed);
        (*instance).executed_ticks.store(0, Ordering::Relaxed);
        ((*instance).tied, (*instance).children) = (tied, false);
        ((*instance).root, (*instance).stub) = (root, stub);
        (*thread).tasks.current = instance;
        (*thread).header.current = root;
        (*node(thread, root)).visits += 1;
        (*node(thread, stub)).task_switches += 1;
        times.begun(now.saturating_sub((*instance).created_ticks));
        Some((0, ()))
    }
}

/// As [`task::end`], for the running instance, in which nothing is open, and which no other thread
/// has executed.
#[inline(always)]
pub unsafe fn end<const TRACE: bool>(
    thread: *mut Location,
    instance: *mut Task,
    place: impl FnOnce() -> Option<*mut Defined>,
    clock: impl Clock,
) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        if instance.is_null() || (*thread).tasks.current != instance {
            return None;
        }
        let root = (*instance).root;
        if (*instance).migrated != u32::MAX
            || (*thread).header.current != root
            || (*instance).stub == 0
        {
            return None;
        }
        // A profile does not need the region.
        let place = if TRACE { place()? } else { null_mut() };
        if TRACE && (*node(thread, root)).key != Defined::key_at(place) {
            return None;
        }
        let before = begin_event(thread);
        let done = end_inside::<TRACE>(thread, instance, place, clock);
        end_event(thread, before, done)
    }
}

#[inline(always)]
unsafe fn end_inside<const TRACE: bool>(
    thread: *mut Location,
    instance: *mut Task,
    place: *mut Defined,
    clock: impl Clock,
) -> Option<(u32, ())> {
    // SAFETY: the contract of this module.
    unsafe {
        let (root, stub) = ((*instance).root, (*instance).stub);
        let times = times(thread, root)?;
        let now = later(thread, clock)?;
        if TRACE {
            let records = records(thread, now)?.region((*place).leave);
            write(thread, named(records, kind::TASK_COMPLETE, instance), now);
        }
        account(thread, root, now);
        let context = (*thread).contexts.top_mut();
        let start = std::mem::replace(&mut context.fragment_start, now);
        (*node(thread, stub)).task_ticks += now - start;
        let executed = (*instance).executed_ticks.load(Ordering::Relaxed) + (now - start);
        (*instance).executed_ticks.store(executed, Ordering::Relaxed);
        times.executed(executed);
        go_back(thread, (*instance).below);
        let is_own = (*instance).creator == (*thread).header.index;
        let is_simple = is_own && !context.barrier.phase.is_within();
        match task::state_of(instance) {
            RUNNING if is_simple => (*thread).free_unchanged(instance),
            AT_ONCE if is_simple => {
                (*instance).state.store(AT_ONCE | state::DONE, Ordering::Relaxed);
            }
            _ => end_elsewhere(thread, instance, (start, now)),
        }
        Some((if TRACE { gate::SWITCH } else { 0 }, ()))
    }
}

/// What a task has suspended goes on: this task, null for the implicit one.
#[inline(always)]
unsafe fn go_back(thread: *mut Location, below: *mut Task) {
    // SAFETY: the contract of this module; suspended tasks are alive.
    unsafe {
        (*thread).tasks.current = below;
        if below.is_null() {
            (*thread).header.current = (*thread).contexts.top().scheduling_node;
            return;
        }
        (*thread).header.current = (*below).node;
        if (*below).stub != 0 {
            (*node(thread, (*below).stub)).task_switches += 1;
        }
    }
}

/// The end of an instance of another thread, or in a barrier.
#[inline(never)]
unsafe fn end_elsewhere(thread: *mut Location, instance: *mut Task, fragment: (u64, u64)) {
    // SAFETY: the contract of this module.
    unsafe {
        barrier::add_fragment(&mut *thread, (*instance).stub, fragment);
        task::tell_parent(&*thread, instance, instance);
        (*thread).note_done(instance);
    }
}

/// As [`task::wait_enter`]. The switch back from a task may be due.
#[inline(always)]
pub unsafe fn wait_enter<const TRACE: bool>(
    thread: *mut Location,
    place: *mut Defined,
    clock: impl Clock,
) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        // A part that is over may have been left without a word.
        if !task::has_children(&mut *thread) || (*thread).contexts.top().has_ended() {
            return None;
        }
        let before = begin_event(thread);
        let done = wait_enter_inside::<TRACE>(thread, place, before, clock);
        end_event(thread, before, done)
    }
}

#[inline(always)]
unsafe fn wait_enter_inside<const TRACE: bool>(
    thread: *mut Location,
    place: *mut Defined,
    before: u32,
    clock: impl Clock,
) -> Option<(u32, ())> {
    // SAFETY: the contract of this module.
    unsafe {
        let here = (*thread).header.current;
        let at = known(thread, here, Defined::key_at(place))?;
        let now = later(thread, clock)?;
        if TRACE {
            let records = back(records(thread, now)?, thread, before);
            write(thread, records.region((*place).enter), now);
        }
        account(thread, here, now);
        (*node(thread, at)).visits += 1;
        (*thread).header.current = at;
        task::begin_waiting(&mut *thread);
        Some((0, ()))
    }
}

/// As [`task::wait_exit`], for a taskwait that has taken its time, likewise.
#[inline(always)]
pub unsafe fn wait_exit<const TRACE: bool>(
    thread: *mut Location,
    place: *mut Defined,
    clock: impl Clock,
) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        let at = (*thread).header.current;
        if (*thread).tasks.counted_wait || (*node(thread, at)).key != Defined::key_at(place) {
            return None;
        }
        let before = begin_event(thread);
        let done = wait_exit_inside::<TRACE>(thread, place, before, clock);
        end_event(thread, before, done)
    }
}

#[inline(always)]
unsafe fn wait_exit_inside<const TRACE: bool>(
    thread: *mut Location,
    place: *mut Defined,
    before: u32,
    clock: impl Clock,
) -> Option<(u32, ())> {
    // SAFETY: the contract of this module.
    unsafe {
        let now = later(thread, clock)?;
        let at = (*thread).header.current;
        if TRACE {
            let records = back(records(thread, now)?, thread, before);
            write(thread, records.region((*place).leave), now);
        }
        let last = (*thread).header.last_ticks;
        account(thread, at, now);
        (*thread).header.current = (*node(thread, at)).parent;
        task::waited(&mut *thread);
        task::end_waiting(&mut *thread, at, last);
        Some((0, ()))
    }
}
