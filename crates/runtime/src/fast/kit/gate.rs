//! The gate on the fast ways: who may pass, and that no other event passes while one is under way.
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

/// This thread's location, or what stands in for it, of which nothing may be read but its gate and
/// what else [`tls::here`] promises.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Here(*mut Location);

impl Here {
    /// The location of this thread.
    #[inline(always)]
    pub fn now() -> Here {
        Here(tls::here())
    }

    /// Whether the gate is this one. Then it is no stand-in's, unless it is busy.
    #[inline(always)]
    pub fn is(self, gate: u32) -> bool {
        // SAFETY: what stands in for a location has a gate, too.
        unsafe { (*self.0).gate == gate }
    }

    /// Whether its events are recorded.
    #[inline(always)]
    pub fn is_traced(self) -> bool {
        // SAFETY: what stands in for a location has the field, too.
        unsafe { (*self.0).tracing }
    }

    /// The location, if it has guarded call paths, and nothing else is special about it. (This is
    /// asked after what is common, which should not keep the gate in a register for this.)
    #[inline(always)]
    pub fn guarded(self) -> Option<Guarded> {
        // SAFETY: as above.
        let gate = unsafe { (&raw const (*self.0).gate).read_volatile() };
        if gate == GUARDED { Some(Guarded(self.0)) } else { None }
    }

    /// Whether a visit of an atomic construct is timed at present.
    #[inline(always)]
    pub fn is_sampled(self) -> bool {
        // SAFETY: what stands in for a location has the field, too.
        unsafe { (*self.0).sampled_ticks != 0 }
    }

    /// Where it is.
    #[inline(always)]
    pub fn address(self) -> *mut Location {
        self.0
    }
}

/// This thread's location, which has guarded call paths, and about which nothing else is special.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Guarded(*mut Location);

impl Guarded {
    /// The location, if it is that of a thread with guarded call paths.
    #[inline(always)]
    pub fn of(thread: &mut Location) -> Option<Guarded> {
        if thread.gate == GUARDED { Some(Guarded(thread)) } else { None }
    }

    /// Where it is.
    #[inline(always)]
    pub fn address(self) -> *mut Location {
        self.0
    }
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
