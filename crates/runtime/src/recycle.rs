//! When a team's record may be used again: its master has joined, and each worker that has begun
//! has closed its part, which it does lazily, at its next begin.
//!
//! Only the location that has forked with a record forks with it again, so nobody else has to be
//! kept from it. A worker's begin happens before its master's join, as OpenMP has it; so who is
//! counted by then is all who will ever ask.

use crate::shared::Ordering::{Acquire, Relaxed, Release};
use crate::shared::Team;

/// Whether a record that was forked with is free. One that never was is not.
#[inline(always)]
pub fn is_free(record: &Team) -> bool {
    record.join_ticks.load(Relaxed) != 0 && record.open.load(Acquire) == 0
}

/// The master forks with a record that is free or new.
#[inline(always)]
pub fn fork(record: &Team, now: u64) {
    record.fork_ticks.store(now, Relaxed);
    record.join_ticks.store(0, Relaxed);
}

/// A worker begins its part.
#[inline(always)]
pub fn begin(record: &Team) {
    record.open.fetch_add(1, Relaxed);
}

/// When the master was back, 0 before.
#[inline(always)]
pub fn joined(record: &Team) -> u64 {
    record.join_ticks.load(Acquire)
}

/// A worker has closed its part, and asks for nothing any more.
#[inline(always)]
pub fn leave(record: &Team) {
    record.open.fetch_sub(1, Release);
}

/// The master is back.
#[inline(always)]
pub fn join(record: &Team, now: u64) {
    record.join_ticks.store(now, Release);
}

/// The master is gone without a join, unless there was one.
pub fn abandon(record: &Team, now: u64) {
    let _ = record.join_ticks.compare_exchange(0, now.max(1), Release, Relaxed);
}
