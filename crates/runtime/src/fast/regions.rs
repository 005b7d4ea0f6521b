//! The fast ways of regions: enter and exit, locks, turns and barriers.
//!
//! They need neither a stack frame nor a call (about 26 instructions for an event of a profile, 39
//! for one of a trace). What is rare and comes last is a call that does not return here. Their
//! general ways are in [`crate::location`], [`crate::sync`] and [`crate::barrier`].
//!
//! Each of them is made for one value of the gate: none, or that of a location with guarded call
//! paths, whose visits have a way of their own ([`super::guarded`]), and whose enclosing regions
//! are left on the general way, where sums are written.

use std::sync::atomic::Ordering::Relaxed;

use pompeii_live::NodeOffset;

use super::event::Event;
use super::kit::gate::{self, Here};
use super::kit::step::Step;
use crate::arrivals;
use crate::atomics;
use crate::barrier::{self, Phase};
use crate::cause::Place;
use crate::clock::Clock;
use crate::descriptor::{Defined, Handle, Named, Slot};
use crate::events::kind;
use crate::location::Location;
use crate::sync::{self, Lock};

/// Enters the region; false where nothing was done and something is to be done. After the event,
/// `entered` gets the visits of the call path.
#[inline(always)]
pub fn enter<const GATE: u32>(
    thread: Here,
    handle: &'static Handle,
    slot: Slot,
    clock: impl Clock,
    entered: impl FnOnce(u64),
) -> bool {
    // SAFETY: the contract of `Event`, which begins here.
    unsafe {
        let Some(event) = Event::<GATE>::begin_known(thread, handle, slot) else { return false };
        let Some(child) = event.child() else { return event.is_excluded() };
        // The guard's own fast way has declined it, but the general way may still sum it.
        if GATE != 0 && (*event.thread).guard.may_sum(child as NodeOffset) {
            return false;
        }
        if event.step(clock, |region| region.enter).is_none() {
            return false;
        }
        event.go_to(child);
        event.finish();
        entered((*event.node(child)).visits);
        true
    }
}

/// Enters a worksharing loop, which has `count` iterations in all; false where nothing was done and
/// something is to be done. Without `TRACE` nothing is done for a thread with a trace, nor if the
/// number of iterations is another one than last time, so that the event needs fewer registers.
#[inline(always)]
pub fn enter_loop<const TRACE: bool>(
    thread: Here,
    handle: &'static Handle,
    count: i64,
    clock: impl Clock,
) -> bool {
    // SAFETY: the contract of `Event`, which begins here.
    unsafe {
        let slot = Slot::Worksharing;
        let Some(event) = Event::<0>::begin_known(thread, handle, slot) else { return false };
        if !TRACE && (*event.thread).tracing {
            return false;
        }
        let Some(child) = event.child() else { return (*event.handle).is_filtered(slot) };
        if !TRACE && !(*event.node(child)).has_iterations(count) {
            return false;
        }
        let step = match TRACE {
            true => event.step(clock, |region| region.enter),
            false => event.step_untraced(clock),
        };
        if step.is_none() {
            return false;
        }
        event.go_to(child);
        if TRACE && !(*event.node(child)).has_iterations(count) {
            return begin_iterations(&event, child, count);
        }
        event.finish()
    }
}

/// The end of [`enter_loop`] where the number of iterations is another one than last time.
#[cold]
#[inline(never)]
unsafe fn begin_iterations(event: &Event<0>, child: usize, count: i64) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        if (*event.handle).extended {
            (*event.node(child)).note_iterations(count);
        }
        event.finish()
    }
}

/// Counts a visit of the region; false where nothing was done and something is to be done.
#[inline(always)]
pub fn count(thread: Here, handle: &'static Handle, slot: Slot) -> bool {
    // SAFETY: the contract of `Event`, which begins here.
    unsafe {
        let Some(event) = Event::<0>::begin_known(thread, handle, slot) else { return false };
        let Some(child) = event.child() else { return false };
        let visits = (*event.node(child)).visits + 1;
        (*event.node(child)).visits = visits;
        if atomics::is_sampled(visits, slot) && !handle.calls {
            atomics::begin(event.thread, child);
        }
        true
    }
}

