//! Atomics that several threads execute on the same memory: what they take longer than without
//! other threads, from samples (`omp_atomic_contention`). Atomics that are measured like other
//! constructs (`timed`) are mutual exclusion as any other (`locks.rs`).

use std::collections::BTreeSet;

use pompeii_model::{CallId, Ticks};

use super::memory::waits_that_follow;
use super::{Advice, Cause, Gain, Loss, Search, Site, Words};
use crate::format;

const METRIC: &str = "omp_atomic_contention";

/// Samples of atomics that no other thread touches differ from those of a thread's own by up to
/// two cycles on average. If the memory changes threads, it is some nanoseconds at least.
const SAMPLES_DIFFER_CYCLES: f64 = 6.0;

pub(super) fn detect(search: &mut Search) {
    for (region, calls) in search.losses(METRIC) {
        let lens = search.lens;
        let contention = lens.sum(METRIC, &calls);
        let visits = lens.sum("visits", &calls).max(1);
        let differ_ns = search.measuring().ns(SAMPLES_DIFFER_CYCLES);
        if lens.seconds(contention) * 1e9 < visits as f64 * differ_ns {
            continue;
        }
        let longer = format::seconds(lens.seconds(contention) / visits as f64);
        let times = format::counted(visits, "visit");
        let detail =
            format!("{times}, each {longer} longer than without other threads (from samples).");
        let around: BTreeSet<CallId> =
            calls.iter().filter_map(|&call| lens.cube.calls.parent(call)).collect();
        let around: Vec<CallId> = around.into_iter().collect();
        let (waiting, wait_gain) = waits_that_follow(search, &around, contention);
        let longest = Longest::new(search, &calls, &around);
        let gain = longest.gain();
        // The other threads lose as much as the one with the most contention.
        let more = gain.ticks as f64 / longest.contention.max(1.0);
        let lost = (contention as f64 * more) as Ticks + waiting;
        let loss = Loss { lost, gain: Some(gain + wait_gain) };
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

/// The thread with the most contention; all times in ticks.
struct Longest {
    /// As `finish` has estimated it.
    contention: f64,
    /// Computing around the atomics.
    computing: f64,
    /// What its atomics take without other threads.
    alone: f64,
    /// What counting them takes.
    counted: f64,
}

impl Longest {
    fn new(search: &Search, calls: &[CallId], around: &[CallId]) -> Self {
        let lens = search.lens;
        let most = |metric: &str, of: &[CallId]| {
            lens.by_location(metric, of).iter().copied().max().unwrap_or(0) as f64
        };
        let ticks = |ns: f64| most("visits", calls) * ns / 1e9 * lens.cube.clock.ticks_per_second();
        let counted_ns = search.known.measuring.map_or(0.0, |of| of.counted_ns());
        Self {
            contention: most(METRIC, calls),
            computing: most("comp", around),
            alone: ticks(search.measuring().of_atomic_ns()),
            counted: ticks(counted_ns),
        }
    }

    /// The excess of all visits, if each were as long as a timed one. What `finish` has estimated
    /// holds if threads take the memory from one another at random times: `S * t / (S + t)`, with
    /// the excess `S` of a timed visit and the time `t` from visit to visit.
    fn timed(&self) -> f64 {
        let (time, contention) = (self.computing, self.contention);
        if contention < time { contention * time / (time - contention) } else { contention }
    }

    /// The contention at most: if another thread updates the memory all the time, each visit waits
    /// until the memory has come, and mostly until it has gone to the other thread before: twice
    /// `S`, but no more than `t`. Two threads that did nothing else took 16 ns longer for an update
    /// with an `S` of 8 ns.
    fn most(&self) -> f64 {
        (2.0 * self.timed()).min(self.computing).max(self.contention)
    }

    /// How much of its time the thread has for nothing but atomics in contention: only then the
    /// others can take the memory all the time. Between two visits with work of their own they
    /// rarely come at the same moment.
    fn saturation(&self) -> f64 {
        ((2.0 * self.timed() + self.alone) / self.computing.max(1.0)).min(1.0)
    }

    /// What the end of the contention brings. An update of a private copy takes next to nothing,
    /// so what an atomic takes without other threads ends with it. A cache line takes 10 or 100 ns
    /// from one CPU to another, depending on where the two are: elsewhere in the next run.
    fn gain(&self) -> Gain {
        let (least, most) = (self.contention, self.most());
        let likely = least + (most - least) * self.saturation();
        let own = (self.computing - self.counted).max(0.0);
        let whole = |contention: f64| (contention + self.alone.min(least)).min(own) as Ticks;
        Gain::between(whole(least / 2.0), whole(likely), whole(most) * 2)
    }
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
                a.c:5 atomic | omp_atomic_contention lost=975 gain=500 (289 to 500)
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

    /// A thread comes to the memory each 500 ns and needs it for 15 ns, so the others are rarely
    /// there at the same moment.
    #[test]
    fn threads_that_mostly_do_something_else_rarely_meet() {
        check(
            "wall=500000000 locations=2 clock=1000000000
             a                                             0  visits=1
             a/parallel@a.c:2                              *  time=500000000 visits=1
             a/parallel@a.c:2/atomic@a.c:5                 *  visits=1000000 \
             omp_atomic_contention=10000000",
            expect![[r#"
                a.c:5 atomic | omp_atomic_contention lost=31057807 gain=15528904 (11646678 to 25793356)
                    [atomic, none]
                    2.0 million visits, each 10 ns longer than without other threads (from samples).
                    Update private copies and add them up at the end, or use a reduction.
            "#]],
        );
    }

    /// 10,000,000 visits of each thread take 5 ns each without other threads, too. Those and timed
    /// visits of 12.5 ns, twice, would take 60 % of the time, so 60 % of the difference between the
    /// estimates of 100 ms and 250 ms is expected.
    #[test]
    fn what_atomics_take_alone_ends_with_the_contention() {
        check(
            "wall=500000000 locations=2 clock=1000000000
             a                                             0  visits=1
             a/parallel@a.c:2                              *  time=500000000 visits=1
             a/parallel@a.c:2/atomic@a.c:5                 *  visits=10000000 \
             omp_atomic_contention=100000000",
            expect![[r#"
                a.c:5 atomic | omp_atomic_contention lost=480000000 gain=240000000 (180000000 to 362500000)
                    [atomic, none]
                    20.0 million visits, each 10 ns longer than without other threads (from samples).
                    Update private copies and add them up at the end, or use a reduction.
            "#]],
        );
    }
}
