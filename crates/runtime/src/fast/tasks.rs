//! The fast ways of tasks that take their time: those of constructs that this thread has met from
//! here before, with nothing special going on. What is counted only is in [`super::untimed_tasks`].
//! Each is made twice, because a profile must not pay for the records of a trace. What is rare is
//! the last call of a function, because then the function needs no frame.
//!
//! # Safety
//! That of [`super::kit`]; and an instance is null or one that a creation has returned.

use std::sync::atomic::{Ordering, compiler_fence};

use pompeii_live::NodeOffset;

use super::kit::step::{account_until, later};
use super::kit::{Place, children, gate, node, records};
use super::untimed_tasks;
use crate::barrier;
use crate::cause;
use crate::clock::Clock;
use crate::descriptor::{Construct, Defined, Slot};
use crate::events::{Records, kind};
use crate::location::{Location, TASKS};
use crate::task::instance::{Due, Task, is_implicit, is_simple_creator, state};
use crate::task::time_records::{self, Times};
use crate::task::{self, PREDICTED};

/// A record that names an instance.
#[inline(always)]
pub(super) unsafe fn named(records: Records, kind: u8, instance: *mut Task) -> Records {
    // SAFETY: the contract of this module; the name is this thread's to read.
    unsafe { records.fields(kind, &(*instance).name) }
}

/// The switch back from a task, where its record is due.
#[inline(always)]
pub(super) unsafe fn back(records: Records, thread: *mut Location) -> Records {
    // SAFETY: the contract of this module; current tasks are alive.
    unsafe {
        if (*thread).gate & gate::SWITCH == 0 {
            return records;
        }
        let running = (*thread).tasks.running;
        match is_implicit(running) {
            true => records.fields(kind::TASK_SWITCH, &(*thread).contexts.top().task_name),
            false => named(records, kind::TASK_SWITCH, running),
        }
    }
}

/// The times that a node leads to, if they have been asked for before.
#[inline(always)]
pub(super) unsafe fn times_of(thread: *mut Location, at: impl Place) -> Option<Times> {
    // SAFETY: the contract of this module.
    unsafe { time_records::at(node(thread, at)) }
}

/// As [`task::create_begin`]. Returns the handle.
#[inline(always)]
pub unsafe fn create_begin<const TRACE: bool>(
    thread: *mut Location,
    construct: impl Construct,
    clock: impl Clock,
) -> Option<usize> {
    // SAFETY: the contract of this module.
    unsafe {
        if !gate::is_open::<TRACE>(thread) {
            return None;
        }
        let create = construct.place(Slot::TaskCreate);
        let here = (*thread).header.current;
        let at = children::alternating(thread, here, Defined::key_at(create))?;
        if (*node(thread, at)).private & PREDICTED != 0 {
            return match construct.is_conditional() {
                true => untimed_tasks::create_begin::<TRACE>(thread, at),
                false => None,
            };
        }
        gate::close_over_due(thread);
        let done = create_begin_inside::<TRACE>(thread, construct, (here, at), clock);
        if done.is_none() {
            gate::take_back(thread);
        }
        done
    }
}

/// The event, to its end where it is done.
#[inline(always)]
unsafe fn create_begin_inside<const TRACE: bool>(
    thread: *mut Location,
    construct: impl Construct,
    (here, at): (NodeOffset, usize),
    clock: impl Clock,
) -> Option<usize> {
    // SAFETY: the contract of this module.
    unsafe {
        let create = construct.place(Slot::TaskCreate);
        let instance = (*thread).tasks.free;
        if instance.is_null() {
            return None;
        }
        let now = later(thread, clock)?;
        if TRACE && (*thread).gate & gate::SWITCH != 0 {
            records::end(thread, back(records::begin(thread, now)?, thread), now);
        }
        account_until(thread, here, now);
        (*node(thread, at)).visits += 1;
        (*thread).header.current = at as NodeOffset;
        (*thread).tasks.due = Some(Due { region: &*create, task: instance });
        (*thread).tasks.free = (*instance).below;
        task::prefetch((*instance).below);
        let creator = (*thread).tasks.running;
        let created = u32::from((*creator).tied) * state::CREATED;
        (*instance).state.store(created, Ordering::Relaxed);
        (*instance).parent = &raw const (*creator).waiting;
        ((*instance).created_ticks, (*instance).tied) = (now, construct.is_tied());
        if TRACE {
            (*thread).name_instance(instance);
        }
        gate::open(thread, gate::CREATION);
        Some(instance as usize)
    }
}