/// Leaves the region; false where nothing was done and something is to be done.
#[inline(always)]
pub fn exit<const GATE: u32>(
    thread: Here,
    handle: &'static Handle,
    slot: Slot,
    clock: impl Clock,
) -> bool {
    // SAFETY: the contract of `Event`, which begins here.
    unsafe {
        let Some(event) = Event::<GATE>::begin_known(thread, handle, slot) else { return false };
        if !event.can_leave() {
            return event.is_excluded_here();
        }
        if event.step(clock, |region| region.leave).is_none() {
            return false;
        }
        event.leave();
        event.finish()
    }
}

/// Leaves a worksharing construct: directly after its barrier it shares the time of the barrier.
#[inline(always)]
pub fn exit_worksharing<const GATE: u32>(
    descriptor: impl Named,
    slot: Slot,
    clock: impl Clock,
) -> bool {
    // SAFETY: the contract of `Event`, which begins here.
    unsafe {
        let Some(event) = Event::<GATE>::begin(descriptor, slot) else { return false };
        if !event.can_leave() {
            return false;
        }
        let done = match (*event.thread).barrier_exit_ticks == event.last() {
            true => event.share(|region| region.leave),
            false => event.step(clock, |region| region.leave).is_some(),
        };
        if !done {
            return false;
        }
        event.leave();
        event.finish()
    }
}

/// Leaves the body of a construct and, at the same time, the construct.
#[inline(always)]
pub fn exit_with_body<const GATE: u32>(descriptor: impl Named, clock: impl Clock) -> bool {
    // SAFETY: the contract of `Event`, which begins here.
    unsafe {
        let Some(event) = Event::<GATE>::begin(descriptor, Slot::Body) else { return false };
        exit_with_construct(&event, clock).is_some() && event.finish()
    }
}

/// Leaves the implicit barrier of a construct and, at the same time, the construct, in a team of
/// one thread.
#[inline(always)]
pub fn exit_with_barrier<const GATE: u32>(descriptor: impl Named, clock: impl Clock) -> bool {
    // SAFETY: the contract of `Event`, which begins here.
    unsafe {
        let Some(event) = Event::<GATE>::begin(descriptor, Slot::Barrier) else { return false };
        if !(*event.thread).alone {
            return false;
        }
        let Some(Step { now, .. }) = exit_with_construct(&event, clock) else { return false };
        (*event.thread).barrier_exit_ticks = now;
        event.finish()
    }
}

/// Leaves the region of the event, and the construct around it; `None`, with nothing done, if the
/// thread is not there.
#[inline(always)]
unsafe fn exit_with_construct<const GATE: u32>(
    event: &Event<GATE>,
    clock: impl Clock,
) -> Option<Step> {
    // SAFETY: the caller's promise. The construct has a node, so its region is written.
    unsafe {
        let around = (*event.node(event.at)).parent;
        let construct = (*event.handle).place(Slot::Worksharing);
        if !event.can_leave() || (*event.node(around)).key != Defined::key_at(construct) {
            return None;
        }
        let step = event.step_with(clock, |records, inner| {
            records.region(inner.leave).region((*construct).leave)
        })?;
        (*event.thread).header.current = (*event.node(around)).parent;
        Some(step)
    }
}

/// Has a critical section's lock and enters its body.
#[inline(always)]
pub fn critical_begin<const GATE: u32>(descriptor: impl Named, clock: impl Clock) -> bool {
    // SAFETY: the contract of `Event`, which begins here.
    unsafe {
        let Some(event) = Event::<GATE>::begin(descriptor, Slot::Body) else { return false };
        let Some(child) = event.last_child() else { return false };
        let lock = (*event.handle).lock;
        let Some(step) = event.step_with(clock, |records, region| {
            records.numbered(kind::ACQUIRE, &lock.fields(), lock.next()).region(region.enter)
        }) else {
            return false;
        };
        event.go_to(child);
        if sync::is_contended(lock, step.last) {
            return take_contended::<GATE>(event.thread, lock, event.at, step);
        }
        sync::take(lock, event.place(event.at));
        event.finish()
    }
}

