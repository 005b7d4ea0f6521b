//! The fast ways of guarded visits: a region in which nothing happens, and one with a body, as a
//! critical section has. Nothing is deferred for them; how far the visit has come and when says
//! what would have been ([`crate::guard::short`]), and records are made of that where something
//! else happens.
//!
//! What is called here is what [`crate::guard`] has met on the general way, a call path for each of
//! a few places that its region's number leads to; sums are added up there until they are needed.

use std::ptr::{self, null};

use pompeii_live::NodeOffset;

use super::kit;
use super::kit::gate::{self, Guarded};
use super::kit::step::{self, Step};
use crate::clock::Clock;
use crate::exclusion;
use crate::guard::short::{NO_PATH, PATHS, Path, Stage};
use crate::location::Location;
use crate::sync::{self, Lock};

/// Begins a visit; false where nothing was done.
#[inline(always)]
pub fn enter(thread: Guarded, key: u64, clock: impl Clock) -> bool {
    let thread = thread.address();
    // SAFETY: what `Guarded` says of the location.
    unsafe {
        let short = &raw mut (*thread).guard.short;
        let path = (&raw mut (*short).paths).cast::<Path>().add(key as usize % PATHS);
        // A part that is over may have been left without a word. Around it there is no other visit.
        if (*path).around != (*thread).header.current
            || (*path).part.key != key
            || (*thread).header.final_barrier != 0
        {
            return false;
        }
        let node = (*path).part.node;
        // The general way asks whether measuring a function is worth its cost.
        if exclusion::is_due((*kit::node(thread, node)).visits + 1) {
            return false;
        }
        let Some(now) = begin_event(thread, (*path).around, clock, |_| true) else { return false };
        (*kit::node(thread, node)).visits += 1;
        (*thread).header.current = node;
        ((*short).stage, (*short).open, (*short).times[0]) = (Stage::Entered, path, now);
        end_event(thread)
    }
}

/// Begins the body of the visit that is under way, with this lock or with none. `begun` gets the
/// node that was left for it, and the time since its event before.
#[inline(always)]
pub fn enter_body(
    thread: Guarded,
    key: u64,
    lock: Option<&'static Lock>,
    clock: impl Clock,
    begun: impl FnOnce(&mut Location, NodeOffset, u64),
) -> bool {
    let thread = thread.address();
    // SAFETY: what `Guarded` says of the location; locks are never freed.
    unsafe {
        let short = &raw mut (*thread).guard.short;
        let Path { part, body, .. } = &*(*short).open;
        let is_here = (*short).stage == Stage::Entered && (*thread).header.current == part.node;
        let asked = (*thread).header.last_ticks;
        let waits = lock.is_some_and(|lock| sync::is_contended(lock, asked));
        if !is_here || body.key != key || waits {
            return false;
        }
        let Some(now) = begin_event(thread, part.node, clock, |_| true) else { return false };
        (*kit::node(thread, body.node)).visits += 1;
        (*thread).header.current = body.node;
        if let Some(lock) = lock {
            sync::take(lock, (*thread).own.at(part.node));
            (*short).lock.1 = lock.order();
        }
        let lock = lock.map_or(null(), ptr::from_ref);
        ((*short).stage, (*short).times[1], (*short).lock.0) = (Stage::Inside, now, lock);
        begun(&mut *thread, part.node, now - asked);
        end_event(thread)
    }
}

/// Whether the visit that is under way has had its body.
#[inline(always)]
pub fn has_had_body(thread: Guarded) -> bool {
    // SAFETY: what `Guarded` says of the location.
    unsafe { (*thread.address()).guard.short.stage == Stage::Behind }
}

/// Ends a visit that was short; false where nothing was done.
#[inline(always)]
pub fn exit(thread: Guarded, key: u64, clock: impl Clock) -> bool {
    exit_then(thread, key, clock, |_, _, _| {})
}

/// The same where it has acquired this lock, whose release is silent from here on.
#[inline(always)]
pub fn exit_with_lock(thread: Guarded, key: u64, lock: &Lock, clock: impl Clock) -> bool {
    // SAFETY: what `Guarded` says of the location.
    let asked = unsafe { (*thread.address()).header.last_ticks };
    if sync::is_contended(lock, asked) {
        return false;
    }
    exit_then(thread, key, clock, |thread, at, now| {
        sync::found_free(thread, lock, at, now);
        lock.set_silent();
    })
}

/// Ends a visit that was short; false where nothing was done. `ended` gets its node and the time.
#[inline(always)]
fn exit_then(
    thread: Guarded,
    key: u64,
    clock: impl Clock,
    ended: impl FnOnce(&mut Location, NodeOffset, u64),
) -> bool {
    let thread = thread.address();
    // SAFETY: what `Guarded` says of the location.
    unsafe {
        let short = &raw mut (*thread).guard.short;
        // No path has the key of no region, nor a node that could be the current one.
        let path = (*short).open.cast_mut();
        if (*path).part.key != key || (*path).part.node != (*thread).header.current {
            return false;
        }
        let enter = (*short).times[0];
        let bound_ticks = (*path).bound_ticks;
        let is_short = |now| now - enter < bound_ticks;
        let Some(now) = begin_event(thread, (*path).part.node, clock, is_short) else {
            return false;
        };
        (*thread).header.current = (*path).around;
        (*path).total.add(now - enter);
        if (*short).stage == Stage::Behind {
            (*path).body_total.add((*short).times[2] - (*short).times[1]);
        }
        ended(&mut *thread, (*path).part.node, now);
        (*short).open = &raw const NO_PATH;
        end_event(thread)
    }
}

/// Ends the body of the visit that is under way, and gives its lock back. `ended` gets the node
/// that the thread is back in.
#[inline(always)]
pub fn exit_body(
    thread: Guarded,
    key: u64,
    clock: impl Clock,
    ended: impl FnOnce(&mut Location, NodeOffset),
) -> bool {
    let thread = thread.address();
    // SAFETY: what `Guarded` says of the location; locks are never freed.
    unsafe {
        let short = &raw mut (*thread).guard.short;
        let Path { part, body, .. } = &*(*short).open;
        let is_here = (*short).stage == Stage::Inside && (*thread).header.current == body.node;
        if !is_here || body.key != key {
            return false;
        }
        let Some(now) = begin_event(thread, body.node, clock, |_| true) else { return false };
        (*thread).header.current = part.node;
        ((*short).stage, (*short).times[2]) = (Stage::Behind, now);
        if let Some(lock) = (*short).lock.0.as_ref() {
            sync::give_back(lock, now);
        }
        ended(&mut *thread, part.node);
        end_event(thread)
    }
}

/// Begins an event at the current node: accounts the time until now, which it says. `None`, with
/// nothing done, where time has not grown, or is not `wanted`.
#[inline(always)]
unsafe fn begin_event(
    thread: *mut Location,
    current: NodeOffset,
    clock: impl Clock,
    wanted: impl FnOnce(u64) -> bool,
) -> Option<u64> {
    // SAFETY: the caller's promise.
    unsafe {
        gate::close(thread);
        let Some(step) = Step::take(thread, clock, wanted) else {
            end_event(thread);
            return None;
        };
        step::account(thread, current, step);
        Some(step.now)
    }
}

/// Ends an event.
#[inline(always)]
unsafe fn end_event(thread: *mut Location) -> bool {
    // SAFETY: the caller's promise.
    unsafe { gate::open(thread, gate::GUARDED) };
    true
}