/// As [`task::create_end`], for the instance whose creation is due.
#[inline(always)]
pub unsafe fn create_end<const TRACE: bool>(
    thread: *mut Location,
    instance: *mut Task,
    clock: impl Clock,
) -> Option<()> {
    // SAFETY: the contract of this module; what the gate says is due.
    unsafe {
        if (*thread).gate != gate::CREATION {
            return None;
        }
        let due = (*thread).tasks.due.unwrap_unchecked();
        if due.task != instance {
            return None;
        }
        gate::close_over_due(thread);
        if create_end_inside::<TRACE>(thread, (instance, due.region), clock).is_none() {
            gate::take_back(thread);
            return None;
        }
        let creator = (*thread).tasks.running;
        (*creator).children = true;
        match is_simple_creator(creator) {
            true => gate::open(thread, 0),
            false => end_creation(thread, instance),
        }
        Some(())
    }
}

#[inline(always)]
unsafe fn create_end_inside<const TRACE: bool>(
    thread: *mut Location,
    (instance, region): (*mut Task, &Defined),
    clock: impl Clock,
) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        let at = (*thread).header.current;
        let times = times_of(thread, at)?;
        let now = later(thread, clock)?;
        if TRACE {
            let begun = (*thread).header.last_ticks;
            let records = records::begin(thread, begun)?.region(region.enter);
            let records = named(records, kind::TASK_CREATE, instance).later(now);
            records::end(thread, records.region(region.leave), begun);
        }
        let ticks = account_until(thread, at, now);
        (*thread).tasks.due = None;
        leave_creation(thread, at);
        times.created(ticks);
        Some(())
    }
}

/// The creation at this node has created a task.
#[inline(always)]
unsafe fn leave_creation(thread: *mut Location, at: NodeOffset) {
    // SAFETY: the contract of this module.
    unsafe {
        (*thread).header.current = (*node(thread, at)).parent;
        (*node(thread, at)).created += 1;
    }
}

/// The end of the first creation in a team by this thread, or of one by an untied task: it may come
/// from another thread than its begin, so that the instance's memory has waited for this one.
#[inline(never)]
unsafe fn end_creation(thread: *mut Location, instance: *mut Task) {
    // SAFETY: the contract of this module.
    unsafe {
        let creator = (*thread).tasks.running;
        if !std::mem::replace(&mut (*creator).told, true) {
            task::expect_tasks(&mut *thread);
        }
        if !(*creator).tied {
            (*thread).note_created(instance);
        }
        gate::open(thread, 0);
    }
}

/// As [`task::create_end`], for an instance that its creator has executed at once.
#[inline(always)]
pub unsafe fn create_end_at_once<const TRACE: bool, C: Construct>(
    thread: *mut Location,
    instance: *mut Task,
    construct: impl FnOnce() -> Option<C>,
    clock: impl Clock,
) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        let ended = state::AT_ONCE | state::DONE;
        if !gate::is_open::<TRACE>(thread) || task::state_of(instance) != ended {
            return None;
        }
        // Its creator, which it was begun on top of, is at the creation's node again.
        if (*(*instance).below).node != (*thread).header.current {
            return None;
        }
        gate::close_over_due(thread);
        let done = create_end_at_once_inside::<TRACE, C>(thread, instance, construct, clock);
        gate::open_if_done(thread, 0, done)
    }
}

#[inline(always)]
unsafe fn create_end_at_once_inside<const TRACE: bool, C: Construct>(
    thread: *mut Location,
    instance: *mut Task,
    construct: impl FnOnce() -> Option<C>,
    clock: impl Clock,
) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        let at = (*thread).header.current;
        let times = times_of(thread, at)?;
        let now = later(thread, clock)?;
        if TRACE {
            let create = construct()?.place(Slot::TaskCreate);
            let records = back(records::begin(thread, now)?, thread);
            records::end(thread, records.region((*create).leave), now);
        }
        account_until(thread, at, now);
        leave_creation(thread, at);
        // Its execution lies inside, all of it on this thread.
        let inside = (*instance).executed_ticks.load(Ordering::Relaxed);
        times.created(now - (*instance).created_ticks - inside);
        (*thread).free_unchanged(instance);
        Some(())
    }
}

