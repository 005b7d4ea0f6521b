//! Users of locks. Which lock a routine is called with is not known; but it is known whom a thread
//! has waited for there. So the code that calls a routine, and the code whose lock it has waited
//! for, use the same lock. Of the code that others have waited for, the one that held its locks
//! longest is named. The waiting alone would not tell: a thread in a queue has waited for the one
//! before it, not for the one that made the queue.

use std::collections::HashMap;

use pompeii_model::{CallId, Paradigm, RegionId, Role, Ticks};

use super::Search;
use super::sets::Sets;

/// The code that people find in the source for a call of a lock routine: the function that calls
/// it, if functions are measured, or else the place of the call, or the construct around it. Of a
/// thread that the program has created, only the first function is known.
fn user(search: &Search, call: CallId) -> Option<RegionId> {
    let (lens, tree) = (&search.lens, &search.lens.cube.calls);
    let around = tree.parent(call).and_then(|parent| search.paths.with_source[parent]);
    let is_mutex = lens.region(call).paradigm == Paradigm::Pthread;
    let is_function =
        |&call: &CallId| !is_mutex && matches!(lens.role(call), Role::Function | Role::User);
    let has_place = lens.cube.regions[tree.region(call)].source().is_some();
    let found = around.filter(is_function).or_else(|| has_place.then_some(call)).or(around);
    found.map(|call| tree.region(call))
}

/// Of the calls of lock routines among these: a user that stands for all that use the same lock.
pub(super) fn same_lock(search: &Search, calls: &[CallId]) -> HashMap<CallId, RegionId> {
    let is_lock = |call: &&CallId| search.lens.role(**call) == Role::Lock;
    let known = calls.iter().filter(is_lock).filter_map(|&call| Some((call, user(search, call)?)));
    let known: Vec<(CallId, RegionId)> = known.collect();
    let mut same = Sets::new();
    for &(call, waiting) in &known {
        for (holder, _) in search.waits.holders(call) {
            if let Some(holding) = user(search, holder) {
                same.join(waiting, holding);
            }
        }
    }
    known.into_iter().map(|(call, user)| (call, same.first(user))).collect()
}

/// The user that held the locks of these calls longest, of those that others have waited for, and
/// its share of that time; where no time is known, the one that was waited for longest, and where
/// that is not known either, the one that has called most of them.
pub(super) fn longest(search: &Search, calls: &[CallId]) -> Option<(RegionId, Option<f64>)> {
    let mut kept: HashMap<RegionId, (Ticks, Ticks)> = HashMap::new();
    for (holder, ticks) in calls.iter().flat_map(|&call| search.waits.holders(call)) {
        if let Some(user) = user(search, holder) {
            kept.entry(user).or_default().1 += ticks;
        }
    }
    for &call in calls {
        let user = user(search, call).and_then(|user| kept.get_mut(&user));
        user.into_iter().for_each(|(held, _)| *held += search.lens.held(&[call]));
    }
    let all: Ticks = kept.values().map(|(held, _)| held).sum();
    let longest = kept.into_iter().max_by_key(|&(user, kept)| (kept, std::cmp::Reverse(user)));
    let share = |held: Ticks| (all > 0).then(|| held as f64 / all as f64);
    longest
        .map(|(user, (held, _))| (user, share(held)))
        .or_else(|| Some((calls.iter().find_map(|&call| user(search, call))?, None)))
}

#[cfg(test)]
mod tests {
    use super::super::check_with_waits;
    use expect_test::expect;

    /// Three threads queue in `take`, after the one in `refill`: two of them wait for one another.
    #[test]
    fn a_queue_does_not_hide_who_made_it() {
        check_with_waits(
            "wall=100 locations=4
             a/parallel@a.c:2                             *    visits=1
             a/parallel@a.c:2/refill@a.c:5                0    time=98 visits=9
             a/parallel@a.c:2/refill@a.c:5/omp_set_lock   0    time=2 visits=9 omp_lock_held=80
             a/parallel@a.c:2/take@a.c:20                 1-3  time=20 visits=9
             a/parallel@a.c:2/take@a.c:20/omp_set_lock    1-3  time=80 visits=9 \
             omp_lock_contention_api=80 omp_lock_held=2",
            &[
                ("take/omp_set_lock", 1, "refill/omp_set_lock", 0, 80),
                ("take/omp_set_lock", 2, "take/omp_set_lock", 1, 80),
                ("take/omp_set_lock", 3, "take/omp_set_lock", 2, 80),
            ],
            expect![[r#"
                a.c:5 omp_set_lock | omp_lock_contention_api lost=242 gain=61 (51 to 71)
                    [lock, none]
                    36 visits: 6.7 ms waiting for another thread, 2.4 ms with the lock.
                    93 % of the time with the lock is in refill.
                    Hold the lock for a shorter time, or use one lock per independent object.
            "#]],
        );
    }

    const RUN: &str = "wall=100 locations=2
         a/parallel@a.c:2                           *  time=10 visits=1
         a/parallel@a.c:2/refill@a.c:5              0  time=70 visits=9
         a/parallel@a.c:2/refill@a.c:5/omp_set_lock  0  time=5 visits=9 omp_lock_contention_api=4
         a/parallel@a.c:2/take@a.c:20               1  time=10 visits=9
         a/parallel@a.c:2/take@a.c:20/omp_set_lock  1  time=60 visits=9 omp_lock_contention_api=58
         a/parallel@a.c:2/log@a.c:30                0  time=5 visits=9
         a/parallel@a.c:2/log@a.c:30/omp_set_lock   0  time=10 visits=9 omp_lock_contention_api=9
         a/parallel@a.c:2/log@a.c:30                1  time=20 visits=9";

    /// Without functions, the places of the calls are told apart.
    #[test]
    fn the_call_that_keeps_the_lock_is_named() {
        check_with_waits(
            "wall=100 locations=2
             a/parallel@a.c:2                 *  time=20 visits=1
             a/parallel@a.c:2/omp_set_lock@a.c:5   0  time=1 visits=9 omp_lock_held=70
             a/parallel@a.c:2                 0  time=79
             a/parallel@a.c:2/omp_set_lock@a.c:9   1  time=70 visits=9 omp_lock_held=1 \
             omp_lock_contention_api=70
             a/parallel@a.c:2                 1  time=10",
            &[("omp_set_lock@a.c:9", 1, "omp_set_lock@a.c:5", 0, 70)],
            expect![[r#"
                a.c:5 omp_set_lock | omp_lock_contention_api lost=71 gain=36 (30 to 42)
                    [lock, none]
                    18 visits: 3.9 ms waiting for another thread, 3.9 ms with the lock.
                    Hold the lock for a shorter time, or use one lock per independent object.
            "#]],
        );
    }

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
                a.c:5 omp_set_lock | omp_lock_contention_api lost=65 gain=33 (28 to 38)
                    [lock, none]
                    18 visits: 3.4 ms waiting for another thread.
                    Hold the lock for a shorter time, or use one lock per independent object.
                a.c:30 omp_set_lock | omp_lock_contention_api lost=10 gain=10 (8 to 12)
                    [lock, none]
                    9 visits: 1.0 ms waiting for another thread.
                    Hold the lock for a shorter time, or use one lock per independent object.
            "#]],
        );
    }
}