/// The end of [`critical_begin`] where the lock was given back since the request at `node`.
#[cold]
#[inline(never)]
unsafe fn take_contended<const GATE: u32>(
    thread: *mut Location,
    lock: &Lock,
    node: NodeOffset,
    Step { now, last, .. }: Step,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        sync::waited(&mut *thread, lock, node, (last, now));
        sync::take(lock, (*thread).own.at(node));
        gate::open(thread, GATE);
        true
    }
}

/// Leaves a critical section's body and gives its lock back.
#[inline(always)]
pub fn critical_end<const GATE: u32>(descriptor: impl Named, clock: impl Clock) -> bool {
    // SAFETY: the contract of `Event`, which begins here.
    unsafe {
        let Some(event) = Event::<GATE>::begin(descriptor, Slot::Body) else { return false };
        if !event.can_leave() {
            return false;
        }
        let lock = (*event.handle).lock;
        let Some(Step { now, .. }) = event.step_with(clock, |records, region| {
            records.region(region.leave).numbered(kind::RELEASE, &lock.fields(), lock.order())
        }) else {
            return false;
        };
        sync::give_back(lock, now);
        event.leave();
        event.finish()
    }
}

/// Enters the body of an ordered construct: the time since its enter was waiting for the turn.
#[inline(always)]
pub fn ordered_begin<const GATE: u32>(descriptor: impl Named, clock: impl Clock) -> bool {
    // SAFETY: the contract of `Event`, which begins here.
    unsafe {
        let Some(event) = Event::<GATE>::begin(descriptor, Slot::OrderedBody) else { return false };
        let Some(child) = event.last_child() else { return false };
        if (*event.node(event.at)).key != (*event.handle).key(Slot::Ordered) {
            return false;
        }
        let Some(Step { ticks, .. }) = event.step(clock, |region| region.enter) else {
            return false;
        };
        event.go_to(child);
        let before = (*event.handle).turn.last();
        if before.is_beside((*event.thread).own) {
            // Nobody else has had the turn.
            (*event.node(event.at)).wait_ticks += ticks;
        } else if !event.wait_for(before, ticks) {
            return turn_of_another::<GATE>(descriptor, ticks, event.at, event.thread);
        }
        event.finish()
    }
}

/// The end of [`ordered_begin`] where it was not waited for whom it was last time. (What is in a
/// register until here stays there.)
#[cold]
#[inline(never)]
unsafe fn turn_of_another<const GATE: u32>(
    descriptor: impl Named,
    ticks: u64,
    node: NodeOffset,
    thread: *mut Location,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let before = descriptor.handle().turn.last();
        sync::waited_for(&mut *thread, node, before, ticks);
        gate::open(thread, GATE);
        true
    }
}

/// The end of [`ordered_exit`] where there was no body, likewise: since the location's event before
/// it was waited for whoever has come to the `source` last.
#[cold]
#[inline(never)]
unsafe fn source_of_another<const GATE: u32>(
    ticks: u64,
    node: NodeOffset,
    now: u64,
    thread: *mut Location,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let by = sync::posted_since(&*thread, now - ticks);
        sync::waited_for(&mut *thread, node, by, ticks);
        gate::open(thread, GATE);
        true
    }
}

/// Leaves the body of an ordered construct: the next iteration has its turn.
#[inline(always)]
pub fn ordered_end<const GATE: u32>(descriptor: impl Named, clock: impl Clock) -> bool {
    // SAFETY: the contract of `Event`, which begins here.
    unsafe {
        let Some(event) = Event::<GATE>::begin(descriptor, Slot::OrderedBody) else { return false };
        if !event.can_leave() || event.step(clock, |region| region.leave).is_none() {
            return false;
        }
        event.leave();
        (*event.handle).turn.passes(event.place((*event.node(event.at)).parent));
        event.finish()
    }
}

