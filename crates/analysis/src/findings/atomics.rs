//! Atomics that several threads execute on the same memory: what they take longer than without
//! other threads, from samples (`omp_atomic_contention`). Atomics that are measured like other
//! constructs (`timed`) are mutual exclusion as any other (`locks.rs`).

use std::collections::BTreeSet;

use pompeii_model::{CallId, Ticks};

use super::memory::waits_that_follow;
use super::{Advice, Cause, Gain, Loss, Search, Site, Words};
use crate::measuring::ATOMIC_NS;
use crate::{Lens, format};

const METRIC: &str = "omp_atomic_contention";

pub(super) fn detect(search: &mut Search) {
    for (region, calls) in search.losses(METRIC) {
        let lens = search.lens;
        let contention = lens.sum(METRIC, &calls);
        let visits = lens.sum("visits", &calls).max(1);
        // A cache line that moves from thread to thread takes longer than an atomic without other
        // threads, so most visits have found it where they have left it.
        if lens.seconds(contention) * 1e9 < visits as f64 * ATOMIC_NS {
            continue;
        }
        let longer = format::seconds(lens.seconds(contention) / visits as f64);
        let visits = format::counted(visits, "visit");
        let detail =
            format!("{visits}, each {longer} longer than without other threads (from samples).");
        let around: BTreeSet<CallId> =
            calls.iter().filter_map(|&call| lens.cube.calls.parent(call)).collect();
        let around: Vec<CallId> = around.into_iter().collect();
        let (waiting, wait_gain) = waits_that_follow(search, &around, contention);
        let by_location = lens.by_location(METRIC, &calls);
        let longest = by_location.iter().copied().max().unwrap_or(0);
        let most_visits = lens.by_location("visits", &calls).iter().copied().max().unwrap_or(0);
        // An update of a private copy takes next to nothing, so what an atomic takes without other
        // threads ends with the contention.
        let alone_s = most_visits as f64 * ATOMIC_NS / 1e9;
        let alone = (alone_s * lens.cube.clock.ticks_per_second()) as Ticks;
        let alone = Gain::about(alone.min(longest));
        let ended = without(longest, at_most(lens, &around, longest));
        let more = ended.ticks as f64 / longest.max(1) as f64;
        let lost = (contention as f64 * more) as Ticks + waiting;
        let loss = Loss { lost, gain: Some(ended + alone + wait_gain) };
        let words = Words {
            cause: Some(Cause::Atomic),
            details: vec![detail],
            advice: Advice::none(
                "Update private copies and add them up at the end, or use a reduction.",
            ),
        };
        let construct = lens.region(calls[0]).construct().to_owned();
        search.report(METRIC, Site { region, construct, metric: METRIC, calls }, loss, words);
    }
}

/// The contention of one thread at most. What `finish` estimates holds if threads take the memory
/// from one another at random times: `S * t / (S + t)`, with the excess `S` of a timed visit and
/// the time `t` from visit to visit. If another thread updates it all the time, each visit waits
/// until the memory has come, and mostly until it has gone to the other thread before: twice `S`,
/// but no more than `t`. Two threads that did nothing else took 16 ns longer for an update with an
/// `S` of 8 ns.
fn at_most(lens: Lens, around: &[CallId], estimate: Ticks) -> Ticks {
    let computing = lens.by_location("comp", around).iter().copied().max().unwrap_or(0);
    let (time, estimate) = (computing as f64, estimate as f64);
    let timed = if estimate < time { estimate * time / (time - estimate) } else { estimate };
    (2.0 * timed).min(time).max(estimate) as Ticks
}

/// What the end of the contention of one thread brings. In which order threads take the memory is
/// not known, so the prediction is in the middle. A cache line takes 10 or 100 ns from one CPU to
/// another, depending on where the two are, which may be elsewhere in the next run.
fn without(least: Ticks, most: Ticks) -> Gain {
    Gain::between(least / 2, (least + most) / 2, most * 2)
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use expect_test::expect;

    #[test]
    fn contention_and_the_waiting_that_follows_are_one_finding() {
        check(
            "wall=500 locations=2
             a                                             0  visits=1
             a/parallel@a.c:2                              *  visits=1
             a/parallel@a.c:2/for@a.c:3                    0  time=500 visits=1
             a/parallel@a.c:2/for@a.c:3                    1  time=400 visits=1
             a/parallel@a.c:2/for@a.c:3/atomic@a.c:5       0  visits=100000 \
             omp_atomic_contention=400
             a/parallel@a.c:2/for@a.c:3/atomic@a.c:5       1  visits=100000 \
             omp_atomic_contention=300
             a/parallel@a.c:2/for@a.c:3/implicit barrier@a.c:7  0  visits=1 omp_barrier_last=1
             a/parallel@a.c:2/for@a.c:3/implicit barrier@a.c:7  1  time=100 visits=1 \
             omp_ibarrier_wait=100",
            expect![[r#"
                a.c:5 atomic | omp_atomic_contention lost=887 gain=475 (289 to 500)
                    [atomic, none]
                    200,000 visits, each 3.5 µs longer than without other threads (from samples).
                    Update private copies and add them up at the end, or use a reduction.
            "#]],
        );
    }

    /// Each visit takes 1 ns longer, which is less than an atomic takes without other threads.
    #[test]
    fn a_difference_that_samples_cannot_tell_is_no_contention() {
        check(
            "wall=500000000 locations=2 clock=1000000000
             a                                             0  visits=1
             a/parallel@a.c:2                              *  time=500000000 visits=1
             a/parallel@a.c:2/atomic@a.c:5                 *  visits=50000000 \
             omp_atomic_contention=50000000",
            expect![""],
        );
    }

    /// 10,000,000 visits of each thread take 5 ns each without other threads, too.
    #[test]
    fn what_atomics_take_alone_ends_with_the_contention() {
        check(
            "wall=500000000 locations=2 clock=1000000000
             a                                             0  visits=1
             a/parallel@a.c:2                              *  time=500000000 visits=1
             a/parallel@a.c:2/atomic@a.c:5                 *  visits=10000000 \
             omp_atomic_contention=100000000",
            expect![[r#"
                a.c:5 atomic | omp_atomic_contention lost=350000000 gain=175000000 (131250000 to 265000000)
                    [atomic, none]
                    20.0 million visits, each 10 ns longer than without other threads (from samples).
                    Update private copies and add them up at the end, or use a reduction.
            "#]],
        );
    }
}
