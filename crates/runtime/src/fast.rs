//! The short way of the common events: enter and exit of a region that this thread has visited
//! from here before, with nothing special going on.
//!
//! Everything that could be special is asked for before anything is changed, so that the long way
//! ([`crate::location`]) can start from the beginning, and the short one needs neither a stack
//! frame nor a call (about 26 instructions for an event of a profile, 39 for one of a trace). What
//! is rare and comes last is a call that does not return here. While an event is under way the gate
//! is busy: a signal handler's events then take the long way, and are passed over there.
//!
//! Each of them is made for one value of the gate: none, or that of a location with guarded call
//! paths, whose visits the guard has a way for ([`crate::guard_short`]), and whose enclosing
//! regions are left on the long way, where sums are written.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{Ordering, compiler_fence};

use pompeii_live::encode::{self, Packed};
use pompeii_live::{Node, NodeOffset};

use crate::arrivals;
use crate::barrier::{self, Phase};
use crate::cause::Place;
use crate::descriptor::{self, Defined, Descriptor, Handle, Slot};
use crate::events::{Records, kind};
use crate::location::{Location, gate};
use crate::sync::{self, Lock};
use crate::{clock, raw, tls};

/// An event on the short way, where the gate is `GATE`.
struct Event<const GATE: u32> {
    thread: *mut Location,
    handle: *const Handle,
    slot: Slot,
    /// Current node.
    at: NodeOffset,
}

/// When an event happens.
#[derive(Clone, Copy)]
struct Step {
    now: u64,
    /// The location's event before, and the time since then.
    last: u64,
    ticks: u64,
}

/// This thread's location, or what stands in for it, and the descriptor's handle, if that is known.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn known(descriptor: *mut Descriptor) -> Option<(*mut Location, &'static Handle)> {
    let thread = tls::here();
    // SAFETY: the caller's promise.
    unsafe { descriptor::known_handle(descriptor) }.map(|handle| (thread, handle))
}

/// Enters the region; false where nothing was done and something is to be done.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn enter<const GATE: u32>(
    thread: *mut Location,
    handle: &'static Handle,
    slot: Slot,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::<GATE>::begin_known(thread, handle, slot) else { return false };
        let Some(child) = event.child() else { return (*event.handle).is_filtered(slot) };
        if event.step(|region| region.enter).is_none() {
            return false;
        }
        event.go_to(child);
        event.finish()
    }
}

/// Counts a visit of the region; false where nothing was done and something is to be done.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn count(thread: *mut Location, handle: &'static Handle, slot: Slot) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::<0>::begin_known(thread, handle, slot) else { return false };
        let Some(child) = event.child() else { return false };
        (*event.node(child)).visits += 1;
        true
    }
}

/// Leaves the region; false where nothing was done and something is to be done.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn exit<const GATE: u32>(
    thread: *mut Location,
    handle: &'static Handle,
    slot: Slot,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::<GATE>::begin_known(thread, handle, slot) else { return false };
        if !event.can_leave() {
            return (*event.handle).is_filtered(slot);
        }
        if event.step(|region| region.leave).is_none() {
            return false;
        }
        event.leave();
        event.finish()
    }
}

/// Leaves a worksharing construct: directly behind its barrier it shares that one's time.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn exit_worksharing<const GATE: u32>(descriptor: *mut Descriptor, slot: Slot) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::<GATE>::begin(descriptor, slot) else { return false };
        if !event.can_leave() {
            return false;
        }
        let done = match (*event.thread).barrier_exit_ticks == event.last() {
            true => event.share(|region| region.leave),
            false => event.step(|region| region.leave).is_some(),
        };
        if !done {
            return false;
        }
        event.leave();
        event.finish()
    }
}

/// Has a critical section's lock and enters its body.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn critical_begin<const GATE: u32>(descriptor: *mut Descriptor) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::<GATE>::begin(descriptor, Slot::Body) else { return false };
        let child = event.hint() as usize;
        if !event.is_region(child) {
            return false;
        }
        let lock = (*event.handle).lock;
        let Some(step) = event.step_with(|records, region| {
            records.numbered(kind::ACQUIRE, &lock.fields, lock.next()).region(region.enter)
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
        open_gate::<GATE>(thread)
    }
}

