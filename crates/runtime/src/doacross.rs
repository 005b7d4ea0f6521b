//! Whom a `sink` of a doacross loop has waited for. The iteration that it names is known to the
//! program alone; known here is who of the team was the last to come to a `source` while it waited,
//! and where. The wait ends right behind the post that it is for, so that is it, unless another
//! iteration is posted before the waiting thread is back. A `source` that was come to before
//! the wait, and posted in it, is nobody's.

use crate::shared::Ordering::{Acquire, Relaxed, Release};
use crate::shared::Team;

/// A thread of the team has come to a `source` at `now`; `place` is an opaque word.
pub fn post(record: &Team, now: u64, place: u64) {
    record.posted_place.store(place, Relaxed);
    record.posted_ticks.store(now, Release);
}

/// Where a `source` was come to last, if that was after `asked`.
#[inline(always)]
pub fn posted_since(record: &Team, asked: u64) -> Option<u64> {
    let posted = record.posted_ticks.load(Acquire) > asked;
    posted.then(|| record.posted_place.load(Relaxed))
}
