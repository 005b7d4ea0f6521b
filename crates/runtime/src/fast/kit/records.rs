//! The records of an event of a thread that has a trace: invisible until all of them are written,
//! so that a program which is killed in the middle has none of them.
//!
//! # Safety
//! That of [`super`].

use crate::events::Records;
use crate::location::Location;

/// Room for the records of an event, `None` where the chunk is full.
#[inline(always)]
pub unsafe fn begin(thread: *mut Location, first: u64) -> Option<Records> {
    // SAFETY: the contract of this module.
    unsafe { Records::begin(&(*thread).events, first) }
}

/// The same with room for those of another event after them.
#[inline(always)]
pub unsafe fn begin_two(thread: *mut Location, first: u64) -> Option<Records> {
    // SAFETY: the contract of this module.
    unsafe { Records::begin_two(&(*thread).events, first) }
}

/// Makes them visible; the first of them has this time.
#[inline(always)]
pub unsafe fn end(thread: *mut Location, records: Records, first: u64) {
    // SAFETY: the contract of this module.
    unsafe { records.end(&mut (*thread).events, first) }
}