/// As [`task::begin`], for an instance that no other thread has anything to say about, on top of
/// the implicit task, or of an explicit one (`NESTED`). The switch back from a task may be due, and
/// is not written.
#[inline(always)]
pub unsafe fn begin<const TRACE: bool, const NESTED: bool, C: Construct>(
    thread: *mut Location,
    instance: *mut Task,
    construct: impl FnOnce() -> Option<C>,
    clock: impl Clock,
) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        if !gate::is_open::<TRACE>(thread) {
            return None;
        }
        // Asked only now: where the gate is not open, that is all there is to ask.
        compiler_fence(Ordering::AcqRel);
        if instance.is_null() {
            return None;
        }
        let construct = construct()?;
        if task::state_of(instance) != state::CREATED {
            return None;
        }
        gate::close_over_due(thread);
        let done = begin_inside::<TRACE, NESTED, false>(thread, instance, construct, clock);
        gate::open_if_done(thread, 0, done)
    }
}

/// The same for the instance whose creation is due: its creator executes it at once, because too
/// many others are waiting, and not because the program says so. (An untied creator may have left
/// this thread, and the end of the creation come elsewhere.)
#[inline(always)]
pub unsafe fn begin_at_once<const TRACE: bool, const NESTED: bool, C: Construct>(
    thread: *mut Location,
    instance: *mut Task,
    construct: impl FnOnce() -> Option<C>,
    clock: impl Clock,
) -> Option<()> {
    // SAFETY: the contract of this module; what the gate says is due.
    unsafe {
        if (*thread).gate != gate::CREATION {
            return None;
        }
        let construct = construct()?;
        let due = (*thread).tasks.due.unwrap_unchecked();
        let may_have_left = NESTED && !(*(*thread).tasks.running).tied;
        if due.task != instance || construct.is_conditional() || may_have_left {
            return None;
        }
        gate::close_over_due(thread);
        let done = begin_inside::<TRACE, NESTED, true>(thread, instance, construct, clock);
        gate::open_if_done(thread, 0, done)
    }
}

/// The records of a creation that is due, with room for those of another event, which happens now.
#[inline(always)]
unsafe fn creation(
    thread: *mut Location,
    (region, instance): (*mut Defined, *mut Task),
    now: u64,
) -> Option<Records> {
    // SAFETY: the contract of this module; what a creation is due of has its region.
    unsafe {
        let records = records::begin_two(thread, (*thread).header.last_ticks)?;
        let records = records.region((*region).enter);
        Some(named(records, kind::TASK_CREATE, instance).later(now))
    }
}

#[inline(always)]
unsafe fn begin_inside<const TRACE: bool, const NESTED: bool, const IS_AT_ONCE: bool>(
    thread: *mut Location,
    instance: *mut Task,
    construct: impl Construct,
    clock: impl Clock,
) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        if is_implicit((*thread).tasks.running) == NESTED {
            return None;
        }
        let (here, place) = ((*thread).header.current, construct.place(Slot::Task));
        let root = children::alternating(thread, TASKS, Defined::key_at(place))?;
        let times = times_of(thread, root)?;
        let point = if NESTED { (*(*thread).contexts.top().implicit).node } else { here };
        let stub = children::listed(thread, point, (*place).stub)?;
        let now = later(thread, clock)?;
        if TRACE {
            let (records, first) = match IS_AT_ONCE {
                true => {
                    let created = (construct.place(Slot::TaskCreate), instance);
                    (creation(thread, created, now)?, (*thread).header.last_ticks)
                }
                false => (records::begin(thread, now)?, now),
            };
            let records = named(records, kind::TASK_SWITCH, instance);
            records::end(thread, records.region((*place).enter), first);
        }
        account_until(thread, here, now);
        // Asked again: there is no register left that would need no frame.
        let below = (*thread).tasks.running;
        if NESTED {
            task::end_fragment(&mut *thread, below, now);
        }
        if IS_AT_ONCE {
            (*thread).tasks.due = None;
        }
        (*below).node = here;
        ((*instance).below, (*instance).fragment_start) = (below, now);
        (*instance).executed_ticks.store(0, Ordering::Relaxed);
        (*instance).children = false;
        if TRACE {
            (*instance).region = place;
        }
        ((*instance).root, (*instance).stub) = (root as NodeOffset, stub as NodeOffset);
        let state = if IS_AT_ONCE { state::AT_ONCE } else { state::RUNNING };
        (*instance).state.store(state, Ordering::Relaxed);
        (*thread).tasks.running = instance;
        (*thread).header.current = root as NodeOffset;
        (*node(thread, root)).visits += 1;
        (*node(thread, stub)).task_switches += 1;
        let created = (*instance).created_ticks;
        times.begun(if IS_AT_ONCE { now - created } else { now.saturating_sub(created) });
        Some(())
    }
}

