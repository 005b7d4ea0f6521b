//! Critical sections, ordered constructs, and atomic constructs that need a lock. Lock routines are
//! interposed, as in instrumented programs.

use std::ffi::{c_int, c_uint};

use super::calls;
use super::interface::{Address, mutex};
use super::open::{self, Family};
use crate::descriptor::Words;
use crate::pomp;
use crate::unmodified::{self, Directive};

/// `ompt_callback_mutex_acquire`: a thread asks for a lock or for its turn.
pub extern "C" fn acquire(
    kind: c_int,
    _hint: c_uint,
    _implementation: c_uint,
    _lock: u64,
    address: Address,
) {
    let (family, directive) = match kind {
        mutex::CRITICAL => (Family::Critical, Directive::Critical),
        mutex::ORDERED => (Family::Ordered, Directive::Ordered),
        mutex::ATOMIC => (Family::Atomic, Directive::Atomic),
        _ => return,
    };
    let variable = if kind == mutex::CRITICAL { calls::take_critical_lock() } else { 0 };
    let words = || Words { clauses: unmodified::lock_clause(variable), ..Words::default() };
    let construct = open::construct(directive, address as usize, words);
    if let Some(construct) = construct {
        // SAFETY: a descriptor, as for all of these.
        unsafe {
            match family {
                Family::Critical => pomp::POMP_Critical_enter(construct.address()),
                Family::Ordered => pomp::POMP_Ordered_enter(construct.address()),
                _ => pomp::POMP_Atomic_enter(construct.address()),
            }
        }
    }
    open::push(family, construct, 0);
}

/// `ompt_callback_mutex_acquired`: the thread has the lock, or its turn.
pub extern "C" fn acquired(kind: c_int, _lock: u64, _address: Address) {
    let of = |family| open::innermost(family).and_then(|entry| entry.construct);
    // SAFETY: descriptors.
    unsafe {
        match kind {
            mutex::CRITICAL => {
                if let Some(critical) = of(Family::Critical) {
                    pomp::POMP_Critical_begin(critical.address());
                }
            }
            mutex::ORDERED => {
                if let Some(ordered) = of(Family::Ordered) {
                    pomp::POMP_Ordered_begin(ordered.address());
                }
            }
            _ => {}
        }
    }
}

/// `ompt_callback_mutex_released`: the thread has given it back. Its address is another one than
/// that of the begin, or unknown.
pub extern "C" fn released(kind: c_int, _lock: u64, _address: Address) {
    let family = match kind {
        mutex::CRITICAL => Family::Critical,
        mutex::ORDERED => Family::Ordered,
        mutex::ATOMIC => Family::Atomic,
        _ => return,
    };
    let Some(construct) = open::pop(family).and_then(|entry| entry.construct) else { return };
    let descriptor = construct.address();
    // SAFETY: a descriptor, as for all of these.
    unsafe {
        match family {
            Family::Critical => {
                pomp::POMP_Critical_end(descriptor);
                pomp::POMP_Critical_exit(descriptor);
            }
            Family::Ordered => {
                pomp::POMP_Ordered_end(descriptor);
                pomp::POMP_Ordered_exit(descriptor);
            }
            _ => pomp::POMP_Atomic_exit(descriptor),
        }
    }
}
