//! The fast ways of lock routines: a lock that is set, tested or given back from a place where the
//! thread has done that before at this call path, nestable locks included. The table of call sites
//! ([`crate::sites`]) has the node of the call, so neither its region nor the node is looked for. A
//! profile and a trace have functions of their own, because only records need further registers.
//!
//! As those of regions, they are made for one value of the gate: none, or that of a location where
//! other call paths are guarded. Visits that the guard sums have the last two functions here.

use pompeii_live::encode::Packed;
use pompeii_live::{Key, NodeOffset};

use super::event;
use super::guarded;
use super::kit::gate::{self, Guarded, Here};
use super::kit::node;
use super::kit::step::Step;
use crate::clock::Clock;
use crate::events::{Records, kind};
use crate::location::Location;
use crate::sites::{self, CallSite, Line};
use crate::sync::{self, Lock};

/// The routine is called that acquires a lock, or tries to. The node of the call, which the end of
/// the event gets; `None` where nothing was done.
#[inline(always)]
pub fn ask<const TRACE: bool, const GATE: u32>(
    thread: Here,
    site: CallSite,
    clock: impl Clock,
) -> Option<NodeOffset> {
    // SAFETY: the contract of the kit; the gate is open, so this is the thread's own location.
    unsafe {
        let (thread, line) = known::<TRACE, GATE>(thread, site)?;
        enter::<TRACE, GATE>(thread, line, clock)
    }
}

/// The routine is entered, and nothing else happens.
#[inline(always)]
unsafe fn enter<const TRACE: bool, const GATE: u32>(
    thread: *mut Location,
    line: &Line,
    clock: impl Clock,
) -> Option<NodeOffset> {
    // SAFETY: the caller's promise.
    unsafe {
        let enter = |records: Records| records.region(Packed::enter(line.region));
        step::<TRACE, GATE>(thread, line.at, clock, enter)?;
        go_to(thread, line.node);
        gate::open(thread, GATE);
        Some(line.node)
    }
}

/// The routine at this node has acquired the lock, and returns; false where nothing was done. Of a
/// test, `tested` is the address of the lock.
#[inline(always)]
pub fn acquire<const TRACE: bool, const GATE: u32>(
    thread: Here,
    at: NodeOffset,
    lock: &Lock,
    tested: Option<usize>,
    clock: impl Clock,
) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some(thread) = inside::<GATE>(thread, at) else { return false };
        if TRACE && !lock.is_recorded() {
            return false;
        }
        let Some(Step { now, last, .. }) = step::<TRACE, GATE>(thread, at, clock, |records| {
            records.numbered(kind::ACQUIRE, &lock.fields(), lock.next()).region(left(thread, at))
        }) else {
            return false;
        };
        (*thread).header.current = (*node(thread, at)).parent;
        if let Some(address) = tested {
            sync::tested_at(&mut *thread, at, lock, (address, now));
        }
        if sync::is_contended(lock, last) {
            sync::waited(&mut *thread, lock, at, (last, now));
        }
        sync::found_free(&*thread, lock, at, now);
        gate::open(thread, GATE);
        true
    }
}

/// The same of a nestable lock, which the thread may have had before.
#[inline(always)]
pub fn acquire_nested<const TRACE: bool, const GATE: u32>(
    thread: Here,
    at: NodeOffset,
    lock: &Lock,
    tested: Option<usize>,
    clock: impl Clock,
) -> bool {
    // SAFETY: as above; only the lock's holder, which this thread is, changes its level.
    unsafe {
        let Some(location) = inside::<GATE>(thread, at) else { return false };
        let level = sync::level_acquired(&*location, lock);
        let is_done = match level {
            1 => acquire::<TRACE, GATE>(thread, at, lock, tested, clock),
            _ => leave::<TRACE, GATE>(thread, at, clock),
        };
        if is_done {
            sync::set_level(lock, level);
        }
        is_done
    }
}

/// The test at this node has found the lock, which is at `address`, with another thread, and
/// returns; false where nothing was done.
#[inline(always)]
pub fn refuse<const TRACE: bool, const GATE: u32>(
    thread: Here,
    at: NodeOffset,
    (lock, address): (&Lock, usize),
    clock: impl Clock,
) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some(thread) = inside::<GATE>(thread, at) else { return false };
        let leave = |records: Records| records.region(left(thread, at));
        let Some(Step { last, .. }) = step::<TRACE, GATE>(thread, at, clock, leave) else {
            return false;
        };
        (*thread).header.current = (*node(thread, at)).parent;
        sync::refused_at(&mut *thread, (at, last), lock, address);
        gate::open(thread, GATE);
        true
    }
}

/// The routine is called that gives a lock back. The node of the call, which [`leave`] gets; `None`
/// where nothing was done.
#[inline(always)]
pub fn give_back<const TRACE: bool, const GATE: u32>(
    thread: Here,
    site: CallSite,
    lock: &Lock,
    clock: impl Clock,
) -> Option<NodeOffset> {
    // SAFETY: as above.
    unsafe {
        let (thread, line) = known::<TRACE, GATE>(thread, site)?;
        if TRACE && !lock.is_recorded() {
            return None;
        }
        let Step { now, .. } = step::<TRACE, GATE>(thread, line.at, clock, |records| {
            let enter = Packed::enter(line.region);
            records.region(enter).numbered(kind::RELEASE, &lock.fields(), lock.order())
        })?;
        go_to(thread, line.node);
        sync::count_held(&mut *thread, lock, now);
        sync::give_back(lock, now);
        gate::open(thread, GATE);
        Some(line.node)
    }
}

