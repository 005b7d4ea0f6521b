//! What the short ways of task and team events are made of ([`crate::task_short`],
//! [`crate::team_short`]).
//!
//! As on the short ways of regions ([`crate::fast`]), everything that could be special is asked for
//! before anything is changed; what declines says so, and the long way starts from the beginning.
//! While an event is under way the gate is busy, so that a signal handler's events are passed over.

use std::sync::atomic::{Ordering, compiler_fence};

use pompeii_live::NodeOffset;

use crate::clock::Clock;
use crate::events::Records;
use crate::location::{Location, gate};

/// Begins an event whose gate is open but for `due`, and says what the gate was; `None` where it is
/// not. (A closure for the event would not be inlined.)
#[inline(always)]
pub fn begin_event(thread: &mut Location, due: u32) -> Option<u32> {
    let before = thread.gate;
    if before & !due != 0 {
        return None;
    }
    set_gate(thread, gate::BUSY);
    Some(before)
}

/// Ends an event that says what its gate is afterwards, `None` where it has done nothing.
#[inline(always)]
pub fn end_event<T>(thread: &mut Location, before: u32, done: Option<(u32, T)>) -> Option<T> {
    let (after, done) = match done {
        Some((after, done)) => (after, Some(done)),
        None => (before, None),
    };
    set_gate(thread, after);
    done
}

/// For signal handlers, which see the gate in the middle of everything.
#[inline(always)]
fn set_gate(thread: &mut Location, gate: u32) {
    compiler_fence(Ordering::SeqCst);
    // SAFETY: a field of a reference.
    unsafe { (&raw mut thread.gate).write_volatile(gate) };
    compiler_fence(Ordering::SeqCst);
}

/// Accounts the time until now, and appends what `write` writes; `None`, with nothing done, where
/// time has not grown or the chunk is full.
#[inline(always)]
pub fn step(
    thread: &mut Location,
    clock: impl Clock,
    write: impl FnOnce(Records) -> Records,
) -> Option<u64> {
    let now = later(thread, clock)?;
    if thread.tracing {
        write(Records::begin(&thread.events, now)?).end(&mut thread.events, now);
    }
    account(thread, now);
    Some(now)
}

/// The same where there is nothing to write.
#[inline(always)]
pub fn pass(thread: &mut Location, clock: impl Clock) -> Option<u64> {
    let now = later(thread, clock)?;
    account(thread, now);
    Some(now)
}

/// The time now, where it is later than that of the last event.
#[inline(always)]
pub fn later(thread: &Location, clock: impl Clock) -> Option<u64> {
    let now = clock.now();
    (now > thread.header.last_ticks).then_some(now)
}

/// Accounts the time until `now`, which is later than the last event.
#[inline(always)]
pub fn account(thread: &mut Location, now: u64) {
    thread.current().ticks += now - thread.header.last_ticks;
    thread.header.last_ticks = now;
}

/// A child that was visited before.
#[inline(always)]
pub fn known(thread: &mut Location, parent: NodeOffset, key: u64) -> Option<NodeOffset> {
    Some(thread.known_child(parent, key)).filter(|&child| child != 0)
}