/// As [`task::end`], for the running instance, in which nothing is open, and which was begun on its
/// fast way.
#[inline(always)]
pub unsafe fn end<const TRACE: bool>(
    thread: *mut Location,
    instance: *mut Task,
    clock: impl Clock,
) -> Option<()> {
    // SAFETY: the contract of this module; what runs is alive, and an implicit task was not begun.
    unsafe {
        if (*thread).gate != 0 || (*thread).tasks.running != instance {
            return None;
        }
        let (state, root) = (task::state_of(instance), (*instance).root);
        if state & state::FAST == 0 || (*thread).header.current != root {
            return None;
        }
        gate::close_over_due(thread);
        let Some(executed) = end_inside::<TRACE>(thread, instance, root, clock) else {
            gate::take_back(thread);
            return None;
        };
        let is_at_once = state == state::AT_ONCE;
        let is_own = is_at_once || (*instance).creator == (*thread).header.index;
        if !is_own || (*thread).contexts.top().barrier.phase.is_within() {
            end_elsewhere::<TRACE>(thread, instance, executed);
            return Some(());
        }
        (*thread).leave_own(instance, is_at_once, executed);
        gate::open(thread, after_end::<TRACE>());
        Some(())
    }
}

/// What the gate is after the end of an instance.
#[inline(always)]
const fn after_end<const TRACE: bool>() -> u32 {
    if TRACE { gate::SWITCH } else { 0 }
}

/// Returns how long the instance was executed.
#[inline(always)]
unsafe fn end_inside<const TRACE: bool>(
    thread: *mut Location,
    instance: *mut Task,
    root: NodeOffset,
    clock: impl Clock,
) -> Option<u64> {
    // SAFETY: the contract of this module; the root of what was begun here has times.
    unsafe {
        let now = later(thread, clock)?;
        if TRACE {
            let records = records::begin(thread, now)?.region((*(*instance).region).leave);
            records::end(thread, named(records, kind::TASK_COMPLETE, instance), now);
        }
        account_until(thread, root, now);
        go_back(thread, (*instance).below, now);
        let ticks = now - (*instance).fragment_start;
        (*node(thread, (*instance).stub)).task_ticks += ticks;
        let executed = (*instance).executed_ticks.load(Ordering::Relaxed) + ticks;
        time_records::of_root(node(thread, root)).executed(executed);
        Some(executed)
    }
}

/// The task that another one has suspended goes on.
#[inline(always)]
unsafe fn go_back(thread: *mut Location, below: *mut Task, now: u64) {
    // SAFETY: the contract of this module; suspended tasks are alive.
    unsafe {
        (*thread).tasks.running = below;
        (*below).fragment_start = now;
        (*thread).header.current = (*below).node;
        // An implicit task has no stub: see `Location::at_no_stub`.
        (*node(thread, (*below).stub)).task_switches += 1;
    }
}