/// Leaves a critical section's body and gives its lock back.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn critical_end<const GATE: u32>(descriptor: *mut Descriptor) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::<GATE>::begin(descriptor, Slot::Body) else { return false };
        if !event.can_leave() {
            return false;
        }
        let lock = (*event.handle).lock;
        let Some(Step { now, .. }) = event.step_with(|records, region| {
            records.region(region.leave).numbered(kind::RELEASE, &lock.fields, lock.order())
        }) else {
            return false;
        };
        sync::give_back(lock, now);
        event.leave();
        event.finish()
    }
}

/// Enters the body of an ordered construct: the time since its enter was waiting for the turn.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn ordered_begin<const GATE: u32>(descriptor: *mut Descriptor) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::<GATE>::begin(descriptor, Slot::OrderedBody) else { return false };
        let child = event.hint() as usize;
        let around = (*event.handle).key(Slot::Ordered);
        if !event.is_region(child) || (*event.node(event.at)).key != around {
            return false;
        }
        let Some(Step { ticks, .. }) = event.step(|region| region.enter) else { return false };
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
    descriptor: *mut Descriptor,
    ticks: u64,
    node: NodeOffset,
    thread: *mut Location,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let before = descriptor::handle(descriptor).turn.last();
        sync::waited_for(&mut *thread, node, before, ticks);
        open_gate::<GATE>(thread)
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
        open_gate::<GATE>(thread)
    }
}

/// Leaves the body of an ordered construct: the next iteration has its turn.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn ordered_end<const GATE: u32>(descriptor: *mut Descriptor) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::<GATE>::begin(descriptor, Slot::OrderedBody) else { return false };
        if !event.can_leave() || event.step(|region| region.leave).is_none() {
            return false;
        }
        event.leave();
        (*event.handle).turn.passes(event.place((*event.node(event.at)).parent));
        event.finish()
    }
}

/// Leaves an ordered construct; one without a body was nothing but waiting.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn ordered_exit<const GATE: u32>(descriptor: *mut Descriptor) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::<GATE>::begin(descriptor, Slot::Ordered) else { return false };
        if !event.can_leave() {
            return false;
        }
        let Some(Step { now, ticks, .. }) = event.step(|region| region.leave) else {
            return false;
        };
        event.leave();
        if (*event.node(event.at)).first_child == 0 {
            return source_of_another::<GATE>(ticks, event.at, now, event.thread);
        }
        event.finish()
    }
}

/// Enters a barrier of the team and arrives at it.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn barrier_enter<const GATE: u32>(descriptor: *mut Descriptor) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::<GATE>::begin(descriptor, Slot::Barrier) else { return false };
        let Some(child) = event.child() else { return false };
        if (*event.thread).alone {
            if event.step(|region| region.enter).is_none() {
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
        let Some(Step { now, .. }) = event.step(|region| region.enter) else { return false };
        event.go_to(child);
        let (record, node) = (context.record(), event.node(child));
        let child = child as NodeOffset;
        context.barrier.enter(Phase::within(child), (*node).ticks, now);
        context.barrier.generation = record.generation.load(Relaxed);
        let place = event.place(child).word();
        if let Some(waited) = arrivals::arrive(record, context.size, now, place) {
            (*node).last_arrivals += 1;
            (*node).delay_ticks += waited;
        }
        event.finish()
    }
}

