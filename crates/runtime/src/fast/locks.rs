//! The fast ways of lock routines: a lock that is set or given back from a place where the thread
//! has done that before at this call path. The table of call sites ([`crate::sites`]) has the node
//! of the call, so neither its region nor the node is looked for. A profile and a trace have
//! functions of their own, because only records need further registers. Routines that test a lock,
//! or that nest, take the general way ([`crate::locks`], [`crate::sync`]).

use pompeii_live::NodeOffset;
use pompeii_live::encode::Packed;

use super::event;
use super::kit::gate::{self, Here};
use super::kit::node;
use super::kit::step::Step;
use crate::clock::Clock;
use crate::events::{Records, kind};
use crate::location::Location;
use crate::sites::{self, CallSite, Line};
use crate::sync::{self, Lock};

/// The routine is called that acquires a lock. The node of the call, which [`acquire`] gets; `None`
/// where nothing was done.
#[inline(always)]
pub fn ask<const TRACE: bool>(
    thread: Here,
    site: CallSite,
    clock: impl Clock,
) -> Option<NodeOffset> {
    // SAFETY: the contract of the kit; the gate is open, so this is the thread's own location.
    unsafe {
        let (thread, line) = known::<TRACE>(thread, site)?;
        let enter = |records: Records| records.region(Packed::enter(line.region));
        step::<TRACE>(thread, line.at, clock, enter)?;
        go_to(thread, line.node);
        gate::open(thread, 0);
        Some(line.node)
    }
}

/// The routine at this node has acquired the lock, and returns; false where nothing was done.
#[inline(always)]
pub fn acquire<const TRACE: bool>(
    thread: Here,
    at: NodeOffset,
    lock: &Lock,
    clock: impl Clock,
) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some(thread) = inside(thread, at) else { return false };
        if TRACE && !lock.is_recorded() {
            return false;
        }
        let Some(Step { now, last, .. }) = step::<TRACE>(thread, at, clock, |records| {
            records.numbered(kind::ACQUIRE, &lock.fields(), lock.next()).region(left(thread, at))
        }) else {
            return false;
        };
        (*thread).header.current = (*node(thread, at)).parent;
        if sync::is_contended(lock, last) {
            sync::waited(&mut *thread, lock, at, (last, now));
        }
        sync::found_free(&*thread, lock, at, now);
        gate::open(thread, 0);
        true
    }
}

/// The routine is called that gives a lock back. The node of the call, which [`leave`] gets; `None`
/// where nothing was done.
#[inline(always)]
pub fn give_back<const TRACE: bool>(
    thread: Here,
    site: CallSite,
    lock: &Lock,
    clock: impl Clock,
) -> Option<NodeOffset> {
    // SAFETY: as above.
    unsafe {
        let (thread, line) = known::<TRACE>(thread, site)?;
        if TRACE && !lock.is_recorded() {
            return None;
        }
        let Step { now, .. } = step::<TRACE>(thread, line.at, clock, |records| {
            let enter = Packed::enter(line.region);
            records.region(enter).numbered(kind::RELEASE, &lock.fields(), lock.order())
        })?;
        go_to(thread, line.node);
        sync::count_held(&mut *thread, lock, now);
        sync::give_back(lock, now);
        gate::open(thread, 0);
        Some(line.node)
    }
}

/// The routine at this node returns; false where nothing was done.
#[inline(always)]
pub fn leave<const TRACE: bool>(thread: Here, at: NodeOffset, clock: impl Clock) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some(thread) = inside(thread, at) else { return false };
        let leave = |records: Records| records.region(left(thread, at));
        if step::<TRACE>(thread, at, clock, leave).is_none() {
            return false;
        }
        (*thread).header.current = (*node(thread, at)).parent;
        gate::open(thread, 0);
        true
    }
}

/// The call site at the current call path, if it is in the table of this thread, and the node of
/// its calls is known.
#[inline(always)]
unsafe fn known<const TRACE: bool>(
    thread: Here,
    site: CallSite,
) -> Option<(*mut Location, &'static Line)> {
    // SAFETY: what has this gate is this thread's location, and only this thread changes the table.
    unsafe {
        let (is_open, thread) = (thread.is(0), thread.address());
        if !is_open || (*thread).tracing != TRACE {
            return None;
        }
        let line = sites::line(thread, site)?;
        if line.node == 0 { None } else { Some((thread, line)) }
    }
}

/// The location, if it is at this node.
#[inline(always)]
unsafe fn inside(thread: Here, at: NodeOffset) -> Option<*mut Location> {
    // SAFETY: as above.
    unsafe {
        let (is_open, thread) = (thread.is(0), thread.address());
        if is_open && (*thread).header.current == at { Some(thread) } else { None }
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
unsafe fn step<const TRACE: bool>(
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
            gate::open(thread, 0);
        }
        step
    }
}
