//! Memory and sharing: code that takes longer on several threads than the same work takes on one,
//! because threads wait for memory or write the same cache lines. Nothing in one run tells this
//! from more work. So it is named only with a reference run on one thread ([`crate::Reference`]),
//! or with counters of the processor that show it.
//!
//! Threads that compute longer are also late at the next barrier. As long as the inflation is
//! larger than the waiting there, the waiting is a consequence, and is part of the finding.

use std::collections::BTreeSet;

use pompeii_model::{CallId, RegionId, Role, Ticks};

use super::{
    Advice, AdviceKind, Cause, Gain, Loss, SIGNIFICANT_SHARE, Search, Site, Words, grouped,
};
use crate::processor::{Processor, Rates};
use crate::{Lens, format};

/// Work is inflated if it takes longer by this share at least: all cores together may run at a
/// lower frequency than one alone, and two runs differ.
const INFLATED: f64 = 0.1;

const ADVICE: &str = "Threads wait for memory or write the same cache lines: keep data in the \
    caches (blocks), pad what each thread writes, let the thread that uses data touch it first.";

pub(super) fn detect(search: &mut Search) {
    let compared = compared(search);
    let explain_waits: Vec<CallId> = compared
        .iter()
        .filter(|of| of.explains(waits_at(search, &ends(search, &of.calls))))
        .flat_map(|of| with_combined(&search.lens, &of.calls))
        .collect();
    search.slower.extend(explain_waits);
    let is_inflated = |of: &Inflated| of.is_inflated(&search.lens);
    let inflated: Vec<Inflated> = compared.into_iter().filter(is_inflated).collect();
    let bound = bound_by_counters(search);
    let bound_by_memory =
        inflated.iter().map(|of| &of.calls).chain(bound.iter().map(|of| &of.calls));
    let lens = search.lens;
    search.memory_bound.extend(bound_by_memory.flat_map(|calls| with_combined(&lens, calls)));
    let is_new = |of: &&Bound| inflated.iter().all(|known| known.region != of.region);
    bound.iter().filter(is_new).for_each(|of| of.report(search));
    inflated.into_iter().for_each(|of| of.report(search));
}

/// What the work of one construct takes, on all threads, in clock ticks.
struct Inflated {
    region: RegionId,
    calls: Vec<CallId>,
    /// With a CPU.
    here: Ticks,
    /// On one thread, at least and at most.
    alone: (Ticks, Ticks),
    /// What atomics in it take longer, which has a finding of its own.
    atomics: Ticks,
}

/// What is known of each construct that the reference has, too.
fn compared(search: &Search) -> Vec<Inflated> {
    let Some(reference) = search.known.reference else { return Vec::new() };
    let lens = &search.lens;
    let comparable =
        lens.cube.calls.ids().filter(|&call| reference.alone(call).is_some()).filter(is_code(lens));
    let groups = grouped(comparable, |call| region_of(search, call));
    let of = |(region, calls): (RegionId, Vec<CallId>)| {
        let alone = calls.iter().filter_map(|&call| reference.alone(call));
        let (least, most) =
            alone.fold((0, 0), |(l, m), of| (l + of.least_ticks, m + of.most_ticks));
        let here = reference.on_cpu(lens.sum("comp", &calls));
        let atomics = calls.iter().map(|&call| atomics_in(lens, call)).sum();
        Inflated { region, calls, here, alone: (least, most), atomics }
    };
    groups.into_iter().map(of).collect()
}

fn is_code<'a>(lens: &'a Lens) -> impl Fn(&CallId) -> bool + 'a {
    |&call| lens.own("comp", call) > 0
}

/// The construct or function that the code of a call path belongs to.
fn region_of(search: &Search, call: CallId) -> RegionId {
    let construct = search.paths.construct[call].unwrap_or(call);
    search.lens.cube.calls.region(construct)
}

/// Contention of the atomics directly in the code of a call path.
fn atomics_in(lens: &Lens, call: CallId) -> Ticks {
    let children = lens.cube.calls.children(call).iter();
    children.map(|&child| lens.own("omp_atomic_contention", child)).sum()
}

impl Inflated {
    fn low(&self) -> Ticks {
        self.here - self.atomics - self.alone.1
    }

    fn high(&self) -> Ticks {
        self.here - self.atomics - self.alone.0
    }

