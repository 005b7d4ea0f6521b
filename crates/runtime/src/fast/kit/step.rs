//! When an event happens, and to which node the time until then belongs.
//!
//! A fast way asks first whether time has grown, which clocks of two cores do not promise, and
//! changes nothing where it has not. The time since the last event is either kept from there on
//! ([`Step`], [`account`]), or computed anew at the end ([`later`], [`account_until`]): to keep it
//! takes a register, to compute it another load, and an event of a task has no register left.
//!
//! # Safety
//! That of [`super`].

use super::{Place, node};
use crate::clock::Clock;
use crate::location::Location;

/// When an event happens.
#[derive(Clone, Copy)]
pub struct Step {
    /// The event's time.
    pub now: u64,
    /// That of the location's event before.
    pub last: u64,
    /// The time between the two.
    pub ticks: u64,
}

impl Step {
    /// From the event before until now, which is not earlier.
    #[inline(always)]
    pub fn between(last: u64, now: u64) -> Step {
        Step { now, last, ticks: now - last }
    }

    /// From the event before until now, where that is later, and `wanted`.
    #[inline(always)]
    pub unsafe fn take(
        thread: *mut Location,
        clock: impl Clock,
        wanted: impl FnOnce(u64) -> bool,
    ) -> Option<Step> {
        // SAFETY: the contract of this module.
        let (now, last) = (clock.now(), unsafe { (*thread).header.last_ticks });
        if now <= last || !wanted(now) {
            return None;
        }
        Some(Step::between(last, now))
    }
}

/// Accounts the time of an event at `here`, the current node.
#[inline(always)]
pub unsafe fn account(thread: *mut Location, here: impl Place, step: Step) {
    // SAFETY: the contract of this module.
    unsafe {
        (*node(thread, here)).ticks += step.ticks;
        (*thread).header.last_ticks = step.now;
    }
}

/// The time now, where it is later than that of the last event, or meant to be that.
#[inline(always)]
pub unsafe fn later<C: Clock>(thread: *mut Location, clock: C) -> Option<u64> {
    let now = clock.now();
    if C::IS_OF_LAST_EVENT {
        return Some(now);
    }
    // SAFETY: the contract of this module.
    (now > unsafe { (*thread).header.last_ticks }).then_some(now)
}

/// Accounts the time since the last event, which is asked for again. Returns it.
#[inline(always)]
pub unsafe fn account_until(thread: *mut Location, here: impl Place, now: u64) -> u64 {
    // SAFETY: the contract of this module.
    unsafe {
        let ticks = now - (*thread).header.last_ticks;
        (*node(thread, here)).ticks += ticks;
        (*thread).header.last_ticks = now;
        ticks
    }
}
