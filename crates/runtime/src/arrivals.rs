//! Arrivals at a team's barrier: one atomic add per thread, and the last one publishes (decision
//! 9).
//!
//! Two generations are kept, because barrier k + 2 cannot begin before all threads have left k.

use crate::shared::Ordering::{Acquire, Relaxed, Release};
use crate::shared::Team;

const TIME_MASK: u64 = (1 << 48) - 1;

/// A thread arrives at `now`, as one of `size`. The last one gets to know how long all others
/// have waited for it, and publishes when and where it came; `place` is an opaque word.
///
/// The word counts arrivals in its low 16 bits and sums their times above.
#[inline(always)]
pub fn arrive(record: &Team, size: u32, now: u64, place: u64) -> Option<u64> {
    let added = (now << 16).wrapping_add(1);
    let word = record.arrivals.fetch_add(added, Relaxed).wrapping_add(added);
    if word as u16 != size as u16 {
        return None;
    }
    let generation = record.generation.load(Relaxed);
    let slot = &record.slots[generation as usize & 1];
    slot.latest_ticks.store(now, Relaxed);
    slot.latest_place.store(place, Relaxed);
    record.last_task_place.store(0, Relaxed);
    slot.generation.store(generation + 1, Release);
    record.arrivals.store(0, Relaxed);
    record.generation.store(generation + 1, Release);
    let waited = u64::from(size).wrapping_mul(now).wrapping_sub(word >> 16) & TIME_MASK;
    // The last to count itself need not be the last by the clock: then it delayed nobody.
    Some(if waited > TIME_MASK / 2 { 0 } else { waited })
}

/// The latest arrival at the barrier of this generation, if it is known already: when, and where.
#[inline(always)]
pub fn latest(record: &Team, generation: u64) -> Option<(u64, u64)> {
    let slot = &record.slots[generation as usize & 1];
    let published = slot.generation.load(Acquire) == generation + 1;
    published.then(|| (slot.latest_ticks.load(Relaxed), slot.latest_place.load(Relaxed)))
}
