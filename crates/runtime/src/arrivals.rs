//! Arrivals at a team's barrier: one atomic add per thread, and the last one publishes (decision
//! 9).
//!
//! One place for what is published is enough: the next barrier cannot be complete before all
//! threads have arrived there, and each arrives after it has left this one.
//!
//! Lines of their own where threads note their arrivals without an atomic operation, and which
//! the others read after each barrier, or after each eighth, gain nothing: to a barrier of 205 to
//! 218 ns of two threads, two clock reads add 3 ns, this 4 to 6, those 3 to 15 (least of many
//! short runs).

use crate::shared::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::shared::Team;

const TIME_MASK: u64 = (1 << 48) - 1;

/// Beside the published time: the team has tasks, so who waits behind the latest arrival starves.
const HAS_TASKS: u64 = 1 << 63;

/// The team is new: it has no tasks, and nobody has arrived.
#[inline(always)]
pub fn begin(record: &Team) {
    record.arrivals.store(0, Relaxed);
    record.latest_ticks.store(0, Relaxed);
}

/// The team has tasks from here on. The first one is created before its creator arrives.
#[inline(always)]
pub fn expect_tasks(record: &Team) {
    if !has_tasks(record) {
        record.latest_ticks.fetch_or(HAS_TASKS, Relaxed);
    }
}

/// Whether the team has tasks.
#[inline(always)]
pub fn has_tasks(record: &Team) -> bool {
    record.latest_ticks.load(Relaxed) & HAS_TASKS != 0
}

/// What the last thread gets to know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Last {
    /// How long all others have waited for it.
    pub waited: u64,
    /// The square of how long after the team's mean arrival it arrived; 0 in a team with tasks.
    pub square: f64,
}

/// A thread arrives at `now`, as one of `size`. The last one gets to know how long all others
/// have waited for it, and publishes when and where it came; `place` is an opaque word.
///
/// The word counts arrivals in its low 16 bits and sums their times above.
#[inline(always)]
pub fn arrive(record: &Team, size: u32, now: u64, place: u64) -> Option<Last> {
    let others = count(record, now);
    is_last(others, size).then(|| complete(record, (others, size), now, place))
}

/// The part of [`arrive`] that every thread has: counts it, and returns the others that were.
#[inline(always)]
pub fn count(record: &Team, now: u64) -> u64 {
    record.arrivals.fetch_add((now << 16).wrapping_add(1), AcqRel)
}

/// Whether these others make the thread the last one.
#[inline(always)]
pub fn is_last(others: u64, size: u32) -> bool {
    (others as u16).wrapping_add(1) == size as u16
}

/// The part of the last one.
#[inline(always)]
pub fn complete(record: &Team, (others, size): (u64, u32), now: u64, place: u64) -> Last {
    let sum = (others >> 16).wrapping_add(now);
    let has_tasks = record.latest_ticks.load(Relaxed) & HAS_TASKS;
    let waited = u64::from(size).wrapping_mul(now).wrapping_sub(sum) & TIME_MASK;
    // The last thread to count itself need not be the last by the clock: then it delayed no other.
    let waited = if waited > TIME_MASK / 2 { 0 } else { waited };
    let mut mean = 0.0;
    if has_tasks == 0 {
        // Signed numbers become floating-point ones in one instruction.
        mean = waited as i64 as f64 / f64::from(size as i32);
    }
    record.latest_ticks.store(now | has_tasks, Relaxed);
    record.latest_place.store(place, Relaxed);
    record.last_task_place.store(mean.to_bits(), Relaxed);
    record.arrivals.store(0, Relaxed);
    record.generation.store(record.generation.load(Relaxed) + 1, Release);
    Last { waited, square: mean * mean }
}

/// The square of how long before or after the team's mean arrival a thread arrived that has waited
/// for the latest arrival so long, at a barrier without tasks.
///
/// A thread that is through already may have created tasks, one of which may be over: then there is
/// a place, which is hardly more than 0 as a number. That is too rare to be asked for.
#[inline(always)]
pub fn square(record: &Team, wait: u64) -> f64 {
    let mean = f64::from_bits(record.last_task_place.load(Relaxed));
    let delay = mean - wait as i64 as f64;
    delay * delay
}

/// Where a task ended last; nothing where the team had no tasks at the barrier.
pub fn last_task_place(record: &Team) -> u64 {
    let word = record.last_task_place.load(Relaxed);
    // Mean waiting has this bit, its sign, never, and places have it always.
    if word & HAS_TASKS != 0 { word } else { 0 }
}

/// The latest arrival at the barrier that the thread is in since this generation, if it is known
/// already: when, and where.
#[inline(always)]
pub fn latest(record: &Team, generation: u64) -> Option<(u64, u64)> {
    let published = record.generation.load(Acquire) != generation;
    published.then(|| {
        (record.latest_ticks.load(Relaxed) & !HAS_TASKS, record.latest_place.load(Relaxed))
    })
}

/// When the latest arrival was, without asking whether it is known: for a thread that has arrived,
/// what is published is either that or lies before its own arrival. Later than any time where the
/// team has tasks.
#[inline(always)]
pub fn published(record: &Team) -> u64 {
    record.latest_ticks.load(Relaxed)
}

/// Where the latest arrival was.
#[inline(always)]
pub fn place(record: &Team) -> u64 {
    record.latest_place.load(Relaxed)
}
