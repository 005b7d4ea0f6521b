//! Threads that test a lock again and again until they have it. They wait for the thread that has
//! it, but between the calls of the routine: this time is computing of the code around, so neither
//! the time in lock routines nor the computing tells of it. What they do between two tests is not
//! known. If that is useful work, they lose nothing, so the advice says so.

use pompeii_model::CallId;

use super::lock_users;
use super::locks::loss;
use super::next_barrier::Barriers;
use super::next_lock::Locks;
use super::{Advice, Cause, Search, Site, Words};
use crate::format;

const METRIC: &str = "omp_lock_tested";

/// Reports the locks, and claims the time in their tests, which is a part of this waiting.
pub(super) fn detect(search: &mut Search, barriers: &mut Barriers) {
    let losses = search.losses(METRIC);
    let locks: Vec<Vec<CallId>> = losses.iter().map(|(_, calls)| calls.clone()).collect();
    let all = Locks::new(search, &locks, METRIC);
    for (lock, (region, calls)) in losses.into_iter().enumerate() {
        let lens = search.lens;
        let seconds = |metric: &str| format::seconds(lens.seconds(lens.sum(metric, &calls)));
        let detail = format!(
            "{}: threads tested the lock again and again for {} in all, and had it for {}.",
            format::counted(lens.sum("visits", &calls), "visit"),
            seconds(METRIC),
            seconds("omp_lock_held")
        );
        let user = lock_users::longest(search, &calls).map_or(region, |(user, _)| user);
        let construct = lens.region(calls[0]).construct().to_owned();
        let advice = "Hold the lock for a shorter time, or use one lock per independent object. \
            Useful work between two tests is not lost.";
        let words =
            Words { cause: Some(Cause::Lock), details: vec![detail], advice: Advice::none(advice) };
        let loss = loss(search, barriers, METRIC, (&calls, lock, &all));
        search.claim("omp_lock_api", &calls);
        search.report(METRIC, Site { region: user, construct, metric: METRIC, calls }, loss, words);
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use expect_test::expect;

    /// Each thread has the lock for 200 ms, and asks for it for 150 ms. The calls take 10 ms.
    #[test]
    fn testing_a_lock_is_waiting_for_it() {
        check(
            "wall=400 locations=2
             a/parallel@a.c:2                      *  time=390 visits=1
             a/parallel@a.c:2/omp_test_lock@a.c:5  *  time=10 visits=2000 omp_lock_tested=150 \
             omp_lock_held=200",
            expect![[r#"
                a.c:5 omp_test_lock | omp_lock_tested lost=300 gain=150 (124 to 176)
                    [lock, none]
                    4,000 visits: threads tested the lock again and again for 0.30 s in all, and had it for 0.40 s.
                    Hold the lock for a shorter time, or use one lock per independent object. Useful work between two tests is not lost.
            "#]],
        );
    }

    /// No test was in vain twice, and the calls are short.
    #[test]
    fn a_lock_that_tests_find_free_is_no_loss() {
        check(
            "wall=400000 locations=2 clock=1000000
             a/parallel@a.c:2                      *  time=399990 visits=1
             a/parallel@a.c:2/omp_test_lock@a.c:5  *  time=10 visits=2000 omp_lock_held=200",
            expect![[r#"
                a.c:5 omp_test_lock | omp_lock_api lost=20 gain=0 (0 to 2000)
                    [lock, none]
                    4,000 visits, 5.0 ns each, 100 ns with the lock.
                    Lock less often: do more while the lock is held.
            "#]],
        );
    }
}