    /// Whether the work takes so much longer than on one thread that it is worth a finding.
    fn is_inflated(&self, lens: &Lens) -> bool {
        let (_, most) = self.alone;
        let is_larger = most > 0 && (self.low() as f64) >= INFLATED * most as f64;
        // Two runs differ in short code by more than a share of it, which says nothing of the loops
        // in this code.
        is_larger && lens.share(self.high()) >= SIGNIFICANT_SHARE
    }

    /// Whether what the work takes longer than on one thread may be all that makes threads wait.
    fn explains(&self, waiting: Ticks) -> bool {
        waiting > 0 && self.high() >= waiting
    }

    fn report(self, search: &mut Search) {
        let lens = search.lens;
        let threads = lens.threads_at(&self.calls) as i64;
        let inflation = (self.low() + self.high()) / 2;
        // One thread waits for memory, too, and its caches do not hold more: where blocks fit into
        // them, this ends as well. How long it waits, its time does not tell.
        let most = (2 * self.low()).max(self.high());
        let gain = Gain::between(self.low() / threads, inflation / threads, most / threads);
        let (waiting, wait_gain) = waits_that_follow(search, &self.calls, inflation);
        let loss = Loss { lost: inflation + waiting, gain: Some(gain + wait_gain) };
        let words = Words {
            cause: Some(Cause::MemoryOrSharing),
            details: vec![self.sentence(&lens, threads)],
            advice: Advice::none(ADVICE),
        };
        let site = site(&lens, self.region, self.calls);
        search.report("work_inflation", site, loss, words);
    }

    fn sentence(&self, lens: &Lens, threads: i64) -> String {
        let seconds = |ticks: Ticks| format::seconds(lens.seconds(ticks));
        let times = |alone: Ticks| format!("{:.1}", self.here as f64 / alone.max(1) as f64);
        let (least, most) = self.alone;
        let on = format::counted(threads, "thread");
        let here = seconds(self.here);
        match times(least) == times(most) {
            true => format!(
                "Its work takes {here} of CPU time on {on} and {} on one: {} times as long.",
                seconds(most),
                times(most)
            ),
            false => format!(
                "Its work takes {here} of CPU time on {on} and {} on one. If each thread does all \
                 of it, this is {} times as long; if they divide it, {} times.",
                seconds(least),
                times(most),
                times(least)
            ),
        }
    }
}

/// The waiting at the end of these constructs, if it is no more than what makes threads late there:
/// clock ticks, and what its end would bring.
pub(super) fn waits_that_follow(
    search: &mut Search,
    calls: &[CallId],
    inflation: Ticks,
) -> (Ticks, Gain) {
    let lens = search.lens;
    let ends = ends(search, calls);
    let waiting = waits_at(search, &ends);
    if waiting == 0 || waiting > inflation {
        return (0, Gain::about(0));
    }
    search.claim(WAITS, &ends);
    let mean = waiting / lens.threads_at(&ends) as i64;
    // Whether threads would arrive at the same time without the inflation is not known.
    (waiting, Gain::between(0, mean / 2, mean))
}

const WAITS: &str = "omp_ibarrier_wait";

/// Where the constructs end, if the waiting there is not explained yet.
fn ends(search: &Search, calls: &[CallId]) -> Vec<CallId> {
    let ends = calls.iter().flat_map(|&call| ends_of(&search.lens, call));
    let ends = grouped(ends, |at| at).into_iter().map(|(barrier, _)| barrier);
    ends.filter(|&barrier| !search.is_claimed(WAITS, barrier)).collect()
}

fn waits_at(search: &Search, ends: &[CallId]) -> Ticks {
    search.lens.sum(WAITS, ends)
}

/// The implicit barriers at which the code of a call path ends: its construct's own, or that of the
/// parallel region which the construct is combined with.
fn ends_of(lens: &Lens, call: CallId) -> Vec<CallId> {
    let tree = &lens.cube.calls;
    let own = std::iter::once(call).chain(combined_with(lens, call));
    own.flat_map(|construct| tree.children(construct).iter().copied())
        .filter(|&child| lens.role(child) == Role::ImplicitBarrier)
        .collect()
}

/// These constructs and the other halves of combined ones, where threads wait at the end.
fn with_combined(lens: &Lens, calls: &[CallId]) -> Vec<CallId> {
    let halves = calls.iter().filter_map(|&call| combined_with(lens, call));
    halves.chain(calls.iter().copied()).collect()
}

