//! A location as the short ways of task events see it: by its address. From references a compiler
//! keeps more in registers, and saves more of them, than these few instructions are worth.
//!
//! # Safety
//! One contract for all functions: `thread` is this thread's location, whose gate is open but for
//! what the event names; a region's place is that of a [`Handle`](crate::descriptor::Handle), and
//! nothing of it is read but its key, unless that is the key of a node.

use std::sync::atomic::{Ordering, compiler_fence};

use pompeii_live::{Node, NodeOffset};

use crate::clock::Clock;
use crate::location::{Location, gate};

/// The node that is there; the location itself, whose first word is no key, for 0.
#[inline(always)]
pub unsafe fn node(thread: *mut Location, at: NodeOffset) -> *mut Node {
    // SAFETY: the contract of this module; nodes lie in the location's own mapping.
    unsafe { thread.cast::<u8>().add(at as usize).cast() }
}

/// The child of this key among those of a node, if it was visited before.
#[inline(always)]
pub unsafe fn search(thread: *mut Location, parent: NodeOffset, key: u64) -> Option<NodeOffset> {
    // SAFETY: the contract of this module.
    unsafe {
        let mut child = (*node(thread, parent)).first_child;
        loop {
            if (*node(thread, child)).key == key {
                return Some(child);
            }
            if child == 0 {
                return None;
            }
            child = (*node(thread, child)).sibling;
        }
    }
}

/// The same, where the child that was taken last is tried first.
#[inline(always)]
pub unsafe fn known(thread: *mut Location, parent: NodeOffset, key: u64) -> Option<NodeOffset> {
    // SAFETY: the contract of this module.
    unsafe {
        let hint = (*node(thread, parent)).hint;
        if (*node(thread, hint)).key == key {
            return Some(hint);
        }
        let child = search(thread, parent, key)?;
        (*node(thread, parent)).hint = child;
        Some(child)
    }
}

/// For signal handlers, which see the gate in the middle of everything.
#[inline(always)]
unsafe fn set_gate(thread: *mut Location, gate: u32) {
    compiler_fence(Ordering::SeqCst);
    // SAFETY: the contract of this module.
    unsafe { (&raw mut (*thread).gate).write_volatile(gate) };
    compiler_fence(Ordering::SeqCst);
}

/// Begins an event. Returns what the gate was.
#[inline(always)]
pub unsafe fn begin_event(thread: *mut Location) -> u32 {
    // SAFETY: the contract of this module.
    unsafe {
        let before = (*thread).gate;
        set_gate(thread, gate::BUSY);
        before
    }
}

/// Ends an event that says what its gate is afterwards, `None` where it has done nothing. (An event
/// as a closure would not be inlined.)
#[inline(always)]
pub unsafe fn end_event<T>(
    thread: *mut Location,
    before: u32,
    done: Option<(u32, T)>,
) -> Option<T> {
    let (after, done) = match done {
        Some((after, done)) => (after, Some(done)),
        None => (before, None),
    };
    // SAFETY: the contract of this module.
    unsafe { set_gate(thread, after) };
    done
}

/// The time now, where it is later than that of the last event.
#[inline(always)]
pub unsafe fn later(thread: *mut Location, clock: impl Clock) -> Option<u64> {
    let now = clock.now();
    // SAFETY: the contract of this module.
    (now > unsafe { (*thread).header.last_ticks }).then_some(now)
}

/// Accounts the time until `now`, which is later than the last event, to the current node.
#[inline(always)]
pub unsafe fn account(thread: *mut Location, here: NodeOffset, now: u64) {
    // SAFETY: the contract of this module.
    unsafe {
        (*node(thread, here)).ticks += now - (*thread).header.last_ticks;
        (*thread).header.last_ticks = now;
    }
}