/// The same of a nestable lock, which the thread may have more than once.
#[inline(always)]
pub fn give_back_nested<const TRACE: bool, const GATE: u32>(
    thread: Here,
    site: CallSite,
    lock: &Lock,
    clock: impl Clock,
) -> Option<NodeOffset> {
    let level = sync::level_released(lock);
    let node = match level {
        0 => give_back::<TRACE, GATE>(thread, site, lock, clock),
        _ => ask::<TRACE, GATE>(thread, site, clock),
    };
    if node.is_some() {
        sync::set_level(lock, level);
    }
    node
}

/// The routine at this node returns; false where nothing was done.
#[inline(always)]
pub fn leave<const TRACE: bool, const GATE: u32>(
    thread: Here,
    at: NodeOffset,
    clock: impl Clock,
) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some(thread) = inside::<GATE>(thread, at) else { return false };
        let leave = |records: Records| records.region(left(thread, at));
        if step::<TRACE, GATE>(thread, at, clock, leave).is_none() {
            return false;
        }
        (*thread).header.current = (*node(thread, at)).parent;
        gate::open(thread, GATE);
        true
    }
}

/// The call site at the current call path, if it is in the table of this thread, and the node of
/// its calls is known.
#[inline(always)]
unsafe fn known<const TRACE: bool, const GATE: u32>(
    thread: Here,
    site: CallSite,
) -> Option<(*mut Location, &'static Line)> {
    // SAFETY: what has this gate is this thread's location, and only this thread changes the table.
    unsafe {
        let (is_open, thread) = (thread.is(GATE), thread.address());
        if !is_open || (*thread).tracing != TRACE {
            return None;
        }
        let line = sites::line(thread, site)?;
        let may_be_summed =
            GATE != 0 && ((*thread).guard.is_open() || (*thread).guard.may_sum(line.node));
        if line.node == 0 || may_be_summed { None } else { Some((thread, line)) }
    }
}

/// The location, if it is at this node, and no visit is under way that may be summed.
#[inline(always)]
unsafe fn inside<const GATE: u32>(thread: Here, at: NodeOffset) -> Option<*mut Location> {
    // SAFETY: as above.
    unsafe {
        let (is_open, thread) = (thread.is(GATE), thread.address());
        if !is_open || (*thread).header.current != at {
            return None;
        }
        let guard = &(*thread).guard;
        if GATE != 0 && (guard.is_open() || guard.concerns(at)) { None } else { Some(thread) }
    }
}

/// The record of leaving the region of the node, whose key is the number of the region.
#[inline(always)]
unsafe fn left(thread: *mut Location, at: NodeOffset) -> Packed {
    // SAFETY: as above.
    Packed::leave(unsafe { (*node(thread, at)).key } as u32)
}

#[inline(always)]
unsafe fn go_to(thread: *mut Location, child: NodeOffset) {
    // SAFETY: as above.
    unsafe {
        (*node(thread, child)).visits += 1;
        (*thread).header.current = child;
    }
}

/// Closes the gate, accounts the time until now at the current node, and appends the records; with
/// nothing done where that cannot be.
#[inline(always)]
unsafe fn step<const TRACE: bool, const GATE: u32>(
    thread: *mut Location,
    at: NodeOffset,
    clock: impl Clock,
    write: impl FnOnce(Records) -> Records,
) -> Option<Step> {
    // SAFETY: as above.
    unsafe {
        gate::close(thread);
        let step = event::try_step(TRACE, (thread, at), clock, |_| true, write);
        if step.is_none() {
            gate::open(thread, GATE);
        }
        step
    }
}

/// The key of the calls at this site, if it is in the table of this thread.
#[inline(always)]
fn key(thread: Guarded, site: CallSite) -> Option<u64> {
    // SAFETY: as above.
    let line = unsafe { sites::line(thread.address(), site) }?;
    Some(Key::Region(line.region).encode())
}

/// The routine is called that acquires a lock, at a call path that the guard sums. The key that
/// [`guarded::exit_with_lock`] gets; `None` where nothing was done.
#[inline(always)]
pub fn ask_guarded(thread: Guarded, site: CallSite, clock: impl Clock) -> Option<u64> {
    let key = key(thread, site)?;
    if guarded::enter(thread, key, clock) { Some(key) } else { None }
}

/// The same of the routine that gives a lock back whose acquisition was summed, too. The key that
/// [`guarded::exit`] gets.
#[inline(always)]
pub fn give_back_guarded(
    thread: Guarded,
    site: CallSite,
    lock: &Lock,
    clock: impl Clock,
) -> Option<u64> {
    let key = key(thread, site)?;
    if !lock.is_silent() || !guarded::enter(thread, key, clock) {
        return None;
    }
    // SAFETY: as above, and the event is over.
    unsafe {
        let thread = thread.address();
        gate::close(thread);
        let now = (*thread).header.last_ticks;
        lock.take_silent();
        sync::count_held(&mut *thread, lock, now);
        sync::give_back(lock, now);
        gate::open(thread, gate::GUARDED);
    }
    Some(key)
}
