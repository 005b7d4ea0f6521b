//! Users of locks. A lock routine has no place of its own, and which lock it is called with is not
//! known; but it is known whom a thread has waited for there. So the code that calls a routine,
//! and the code whose lock it has waited for, use the same lock. The code that others have waited
//! for longest is named. A thread in a queue has waited for the one before it, not for the one
//! that made the queue, so that with many threads this may be code that keeps the lock shortly.

use std::collections::HashMap;

use pompeii_model::{CallId, RegionId, Role, Ticks};

use super::Search;

/// The code around a call path that people find in the source: a function or a construct.
fn user(search: &Search, call: CallId) -> Option<RegionId> {
    search.paths.with_source[call].map(|around| search.lens.cube.calls.region(around))
}

/// Of the calls of lock routines among these: a user that stands for all that use the same lock.
pub(super) fn same_lock(search: &Search, calls: &[CallId]) -> HashMap<CallId, RegionId> {
    let is_lock = |call: &&CallId| search.lens.role(**call) == Role::Lock;
    let known = calls.iter().filter(is_lock).filter_map(|&call| Some((call, user(search, call)?)));
    let known: Vec<(CallId, RegionId)> = known.collect();
    let mut same = Same::default();
    for &(call, waiting) in &known {
        for holder in search.waits.causes([call]).into_iter().filter_map(|cause| cause.by) {
            if let Some(holding) = user(search, holder.0) {
                same.join(waiting, holding);
            }
        }
    }
    known.into_iter().map(|(call, user)| (call, same.first(user))).collect()
}

/// The user that the threads have waited for longest at these calls; where that is not known, the
/// one that has called most of them.
pub(super) fn longest(search: &Search, calls: &[CallId]) -> Option<RegionId> {
    let mut kept: HashMap<RegionId, Ticks> = HashMap::new();
    for cause in search.waits.causes(calls.iter().copied()) {
        if let Some(user) = cause.by.and_then(|(holder, _)| user(search, holder)) {
            *kept.entry(user).or_default() += cause.ticks;
        }
    }
    let longest = kept.into_iter().max_by_key(|&(user, ticks)| (ticks, std::cmp::Reverse(user)));
    longest.map(|(user, _)| user).or_else(|| calls.iter().find_map(|&call| user(search, call)))
}

/// Sets of users, each a chain that ends in the user that stands for the set.
#[derive(Default)]
struct Same(HashMap<RegionId, RegionId>);

impl Same {
    fn first(&self, mut user: RegionId) -> RegionId {
        while let Some(&next) = self.0.get(&user) {
            user = next;
        }
        user
    }

    fn join(&mut self, one: RegionId, other: RegionId) {
        let (one, other) = (self.first(one), self.first(other));
        if one != other {
            self.0.insert(one.max(other), one.min(other));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check_with_waits;
    use expect_test::expect;

    const RUN: &str = "wall=100 locations=2
         a/parallel@a.c:2                           *  time=10 visits=1
         a/parallel@a.c:2/refill@a.c:5              0  time=70 visits=9
         a/parallel@a.c:2/refill@a.c:5/omp_set_lock  0  time=5 visits=9 omp_lock_contention_api=4
         a/parallel@a.c:2/take@a.c:20               1  time=10 visits=9
         a/parallel@a.c:2/take@a.c:20/omp_set_lock  1  time=60 visits=9 omp_lock_contention_api=58
         a/parallel@a.c:2/log@a.c:30                0  time=5 visits=9
         a/parallel@a.c:2/log@a.c:30/omp_set_lock   0  time=10 visits=9 omp_lock_contention_api=9
         a/parallel@a.c:2/log@a.c:30                1  time=20 visits=9";

    /// One function keeps the lock, and the others wait in another one; a second lock has nothing
    /// to do with it.
    #[test]
    fn the_user_that_keeps_the_lock_is_named() {
        check_with_waits(
            RUN,
            &[
                ("take/omp_set_lock", 1, "refill/omp_set_lock", 0, 58),
                ("refill/omp_set_lock", 0, "take/omp_set_lock", 1, 4),
                ("log/omp_set_lock", 0, "log/omp_set_lock", 1, 9),
            ],
            expect![[r#"
                a.c:5 omp_set_lock | omp_lock_contention_api lost=65 gain=33 (32 to 34)
                    [lock, none]
                    18 visits: 3.4 ms waiting for another thread.
                    Hold the lock for a shorter time, or use one lock per independent object.
                a.c:30 omp_set_lock | omp_lock_contention_api lost=10 gain=10 (9 to 11)
                    [lock, none]
                    9 visits: 1.0 ms waiting for another thread.
                    Hold the lock for a shorter time, or use one lock per independent object.
            "#]],
        );
    }
}