/// Leaves a barrier of the team. Who waited longer than it is since the last event, or for somebody
/// else than last time, or for tasks, leaves it by a call.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn barrier_exit<const GATE: u32>(descriptor: *mut Descriptor) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::<GATE>::begin(descriptor, Slot::Barrier) else { return false };
        if !event.can_leave() {
            return false;
        }
        if (*event.thread).alone {
            let Some(step) = event.step(|region| region.leave) else { return false };
            event.leave();
            (*event.thread).barrier_exit_ticks = step.now;
            return event.finish();
        }
        let context = (*event.thread).contexts.top_mut();
        if context.barrier.phase != Phase::within(event.at) {
            return false;
        }
        let Some(step) = event.step(|region| region.leave) else { return false };
        event.leave();
        (*event.thread).barrier_exit_ticks = step.now;
        let (record, enter) = (context.record(), context.barrier.enter);
        let latest = arrivals::published(record);
        if latest > enter {
            let (wait, by) = (latest - enter, arrivals::place(record));
            if wait > step.ticks || !event.wait_for(Place::from_word(by), wait) {
                return leave_barrier::<GATE>(event.thread, step.now);
            }
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
        open_gate::<GATE>(thread)
    }
}

/// Signal handlers must not find half an event: from here on theirs are passed over.
#[inline(always)]
unsafe fn close_gate(thread: *mut Location) {
    // SAFETY: the caller's promise.
    unsafe { (&raw mut (*thread).gate).write_volatile(gate::BUSY) };
    compiler_fence(Ordering::SeqCst);
}

/// The event is over.
#[inline(always)]
unsafe fn open_gate<const GATE: u32>(thread: *mut Location) -> bool {
    compiler_fence(Ordering::SeqCst);
    // SAFETY: the caller's promise.
    unsafe { (&raw mut (*thread).gate).write_volatile(GATE) };
    true
}

impl<const GATE: u32> Event<GATE> {
    /// Where this thread is, if the descriptor is known and the gate is this one.
    #[inline(always)]
    unsafe fn begin(descriptor: *mut Descriptor, slot: Slot) -> Option<Self> {
        // SAFETY: the caller's promise.
        unsafe {
            let (thread, handle) = known(descriptor)?;
            Self::begin_known(thread, handle, slot)
        }
    }

    #[inline(always)]
    unsafe fn begin_known(
        thread: *mut Location,
        handle: *const Handle,
        slot: Slot,
    ) -> Option<Self> {
        // SAFETY: the caller's promise; locations are never freed.
        unsafe {
            if (*thread).gate != GATE || (GATE != 0 && (*thread).guard.is_open()) {
                return None;
            }
            Some(Self { thread, handle, slot, at: (*thread).header.current })
        }
    }

    /// Opens the gate again.
    #[inline(always)]
    unsafe fn finish(&self) -> bool {
        // SAFETY: the caller's promise.
        unsafe { open_gate::<GATE>(self.thread) }
    }

    /// The node that is there, the location itself for 0: both lie in one mapping.
    #[inline(always)]
    unsafe fn node(&self, at: impl raw::Place) -> *mut Node {
        // SAFETY: the caller's promise: an offset that `Location::make_child` has given, or 0.
        unsafe { raw::node(self.thread, at) }
    }

    /// The current node's child that was taken last, 0 where none was: see [`Event::is_region`].
    #[inline(always)]
    unsafe fn hint(&self) -> NodeOffset {
        // SAFETY: the caller's promise.
        unsafe { (*self.node(self.at)).hint }
    }

    /// The region's node below the current one, if it is where it probably is: the one that was
    /// taken last, the one behind it, as they were taken first, or the first of all.
    #[inline(always)]
    unsafe fn child(&self) -> Option<usize> {
        // SAFETY: the caller's promise.
        unsafe {
            let hint = self.hint() as usize;
            if self.is_region(hint) {
                return Some(hint);
            }
            if hint == 0 {
                return None;
            }
            let mut child = (*self.node(hint)).sibling as usize;
            if !self.is_region(child) {
                child = (*self.node(self.at)).first_child as usize;
                if !self.is_region(child) {
                    return None;
                }
            }
            (*self.node(self.at)).hint = child as NodeOffset;
            Some(child)
        }
    }

    /// Whether this is the region's node. No node, 0, is not: the file begins with its magic
    /// number, which is no key.
    #[inline(always)]
    unsafe fn is_region(&self, at: impl raw::Place) -> bool {
        // SAFETY: the caller's promise.
        unsafe { (*self.node(at)).key == (*self.handle).key(self.slot) }
    }

