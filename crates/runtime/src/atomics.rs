//! How long an atomic construct takes while other threads update the same memory. Two readings of
//! the clock cost more than an atomic, so visits are only counted, and one of [`SAMPLED_VISITS`]
//! visits of a thread is timed.
//!
//! A sample also times an atomic of the thread's own, which no other thread touches, with the same
//! readings of the clock. The difference is what the other threads cost, and what the statement
//! computes before it updates. From time to time a thread finds its memory as it has left it, so
//! the shortest samples of both tell what the statement computes. The rest is kept if it is so long
//! that the memory may have come from another core. `finish` multiplies its mean by the number of
//! visits.

mod sample;

use std::sync::atomic::Ordering;

use pompeii_live::NodeOffset;

use crate::clock;
use crate::descriptor::Slot;
use crate::fast::kit;
use crate::location::Location;

pub use sample::Sample;

/// One of this many visits is timed. A power of two, so that a mask of the count of visits tells.
const SAMPLED_VISITS: u64 = 1024;

/// A thread that waits for a cache line waits for some hundreds of nanoseconds. What takes this
/// many times as long as an atomic without contention is a preemption, and no sample.
const MOST_TIMES_ALONE: u64 = 1000;

/// Whether a visit is timed: `visits` is its number, `slot` that of its construct. A flush and a
/// `cancel` are counted in the same way, but are not timed.
#[inline(always)]
pub fn is_sampled(visits: u64, slot: Slot) -> bool {
    slot == Slot::Worksharing && visits & (SAMPLED_VISITS - 1) == 0
}

/// Begins to time the visit of an atomic construct at `node`.
///
/// # Safety
/// `thread` is this thread's location, and the node is one of it.
#[cold]
#[inline(never)]
pub unsafe fn begin(thread: *mut Location, node: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        (*thread).sample.node = node as NodeOffset;
        (*thread).sampled_ticks = ordered_now();
    }
}

/// Ends the timed visit.
///
/// # Safety
/// `thread` is this thread's location, and [`begin`] was called for it.
#[cold]
#[inline(never)]
pub unsafe fn end(thread: *mut Location) {
    let now = ordered_now();
    // SAFETY: the caller's promise.
    unsafe {
        let took = now.saturating_sub((*thread).sampled_ticks);
        (*thread).sampled_ticks = 0;
        let before = ordered_now();
        (*thread).sample.own.fetch_add(1, Ordering::SeqCst);
        let alone = ordered_now().saturating_sub(before);
        if took <= MOST_TIMES_ALONE * alone.max(1) {
            (*kit::node(thread, (*thread).sample.node)).note_timed_atomic(took, alone);
        }
    }
}

/// The time when everything before has been done, and before anything that follows is begun: the
/// processor may read its counter while an atomic still waits for memory.
fn ordered_now() -> u64 {
    fence();
    let now = clock::now();
    fence();
    now
}

fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has this instruction.
    unsafe {
        core::arch::x86_64::_mm_lfence();
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::sync::atomic::fence(Ordering::SeqCst);
}