/// The parallel region on the same line, of which a worksharing construct is the other half.
pub(crate) fn combined_with(lens: &Lens, call: CallId) -> Option<CallId> {
    let parent = lens.cube.calls.parent(call)?;
    let (inner, outer) = (lens.region(call), lens.region(parent));
    let is_one = outer.role == Role::Parallel && inner.begin() == outer.begin();
    is_one.then_some(parent)
}

/// The advice, unless it is a schedule for code that waits for memory.
pub(super) fn allowed(search: &Search, advice: Advice, site: &Site) -> Advice {
    let tree = &search.lens.cube.calls;
    let is_in = |codes: &BTreeSet<CallId>| {
        site.calls.iter().any(|&call| {
            let around = tree.parent(call);
            std::iter::once(call).chain(around).any(|call| codes.contains(&call))
        })
    };
    match advice.kind {
        AdviceKind::Schedule if is_in(&search.memory_bound) => Advice::none(
            "The loop waits for memory, so another schedule does not help: see the finding that \
             says so.",
        ),
        AdviceKind::Schedule if is_in(&search.slower) => Advice::none(
            "The loop takes longer than on one thread, by more than its threads wait here. Look for \
             memory or cache lines that they share: another schedule does not help.",
        ),
        _ => advice,
    }
}

fn site(lens: &Lens, region: RegionId, calls: Vec<CallId>) -> Site {
    let word = lens.cube.regions[region].construct();
    let is_combined = calls.iter().any(|&call| combined_with(lens, call).is_some());
    let construct = if is_combined { format!("parallel {word}") } else { word.to_owned() };
    Site { region, construct, metric: "comp", calls }
}

/// A construct of which counters show that it waits for memory.
struct Bound {
    region: RegionId,
    calls: Vec<CallId>,
    rates: Rates,
}

fn bound_by_counters(search: &Search) -> Vec<Bound> {
    let lens = &search.lens;
    let processor = Processor::of(lens.cube);
    let (Some(_), Some(instructions)) = (processor.misses, processor.instructions) else {
        return Vec::new();
    };
    // Counters may be read at the borders of parallel regions and functions only.
    let counted = lens.cube.calls.innermost(|call| lens.cube.own(instructions, call) > 0);
    let is_parallel = |call: &CallId| {
        search.paths.outermost_parallel[*call].is_some() || lens.in_task_tree(*call)
    };
    let code = lens.cube.calls.ids().filter(is_code(lens)).filter(is_parallel);
    let code = code.filter_map(|call| Some((counted[call]?, call)));
    let groups = grouped(code, |(counted, _)| lens.cube.calls.region(counted));
    let of = |(region, pairs): (RegionId, Vec<(CallId, CallId)>)| {
        let counted: Vec<CallId> =
            grouped(pairs.iter().map(|pair| pair.0), |at| at).into_iter().map(|of| of.0).collect();
        let rates = processor.rates(lens.cube, &counted, 0);
        Bound { region, calls: pairs.into_iter().map(|pair| pair.1).collect(), rates }
    };
    groups.into_iter().map(of).filter(|of| of.rates.is_memory_bound()).collect()
}

impl Bound {
    /// In at least this part of its cycles a processor completed no instruction. If cycles were not
    /// counted, how much is lost is not known, and there is no finding.
    fn report(&self, search: &mut Search) {
        let Some(per_cycle) = self.rates.per_cycle else { return };
        let lens = search.lens;
        let lost = (lens.sum("comp", &self.calls) as f64 * (1.0 - per_cycle)) as Ticks;
        let detail = format!(
            "{:.0} cache misses per 1,000 instructions and {per_cycle:.2} instructions per cycle: \
             it waits for memory.",
            self.rates.misses_per_1000.unwrap_or_default()
        );
        let words = Words {
            cause: Some(Cause::MemoryOrSharing),
            details: vec![detail],
            advice: Advice::none(ADVICE),
        };
        let site = site(&lens, self.region, self.calls.clone());
        search.report("work_inflation", site, Loss { lost, gain: None }, words);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AdviceKind, Finding, Known, check, check_with_reference, findings_with};
    use expect_test::expect;