    /// Whether the current node is the region's, and nothing is to be written before its end.
    #[inline(always)]
    unsafe fn can_leave(&self) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.is_region(self.at) && (GATE == 0 || !(*self.thread).guard.concerns(self.at)) }
    }

    /// The region, where [`Event::is_region`] has found a node of it.
    #[inline(always)]
    unsafe fn region(&self) -> &'static Defined {
        // SAFETY: the caller's promise; what has a node is written.
        unsafe { &*(*self.handle).place(self.slot) }
    }

    #[inline(always)]
    unsafe fn go_to(&self, child: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            (*self.node(child)).visits += 1;
            (*self.thread).header.current = child as NodeOffset;
        }
    }

    #[inline(always)]
    unsafe fn leave(&self) {
        // SAFETY: the caller's promise.
        unsafe { (*self.thread).header.current = (*self.node(self.at)).parent };
    }

    #[inline(always)]
    unsafe fn last(&self) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { (*self.thread).header.last_ticks }
    }

    /// What names a node of this thread for others.
    #[inline(always)]
    unsafe fn place(&self, node: NodeOffset) -> Place {
        // SAFETY: the caller's promise.
        unsafe { (*self.thread).own.at(node) }
    }

    /// The current node has waited for what was going on at `place`; false, with nothing done,
    /// where that is not what it has waited for last.
    #[inline(always)]
    unsafe fn wait_for(&self, place: Place, wait: u64) -> bool {
        // SAFETY: the caller's promise. No cause, 0, has no place's key: see `is_region`.
        unsafe {
            let node = self.node(self.at);
            let cause = self.node((*node).private as NodeOffset);
            if (*cause).key != place.word() {
                return false;
            }
            (*node).wait_ticks += wait;
            (*cause).visits += 1;
            (*cause).wait_ticks += wait;
            true
        }
    }

    /// Closes the gate, accounts the time until now, and appends the record; `None`, with nothing
    /// done, where time has not grown or the chunk is full.
    #[inline(always)]
    unsafe fn step(&self, record: impl FnOnce(&Defined) -> Packed) -> Option<Step> {
        // SAFETY: the caller's promise.
        unsafe { self.step_with(|records, region| records.region(record(region))) }
    }

    /// The same with several records.
    #[inline(always)]
    unsafe fn step_with(&self, write: impl FnOnce(Records, &Defined) -> Records) -> Option<Step> {
        // SAFETY: the caller's promise.
        unsafe {
            close_gate(self.thread);
            let step = self.try_step(write);
            if step.is_none() {
                self.finish();
            }
            step
        }
    }

    #[inline(always)]
    unsafe fn try_step(&self, write: impl FnOnce(Records, &Defined) -> Records) -> Option<Step> {
        // SAFETY: the caller's promise.
        unsafe {
            let (now, last) = (clock::tsc(), self.last());
            if now <= last {
                return None;
            }
            let step = Step { now, last, ticks: now - last };
            if (*self.thread).tracing {
                let events = &mut (*self.thread).events;
                write(Records::begin(events, now)?, self.region()).end(events, now);
            }
            (*self.node(self.at)).ticks += step.ticks;
            (*self.thread).header.last_ticks = now;
            Some(step)
        }
    }

    /// Closes the gate and appends a record with the time of the last event, where there is a
    /// trace; false, with nothing done, where the chunk is full.
    #[inline(always)]
    unsafe fn share(&self, record: impl FnOnce(&Defined) -> Packed) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            close_gate(self.thread);
            if !(*self.thread).tracing {
                return true;
            }
            let (events, time) = (&mut (*self.thread).events, self.last());
            let Some(room) = events.room() else {
                self.finish();
                return false;
            };
            let record = record(self.region());
            let bytes = encode::packed(&mut *room, &mut events.last_time, time, record);
            events.advance(bytes);
            true
        }
    }
}
