//! The short way of the common events: enter and exit of a region that this thread has visited
//! from here before, with nothing special going on.
//!
//! Everything that could be special is asked for before anything is changed, so that the long way
//! ([`crate::location`]) can start from the beginning, and the short one needs neither a stack
//! frame nor a call (about 30 instructions for an event of a profile, 46 for one of a trace).
//! While an event is under way the gate is busy: a signal handler's events then take the long way,
//! and are passed over there.

use std::sync::atomic::{Ordering, compiler_fence};

use pompeii_live::encode::{self, Packed};
use pompeii_live::{Node, NodeOffset};

use crate::cause::Place;
use crate::descriptor::{self, Defined, Descriptor, Handle, Slot};
use crate::events::{Records, kind};
use crate::location::{Location, gate};
use crate::sync;
use crate::{barrier, clock, tls};

/// An event on the short way.
struct Event {
    thread: *mut Location,
    handle: *const Handle,
    region: *const Defined,
    /// Current node.
    at: NodeOffset,
}

/// Enters the region; false where nothing was done.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn enter(descriptor: *mut Descriptor, slot: Slot) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::begin(descriptor, slot) else { return false };
        let child = event.hint();
        let done = event.is_region(child) && event.step((*event.region).enter).is_some();
        if done {
            event.go_to(child);
        }
        event.finish(done)
    }
}

/// Leaves the region; false where nothing was done.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn exit(descriptor: *mut Descriptor, slot: Slot) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::begin(descriptor, slot) else { return false };
        let done = event.is_region(event.at) && event.step((*event.region).leave).is_some();
        if done {
            event.leave();
        }
        event.finish(done)
    }
}

/// Leaves a worksharing construct: directly behind its barrier it shares that one's time.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn exit_worksharing(descriptor: *mut Descriptor, slot: Slot) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::begin(descriptor, slot) else { return false };
        let leave = (*event.region).leave;
        let done = event.is_region(event.at)
            && match (*event.thread).barrier_exit_ticks == event.last() {
                true => event.record(event.last(), leave),
                false => event.step(leave).is_some(),
            };
        if done {
            event.leave();
        }
        event.finish(done)
    }
}

/// Has a critical section's lock and enters its body.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn critical_begin(descriptor: *mut Descriptor) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::begin(descriptor, Slot::Body) else { return false };
        let (child, asked) = (event.hint(), event.last());
        let (lock, region) = ((*event.handle).lock, event.region);
        let records = |records: Records| {
            records.numbered(kind::ACQUIRE, &lock.fields, lock.next()).region((*region).enter)
        };
        let now = if event.is_region(child) { event.step_with(records) } else { None };
        if let Some(now) = now {
            let place = Place::new((*event.thread).index(), event.at);
            let (waited, holder) = sync::take(lock, place, (asked, now));
            if waited > 0 {
                sync::waited_for(&mut *event.thread, event.at, holder, waited);
            }
            event.go_to(child);
        }
        event.finish(now.is_some())
    }
}

/// Leaves a critical section's body and gives its lock back.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn critical_end(descriptor: *mut Descriptor) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::begin(descriptor, Slot::Body) else { return false };
        let (lock, region) = ((*event.handle).lock, event.region);
        let records = |records: Records| {
            records.region((*region).leave).numbered(kind::RELEASE, &lock.fields, lock.order())
        };
        let now = if event.is_region(event.at) { event.step_with(records) } else { None };
        if let Some(now) = now {
            sync::give_back(lock, now);
            event.leave();
        }
        event.finish(now.is_some())
    }
}

/// Enters the body of an ordered construct: the time since its enter was waiting for the turn.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn ordered_begin(descriptor: *mut Descriptor) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::begin(descriptor, Slot::OrderedBody) else { return false };
        let (child, asked) = (event.hint(), event.last());
        let around = (*event.handle).defined(Slot::Ordered);
        let short = event.is_region(child) && (*event.node(event.at)).key == around.key;
        let now = if short { event.step((*event.region).enter) } else { None };
        if let Some(now) = now {
            let before = (*event.handle).turn.last();
            sync::waited_for(&mut *event.thread, event.at, before, now - asked);
            event.go_to(child);
        }
        event.finish(now.is_some())
    }
}

/// Leaves the body of an ordered construct: the next iteration has its turn.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn ordered_end(descriptor: *mut Descriptor) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::begin(descriptor, Slot::OrderedBody) else { return false };
        let done = event.is_region(event.at) && event.step((*event.region).leave).is_some();
        if done {
            event.leave();
            (*event.handle).turn.passes(&*event.thread);
        }
        event.finish(done)
    }
}

/// Leaves an ordered construct; one without a body was nothing but waiting.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn ordered_exit(descriptor: *mut Descriptor) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::begin(descriptor, Slot::Ordered) else { return false };
        let asked = event.last();
        let short = event.is_region(event.at);
        let now = if short { event.step((*event.region).leave) } else { None };
        if let Some(now) = now {
            let node = event.node(event.at);
            if (*node).first_child == 0 && !(*event.handle).posts {
                (*node).wait_ticks += now - asked;
            }
            event.leave();
        }
        event.finish(now.is_some())
    }
}