/// Leaves an ordered construct; one without a body was nothing but waiting.
#[inline(always)]
pub fn ordered_exit<const GATE: u32>(descriptor: impl Named, clock: impl Clock) -> bool {
    // SAFETY: the contract of `Event`, which begins here.
    unsafe {
        let Some(event) = Event::<GATE>::begin(descriptor, Slot::Ordered) else { return false };
        if !event.can_leave() {
            return false;
        }
        let Some(Step { now, ticks, .. }) = event.step(clock, |region| region.leave) else {
            return false;
        };
        event.leave();
        if (*event.node(event.at)).first_child == 0 {
            return source_of_another::<GATE>(ticks, event.at, now, event.thread);
        }
        event.finish()
    }
}

/// Enters a barrier of the team and arrives at it. To a thread that is alone it is no border.
#[inline(always)]
pub fn barrier_enter<const GATE: u32>(descriptor: impl Named, clock: impl Clock) -> bool {
    // SAFETY: the contract of `Event`, which begins here.
    unsafe {
        let Some(event) = Event::<GATE>::begin(descriptor, Slot::Barrier) else { return false };
        let Some(child) = event.child() else { return false };
        if (*event.thread).alone {
            if event.step(clock, |region| region.enter).is_none() {
                return false;
            }
            event.go_to(child);
            return event.finish();
        }
        let context = (*event.thread).contexts.top_mut();
        // In a task it is no barrier of the team.
        let is_ours = (*event.thread).tasks.current().is_null();
        if context.barrier.phase != Phase::BETWEEN || !is_ours {
            return false;
        }
        let Some(Step { now, .. }) = event.border(clock, |region| region.enter) else {
            return false;
        };
        event.go_to(child);
        let (record, node) = (context.record(), event.node(child));
        let child = child as NodeOffset;
        context.barrier.enter(Phase::within(child), (*node).ticks, now);
        context.barrier.generation = record.generation.load(Relaxed);
        let place = event.place(child).word();
        if let Some(last) = arrivals::arrive(record, context.size, now, place) {
            (*node).last_arrivals += 1;
            (*node).delay_ticks += last.waited;
            (*node).add_square(last.square);
        }
        event.finish()
    }
}

/// Leaves a barrier of the team. A thread that waited longer than it is since the last event,
/// or for another thread than last time, or for tasks, leaves it by a call.
#[inline(always)]
pub fn barrier_exit<const GATE: u32>(descriptor: impl Named, clock: impl Clock) -> bool {
    // SAFETY: the contract of `Event`, which begins here.
    unsafe {
        let Some(event) = Event::<GATE>::begin(descriptor, Slot::Barrier) else { return false };
        if !event.can_leave() {
            return false;
        }
        if (*event.thread).alone {
            let Some(step) = event.step(clock, |region| region.leave) else { return false };
            event.leave();
            (*event.thread).barrier_exit_ticks = step.now;
            return event.finish();
        }
        let context = (*event.thread).contexts.top_mut();
        if context.barrier.phase != Phase::within(event.at) {
            return false;
        }
        let Some(step) = event.border(clock, |region| region.leave) else { return false };
        event.leave();
        (*event.thread).barrier_exit_ticks = step.now;
        let (record, enter) = (context.record(), context.barrier.enter);
        let latest = arrivals::published(record);
        if latest > enter {
            let (wait, by) = (latest - enter, arrivals::place(record));
            if wait > step.ticks || !event.wait_for(Place::from_word(by), wait) {
                return leave_barrier::<GATE>(event.thread, step.now);
            }
            (*event.node(event.at)).add_square(arrivals::square(record, wait));
        }
        context.barrier.phase = Phase::BETWEEN;
        event.finish()
    }
}

/// The end of [`barrier_exit`] where there is more to note down.
#[cold]
#[inline(never)]
unsafe fn leave_barrier<const GATE: u32>(thread: *mut Location, now: u64) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        barrier::leave(&mut *thread, false, now);
        gate::open(thread, GATE);
        true
    }
}