/// The end of an instance of another thread, or in a barrier. Of an instance of another thread,
/// only the cache line that its creator has written is touched.
#[inline(never)]
unsafe fn end_elsewhere<const TRACE: bool>(
    thread: *mut Location,
    instance: *mut Task,
    executed: u64,
) {
    // SAFETY: the contract of this module; no thread names an instance any more that was begun on
    // the fast way, has not gone on elsewhere, and is executed to its end.
    unsafe {
        let fragment = ((*instance).fragment_start, (*thread).header.last_ticks);
        barrier::add_fragment(&mut *thread, (*instance).stub, fragment);
        let is_at_once = task::state_of(instance) == state::AT_ONCE;
        if is_at_once || (*instance).creator == (*thread).header.index {
            (*thread).leave_own(instance, is_at_once, executed);
        } else {
            task::tell_parent(&*thread, instance, instance);
            (*thread).give_back_unchanged(instance);
        }
        gate::open(thread, after_end::<TRACE>());
    }
}

/// As [`task::wait_enter`]. The switch back from a task may be due.
#[inline(always)]
pub unsafe fn wait_enter<const TRACE: bool>(
    thread: *mut Location,
    construct: impl Construct,
    clock: impl Clock,
) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        if !gate::is_open::<TRACE>(thread) {
            return None;
        }
        let running = (*thread).tasks.running;
        if !(*running).children {
            return untimed_tasks::wait_enter(thread, construct);
        }
        // A part that is over may have been left without a word.
        if (*thread).contexts.top().has_ended() {
            return None;
        }
        gate::close_over_due(thread);
        let done = wait_enter_inside::<TRACE>(thread, running, construct, clock);
        gate::open_if_done(thread, 0, done)
    }
}

#[inline(always)]
unsafe fn wait_enter_inside<const TRACE: bool>(
    thread: *mut Location,
    running: *mut Task,
    construct: impl Construct,
    clock: impl Clock,
) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        let (here, place) = ((*thread).header.current, construct.place(Slot::Taskwait));
        let at = children::alternating(thread, here, Defined::key_at(place))?;
        let now = later(thread, clock)?;
        if TRACE {
            let records = back(records::begin(thread, now)?, thread);
            records::end(thread, records.region((*place).enter), now);
        }
        account_until(thread, here, now);
        (*node(thread, at)).visits += 1;
        (*thread).header.current = at as NodeOffset;
        (*running).waiting.begin((*running).created_ticks);
        Some(())
    }
}

/// As [`task::wait_exit`], likewise.
#[inline(always)]
pub unsafe fn wait_exit<const TRACE: bool, C: Construct>(
    thread: *mut Location,
    construct: impl FnOnce() -> Option<C>,
    clock: impl Clock,
) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        if !gate::is_open::<TRACE>(thread) {
            return None;
        }
        if (*thread).tasks.counted_wait {
            (*thread).tasks.counted_wait = false;
            return Some(());
        }
        let (at, place) = ((*thread).header.current, construct()?.place(Slot::Taskwait));
        if (*node(thread, at)).key != Defined::key_at(place) {
            return None;
        }
        gate::close_over_due(thread);
        let Some(ticks) = wait_exit_inside::<TRACE>(thread, (at, &*place), clock) else {
            gate::take_back(thread);
            return None;
        };
        let running = (*thread).tasks.running;
        task::waited(&mut *thread, running);
        match (*running).waiting.end() {
            None => gate::open(thread, 0),
            Some(child) => waited_for(thread, at, child, ticks),
        }
        Some(())
    }
}

/// Returns the time since the event before.
#[inline(always)]
unsafe fn wait_exit_inside<const TRACE: bool>(
    thread: *mut Location,
    (at, region): (NodeOffset, &Defined),
    clock: impl Clock,
) -> Option<u64> {
    // SAFETY: the contract of this module.
    unsafe {
        let now = later(thread, clock)?;
        if TRACE {
            let records = back(records::begin(thread, now)?, thread);
            records::end(thread, records.region(region.leave), now);
        }
        let ticks = account_until(thread, at, now);
        (*thread).header.current = (*node(thread, at)).parent;
        Some(ticks)
    }
}

/// Another thread has executed a child meanwhile, at this place.
#[inline(never)]
unsafe fn waited_for(thread: *mut Location, at: NodeOffset, child: u64, wait: u64) {
    // SAFETY: the contract of this module.
    unsafe {
        task::add_waiting(&mut *thread, at, cause::Place::from_word(child), wait);
        gate::open(thread, 0);
    }
}