    const ONE: &str = "wall=700 locations=1
         a                                         0  time=200 visits=1
         a/parallel@a.c:2                          0  visits=1
         a/parallel@a.c:2/for@a.c:2                0  time=500 visits=1";

    #[test]
    fn a_loop_that_takes_longer_on_two_threads_waits_for_memory() {
        check_with_reference(
            "wall=650 locations=2
             a                                         0  time=200 visits=1
             a/parallel@a.c:2                          *  visits=1
             a/parallel@a.c:2/for@a.c:2                0  time=450 visits=1
             a/parallel@a.c:2/for@a.c:2                1  time=400 visits=1
             a/parallel@a.c:2/implicit barrier@a.c:4   0  visits=1 omp_barrier_last=1
             a/parallel@a.c:2/implicit barrier@a.c:4   1  time=50 visits=1 omp_ibarrier_wait=50",
            ONE,
            expect![[r#"
                a.c:2 parallel for | work_inflation lost=400 gain=187 (143 to 289)
                    [memory_or_sharing, none]
                    Its work takes 0.85 s of CPU time on 2 threads and 0.50 s on one: 1.7 times as long.
                    Threads wait for memory or write the same cache lines: keep data in the caches (blocks), pad what each thread writes, let the thread that uses data touch it first.
                ? a | omp_idle_threads lost=200 gain=100 (79 to 121)
                    [serial_part, none]
                    0.20 s run on one thread.
                    It lies next to parallel a.c:2 (1 visit).
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }

    /// The loop takes 8 % longer than on one thread, which is too little for a finding. But it is as
    /// much as thread 1 waits for thread 0, so its iterations may take equally long.
    #[test]
    fn no_schedule_helps_where_the_loop_is_slower_by_as_much_as_threads_wait() {
        let run = "wall=490 locations=2
             a                                         0  time=200 visits=1
             a/parallel@a.c:2                          *  visits=50
             a/parallel@a.c:2/for@a.c:2 schedule(static)  0  time=290 visits=50
             a/parallel@a.c:2/for@a.c:2 schedule(static)  1  time=250 visits=50
             a/parallel@a.c:2/for@a.c:2 schedule(static)  *  omp_loop_iterations=50000 \
             omp_loop_visits_known=50 omp_loop_iterations_min=1000 omp_loop_iterations_max=1000
             a/parallel@a.c:2/implicit barrier@a.c:4   0  visits=50 omp_barrier_last=50
             a/parallel@a.c:2/implicit barrier@a.c:4   1  time=40 visits=50 omp_ibarrier_wait=40";
        let advised = |alone: i64| {
            let one = format!(
                "wall=700 locations=1
                 a                                            0  time={} visits=1
                 a/parallel@a.c:2                             0  visits=50
                 a/parallel@a.c:2/for@a.c:2 schedule(static)  0  time={alone} visits=50",
                700 - alone
            );
            let [cube, one] =
                [run, &one].map(|text| crate::derive(&crate::notation::cube(text).unwrap()));
            let run = |cube| crate::reference::Run { cube, not_on_cpu_ns: None };
            let reference = crate::Reference::new(run(&cube), run(&one)).unwrap();
            let known = Known { reference: Some(&reference), ..Known::default() };
            let found = findings_with(&cube, known);
            let is_loop = |finding: &&Finding| finding.metric == "omp_ibarrier_wait";
            found.iter().find(is_loop).unwrap().advice.kind
        };
        assert_eq!([500, 540].map(advised), [AdviceKind::None, AdviceKind::Schedule]);
    }

    /// The same times as above, but the loop is not slower than on one thread.
    #[test]
    fn a_loop_that_is_not_slower_has_no_problem_with_memory() {
        check_with_reference(
            "wall=450 locations=2
             a                                         0  time=200 visits=1
             a/parallel@a.c:2                          *  visits=1
             a/parallel@a.c:2/for@a.c:2                *  time=250 visits=1",
            ONE,
            expect![[r#"
                ? a | omp_idle_threads lost=200 gain=100 (81 to 119)
                    [serial_part, none]
                    0.20 s run on one thread.
                    It lies next to parallel a.c:2 (1 visit).
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }

    /// Two runs differ by more than a share of the short code around a loop.
    #[test]
    fn short_code_does_not_wait_for_memory() {
        check_with_reference(
            "wall=454 locations=2
             a                                         0  time=200 visits=1
             a/parallel@a.c:2                          *  time=4 visits=1
             a/parallel@a.c:2/for@a.c:2                *  time=250 visits=1",
            "wall=702 locations=1
             a                                         0  time=200 visits=1
             a/parallel@a.c:2                          0  time=2 visits=1
             a/parallel@a.c:2/for@a.c:2                0  time=500 visits=1",
            expect![[r#"
                ? a | omp_idle_threads lost=200 gain=100 (81 to 119)
                    [serial_part, none]
                    0.20 s run on one thread.
                    It lies next to parallel a.c:2 (1 visit).
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }

    #[test]
    fn a_parallel_region_may_divide_its_work_or_repeat_it() {
        let one = "wall=500 locations=1
             a                 0  visits=1
             a/parallel@a.c:2  0  time=500 visits=1";
        // Each thread has as much work as the one had.
        check_with_reference(
            "wall=520 locations=2
             a                 0  visits=1
             a/parallel@a.c:2  *  time=520 visits=1",
            one,
            expect![[""]],
        );
        check_with_reference(
            "wall=2000 locations=2
             a                 0  visits=1
             a/parallel@a.c:2  *  time=2000 visits=1",
            one,
            expect![[r#"
                a.c:2 parallel | work_inflation lost=3250 gain=1625 (1255 to 2000)
                    [memory_or_sharing, none]
                    Its work takes 4.0 s of CPU time on 2 threads and 0.50 s on one. If each thread does all of it, this is 4.0 times as long; if they divide it, 8.0 times.
                    Threads wait for memory or write the same cache lines: keep data in the caches (blocks), pad what each thread writes, let the thread that uses data touch it first.
            "#]],
        );
    }

    #[test]
    fn without_reference_and_counters_memory_is_not_named() {
        check(
            "wall=450 locations=2
             a                                         0  time=200 visits=1
             a/parallel@a.c:2                          *  visits=1
             a/parallel@a.c:2/for@a.c:2                *  time=250 visits=1",
            expect![[r#"
                ? a | omp_idle_threads lost=200 gain=100 (81 to 119)
                    [serial_part, none]
                    0.20 s run on one thread.
                    It lies next to parallel a.c:2 (1 visit).
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }

    #[test]
    fn counters_show_that_code_waits_for_memory() {
        check(
            "wall=450 locations=2
             a                                  0  time=50 visits=1
             a/parallel@a.c:2                   *  visits=1 instructions=9 cycles=9 cache-misses=0
             a/parallel@a.c:2/for@a.c:2         *  time=200 visits=1 instructions=100000 \
             cycles=400000 cache-misses=2000
             a/parallel@a.c:5                   *  visits=1
             a/parallel@a.c:5/for@a.c:5         *  time=200 visits=1 instructions=800000 \
             cycles=400000 cache-misses=2000",
            expect![[r#"
                a.c:2 parallel for | work_inflation lost=300 gain=?
                    [memory_or_sharing, none]
                    20 cache misses per 1,000 instructions and 0.25 instructions per cycle: it waits for memory.
                    Threads wait for memory or write the same cache lines: keep data in the caches (blocks), pad what each thread writes, let the thread that uses data touch it first.
                ? a | omp_idle_threads lost=50 gain=25 (18 to 32)
                    [serial_part, none]
                    50 ms run on one thread.
                    It lies next to parallel a.c:2 (1 visit), parallel a.c:5 (1 visit).
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }

    /// Without its atomics the loop takes as long as on one thread.
    #[test]
    fn what_atomics_cost_is_not_memory() {
        check_with_reference(
            "wall=650 locations=2
             a                                      0  time=200 visits=1
             a/parallel@a.c:2                       *  visits=1
             a/parallel@a.c:2/for@a.c:2             *  time=450 visits=1
             a/parallel@a.c:2/for@a.c:2/atomic@a.c:3  *  visits=4096 omp_atomic_contention=200",
            ONE,
            expect![[r#"
                a.c:3 atomic | omp_atomic_contention lost=900 gain=450 (337 to 650)
                    [atomic, none]
                    8,192 visits, each 49 µs longer than without other threads (from samples).
                    Update private copies and add them up at the end, or use a reduction.
                ? a | omp_idle_threads lost=200 gain=100 (79 to 121)
                    [serial_part, none]
                    0.20 s run on one thread.
                    It lies next to parallel a.c:2 (1 visit).
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }
}
