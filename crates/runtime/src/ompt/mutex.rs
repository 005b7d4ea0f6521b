//! Critical sections, ordered constructs, and atomic constructs that need a lock. Lock routines are
//! interposed, as in instrumented programs.

use std::ffi::{c_int, c_uint};

use super::calls;
use super::interface::{Address, mutex};
use super::open::{self, Family};
use crate::descriptor::Words;
use crate::unmodified::{self, Directive};
use crate::ways::constructs;

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
        match family {
            Family::Critical => constructs::critical_enter(construct),
            Family::Ordered => constructs::ordered_enter(construct),
            _ => constructs::atomic_enter(construct),
        }
    }
    open::push(family, construct, 0);
}

/// `ompt_callback_mutex_acquired`: the thread has the lock, or its turn.
pub extern "C" fn acquired(kind: c_int, _lock: u64, _address: Address) {
    let of = |family| open::innermost(family).and_then(|entry| entry.construct);
    match kind {
        mutex::CRITICAL => {
            if let Some(critical) = of(Family::Critical) {
                constructs::critical_begin(critical);
            }
        }
        mutex::ORDERED => {
            if let Some(ordered) = of(Family::Ordered) {
                constructs::ordered_begin(ordered);
            }
        }
        _ => {}
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
    match family {
        Family::Critical => {
            constructs::critical_end(construct);
            constructs::critical_exit(construct);
        }
        Family::Ordered => {
            constructs::ordered_end(construct);
            constructs::ordered_exit(construct);
        }
        _ => constructs::atomic_exit(construct),
    }
}