/// Enters a barrier of the team and arrives at it.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn barrier_enter(descriptor: *mut Descriptor) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::begin(descriptor, Slot::Barrier) else { return false };
        let child = event.hint();
        let thread = &mut *event.thread;
        let short = event.is_region(child)
            && thread.contexts.top().is_between_barriers()
            && thread.tasks.current().is_null();
        let now = if short { event.step((*event.region).enter) } else { None };
        if let Some(now) = now {
            event.go_to(child);
            barrier::arrive_at(thread, child, now);
        }
        event.finish(now.is_some())
    }
}

/// Leaves a barrier of the team.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn barrier_exit(descriptor: *mut Descriptor) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(event) = Event::begin(descriptor, Slot::Barrier) else { return false };
        let thread = &mut *event.thread;
        let short = event.is_region(event.at)
            && thread.contexts.top().is_in_barrier(event.at)
            && thread.tasks.current().is_null();
        let now = if short { event.step((*event.region).leave) } else { None };
        if let Some(now) = now {
            barrier::leave(thread, false, now);
            thread.barrier_exit_ticks = now;
            event.leave();
        }
        event.finish(now.is_some())
    }
}

impl Event {
    /// This thread's location and the region, where both are known and the gate was open; it is
    /// busy then.
    #[inline(always)]
    unsafe fn begin(descriptor: *mut Descriptor, slot: Slot) -> Option<Event> {
        let thread = tls::location()?;
        // SAFETY: the caller's promise; locations are never freed.
        unsafe {
            let handle = descriptor::known_handle(descriptor)?;
            if (*thread).gate != 0 {
                return None;
            }
            (&raw mut (*thread).gate).write_volatile(gate::BUSY);
            compiler_fence(Ordering::SeqCst);
            let (region, at) = (handle.defined(slot), (*thread).header.current);
            Some(Event { thread, handle, region, at })
        }
    }

    /// Opens the gate again.
    #[inline(always)]
    unsafe fn finish(&self, done: bool) -> bool {
        compiler_fence(Ordering::SeqCst);
        // SAFETY: the caller's promise.
        unsafe { (&raw mut (*self.thread).gate).write_volatile(0) };
        done
    }

    /// The node that is there, the location itself for 0: both lie in one mapping.
    #[inline(always)]
    unsafe fn node(&self, at: NodeOffset) -> *mut Node {
        // SAFETY: the caller's promise: an offset that `Location::make_child` has given, or 0.
        unsafe { self.thread.cast::<u8>().add(at as usize).cast() }
    }

    /// The current node's child that was taken last, 0 where none was: see [`Event::is_region`].
    #[inline(always)]
    unsafe fn hint(&self) -> NodeOffset {
        // SAFETY: the caller's promise.
        unsafe { (*self.node(self.at)).hint }
    }

    /// Whether this is the region's node. No node, 0, is not: the file begins with its magic
    /// number, which is no key.
    #[inline(always)]
    unsafe fn is_region(&self, at: NodeOffset) -> bool {
        // SAFETY: the caller's promise.
        unsafe { (*self.node(at)).key == (*self.region).key }
    }

    #[inline(always)]
    unsafe fn go_to(&self, child: NodeOffset) {
        // SAFETY: the caller's promise.
        unsafe {
            (*self.node(child)).visits += 1;
            (*self.thread).header.current = child;
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

    /// Accounts the time until now, and appends the record; `None`, with nothing done, where time
    /// has not grown or the chunk is full.
    #[inline(always)]
    unsafe fn step(&self, record: Packed) -> Option<u64> {
        // SAFETY: the caller's promise.
        unsafe { self.step_with(|records| records.region(record)) }
    }

    /// The same with several records.
    #[inline(always)]
    unsafe fn step_with(&self, write: impl FnOnce(Records) -> Records) -> Option<u64> {
        // SAFETY: the caller's promise.
        unsafe {
            let (now, last) = (clock::tsc(), self.last());
            if now <= last {
                return None;
            }
            if (*self.thread).tracing {
                let events = &mut (*self.thread).events;
                write(Records::begin(events, now)?).end(events, now);
            }
            (*self.node(self.at)).ticks += now - last;
            (*self.thread).header.last_ticks = now;
            Some(now)
        }
    }

    /// Appends the record, where there is a trace; false where the chunk is full.
    #[inline(always)]
    unsafe fn record(&self, now: u64, record: Packed) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            if !(*self.thread).tracing {
                return true;
            }
            let events = &mut (*self.thread).events;
            let Some(room) = events.room() else { return false };
            let bytes = encode::packed(&mut *room, &mut events.last_time, now, record);
            events.advance(bytes);
            true
        }
    }
}
