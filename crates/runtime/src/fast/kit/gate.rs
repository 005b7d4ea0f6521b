//! The gate on the fast ways: who may pass, and that nobody else does while an event is under way.
//!
//! Signal handlers see the gate in the middle of everything. So it is changed by a volatile store,
//! or with a fence, and what an event changes stays between the two stores: the fence is after the
//! first one, and before the last. It is the compiler's, and no instruction.
//!
//! # Safety
//! That of [`super`]; what stands in for a location has a gate, too, which is busy.

use std::sync::atomic::{Ordering, compiler_fence};

pub use crate::location::gate::*;

use crate::location::Location;
use crate::tls;

/// Whether the event may take its fast way: nothing but the switch back from a task is due, and
/// that only where there are records.
#[inline(always)]
pub unsafe fn is_open<const TRACE: bool>(thread: *mut Location) -> bool {
    // SAFETY: the contract of this module.
    let gate = unsafe { (*thread).gate };
    if TRACE { gate & !SWITCH == 0 } else { gate == 0 }
}

/// Whether the location has guarded call paths, and nothing else is special about it. (Asked for
/// behind what is common, which is not to keep it for this.)
#[inline(always)]
pub unsafe fn is_guarded(thread: *const Location) -> bool {
    // SAFETY: the contract of this module.
    unsafe { (&raw const (*thread).gate).read_volatile() == GUARDED }
}

/// This thread's location, where nothing is special about it.
#[inline(always)]
pub fn open_thread<'a>() -> Option<&'a mut Location> {
    let thread = tls::here();
    // SAFETY: locations are never freed, and this thread is the only one that uses its own. What
    // stands in for one has a gate that is not open.
    unsafe { if (*thread).gate == 0 { Some(&mut *thread) } else { None } }
}

/// An event begins: from here on those of signal handlers are passed over.
#[inline(always)]
pub unsafe fn close(thread: *mut Location) {
    // SAFETY: the contract of this module.
    unsafe { (&raw mut (*thread).gate).write_volatile(BUSY) };
    compiler_fence(Ordering::SeqCst);
}

/// The event is over, and the gate is this one.
#[inline(always)]
pub unsafe fn open(thread: *mut Location, gate: u32) {
    compiler_fence(Ordering::SeqCst);
    // SAFETY: the contract of this module.
    unsafe { (&raw mut (*thread).gate).write_volatile(gate) };
}

/// As [`close`], where what is due stays so, for the event asks for it.
#[inline(always)]
pub unsafe fn close_over_due(thread: *mut Location) {
    // SAFETY: the contract of this module.
    unsafe { (*thread).gate |= BUSY };
    compiler_fence(Ordering::SeqCst);
}

/// The event of [`close_over_due`] has done nothing.
#[inline(always)]
pub unsafe fn take_back(thread: *mut Location) {
    compiler_fence(Ordering::SeqCst);
    // SAFETY: the contract of this module.
    unsafe { (*thread).gate &= !BUSY };
}

/// The event of [`close_over_due`] is over, and the gate is `after` it, unless it has done nothing.
/// (An event as a closure would not be inlined.)
#[inline(always)]
pub unsafe fn open_if_done<T>(thread: *mut Location, after: u32, done: Option<T>) -> Option<T> {
    // SAFETY: the contract of this module.
    unsafe {
        match done {
            Some(_) => open(thread, after),
            None => take_back(thread),
        }
    }
    done
}
