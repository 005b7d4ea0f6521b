//! When a team's record may be used again: its master has joined, and each worker that has begun
//! has closed its part, which it does lazily, at its next begin.
//!
//! Only the location that has forked with a record forks with it again, so nobody else has to be
//! kept from it. It also knows when the workers have closed their parts, without a word from them:
//! they are the first so many threads of a nesting level, and when it has joined a later team of
//! that level with at least as many, each of them has begun there. A worker's begin happens before
//! its master's join, as OpenMP has it.

use crate::shared::Ordering::{Acquire, Relaxed, Release};
use crate::shared::Team;

/// Whether a record that was forked with is free. One that never was is not. For its master.
#[inline(always)]
pub fn is_free(record: &Team) -> bool {
    record.join_ticks.load(Relaxed) != 0 && record.open.load(Relaxed) == 0
}

/// The master forks with a record that is free or new.
#[inline(always)]
pub fn fork(record: &Team, now: u64) {
    record.fork_ticks.store(now, Relaxed);
    record.join_ticks.store(0, Relaxed);
}

/// When the master was back, 0 before.
#[inline(always)]
pub fn joined(record: &Team) -> u64 {
    record.join_ticks.load(Acquire)
}

/// The master is back from a team without workers.
#[inline(always)]
pub fn join_alone(record: &Team, now: u64) {
    record.join_ticks.store(now, Release);
}

/// The master is back, from a team of any size. `others` are its other records.
#[inline(always)]
pub fn join<'a>(record: &Team, now: u64, others: impl Iterator<Item = &'a Team>) {
    let (size, level) = (record.size.load(Relaxed), record.level.load(Relaxed));
    if size > 1 {
        record.open.store(1, Relaxed);
        for other in others {
            if other.level.load(Relaxed) == level && other.size.load(Relaxed) <= size {
                other.open.store(0, Relaxed);
            }
        }
    }
    record.join_ticks.store(now, Release);
}

/// The master is gone without a join, unless there was one. What its workers do is not known.
pub fn abandon(record: &Team, now: u64) {
    record.open.store(u32::from(record.size.load(Relaxed) > 1), Relaxed);
    let _ = record.join_ticks.compare_exchange(0, now.max(1), Release, Relaxed);
}
