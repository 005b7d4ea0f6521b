//! What the number of iterations of a worksharing loop tells about the waiting at its end: whether
//! there are too few of them for the threads, and whether smaller parts of the loop can be handed
//! out as they are needed.

use pompeii_model::{CallId, Role, Ticks};

use super::{Advice, AdviceKind, Search};
use crate::Lens;

/// The iterations that do not fit the number of threads must explain this share of the waiting.
const EXPLAINED: f64 = 0.5;
/// A chunk must take that many times what handing it out costs.
const WORTH: f64 = 50.0;
/// What handing out a chunk costs at most, in microseconds: a call and an atomic add that moves a
/// cache line between sockets.
const DISPATCH_US: f64 = 1.0;
/// With fewer chunks for each thread, the last one makes its thread late again.
const CHUNKS_EACH: i64 = 4;

/// The iterations of one loop, of which all visits were counted.
pub(super) struct LoopWork {
    call: CallId,
    /// Iterations of a visit: least, mean and most.
    least: i64,
    each: f64,
    most: i64,
    /// Visits of one thread.
    visits: f64,
    threads: i64,
    /// Mean time of an iteration, in clock ticks.
    ticks: f64,
}

impl LoopWork {
    /// Of the loops that `scopes` are, or the other halves of combined constructs that they are.
    /// `None` where they are no loops of one region, or the iterations of a visit are not known.
    pub(super) fn new(search: &Search, scopes: &[CallId], threads: i64) -> Option<Self> {
        let lens = &search.lens;
        let loops: Option<Vec<CallId>> = scopes.iter().map(|&call| half(lens, call)).collect();
        let mut loops = loops?;
        loops.sort();
        loops.dedup();
        let call = *loops.first()?;
        let region = lens.cube.calls.region(call);
        let is_one = loops.iter().all(|&call| lens.cube.calls.region(call) == region);
        let sum = |metric| lens.sum(metric, &loops);
        let (visits, iterations) = (sum("visits"), sum("omp_loop_iterations"));
        let is_known = visits == sum("omp_loop_visits_known") && iterations > 0 && threads > 1;
        let known = |metric| {
            let all = lens.by_location(metric, &[call]);
            all.into_iter().filter(|&count| count > 0).collect::<Vec<i64>>()
        };
        let least = known("omp_loop_iterations_min").into_iter().min()?;
        let most = known("omp_loop_iterations_max").into_iter().max()?;
        let work: Ticks = loops.iter().map(|&call| work(search, call)).sum();
        (is_one && is_known).then(|| Self {
            call,
            least,
            each: iterations as f64 / visits as f64,
            most,
            visits: visits as f64 / threads as f64,
            threads,
            // Each thread of the team counts all iterations of a visit.
            ticks: work as f64 * threads as f64 / iterations as f64,
        })
    }

    /// Whether threads that have one iteration less than others explain `lost`.
    pub(super) fn are_few(&self, lost: Ticks) -> bool {
        if self.least != self.most {
            return false;
        }
        let rounds = (self.most + self.threads - 1) / self.threads;
        let without = (rounds * self.threads - self.most) as f64;
        without * self.ticks * self.visits >= EXPLAINED * lost as f64
    }

    /// How many iterations and threads there are.
    pub(super) fn sentence(&self) -> String {
        let Self { most, threads, .. } = self;
        match most < threads {
            true => format!("{most} iterations for {threads} threads: some have none."),
            false => format!("{most} iterations for {threads} threads: some have one less."),
        }
    }

    /// A dynamic schedule with a chunk that is worth handing out and leaves enough chunks to
    /// balance threads; `None` where there is no such chunk, or the schedule is not static.
    pub(super) fn schedule(&self, lens: &Lens) -> Option<Advice> {
        let region = lens.region(self.call);
        let us = self.ticks / lens.cube.clock.ticks_per_second() * 1e6;
        // Shorter iterations go over arrays, where neighbours share cache lines and pages: another
        // order may cost more than it brings.
        if !region.schedule().starts_with("static") || us < DISPATCH_US {
            return None;
        }
        let chunk = (WORTH * DISPATCH_US / us).ceil().max(1.0);
        let enough = chunk * (CHUNKS_EACH * self.threads) as f64;
        (enough <= self.each).then(|| Advice {
            kind: AdviceKind::Schedule,
            target: region.position().unwrap_or_default(),
            value: Some(format!("dynamic,{chunk}")),
        })
    }
}

/// The loop itself, or the one that the parallel region of a combined construct has in its line.
fn half(lens: &Lens, scope: CallId) -> Option<CallId> {
    if lens.role(scope) == Role::Loop {
        return Some(scope);
    }
    let outer = lens.region(scope);
    let same = |&call: &CallId| {
        let inner = lens.region(call);
        let is_here = inner.begin() == outer.begin();
        lens.role(call) == Role::Loop && is_here
    };
    let is_parallel = lens.role(scope) == Role::Parallel;
    lens.cube.calls.children(scope).iter().copied().find(same).filter(|_| is_parallel)
}

/// Time in the loop and all below it, without the barrier at its end.
pub(super) fn work(search: &Search, call: CallId) -> Ticks {
    let lens = &search.lens;
    let is_barrier = |&child: &CallId| lens.role(child) == Role::ImplicitBarrier;
    let barriers = lens.cube.calls.children(call).iter().copied().filter(is_barrier);
    let execution = &search.paths.execution;
    execution[call] - barriers.map(|barrier| execution[barrier]).sum::<Ticks>()
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use expect_test::{Expect, expect};

    /// A loop with this schedule and number of iterations in each of 20 visits by four threads.
    fn check_loop((clauses, iterations): (&str, i64), time: [i64; 4], expect: Expect) {
        let (counted, most) = (20 * iterations, time.iter().max().unwrap());
        let mut text = format!(
            "wall=800 locations=4
             a/parallel@a.c:5                          *    visits=20
             a/parallel@a.c:5/for@a.c:5 {clauses}  *  visits=20 omp_loop_iterations={counted} \
             omp_loop_visits_known=20 omp_loop_iterations_min={iterations} \
             omp_loop_iterations_max={iterations}
             a/parallel@a.c:5/implicit barrier@a.c:9   *    visits=20"
        );
        for (at, ticks) in time.iter().enumerate() {
            let wait = most - ticks;
            text += &format!(
                "\na/parallel@a.c:5/for@a.c:5 {clauses}  {at}  time={ticks}
                 a/parallel@a.c:5/implicit barrier@a.c:9  {at}  time={wait} \
                 omp_ibarrier_wait={wait}"
            );
        }
        text += "\na/parallel@a.c:5/implicit barrier@a.c:9  0  omp_barrier_last=20";
        check(&text, expect);
    }

    #[test]
    fn a_loop_with_fewer_iterations_than_fit_the_threads() {
        check_loop(
            ("schedule(static)", 6),
            [800, 800, 400, 400],
            expect![[r#"
                a.c:5 parallel for | omp_ibarrier_wait lost=800 gain=200 (117 to 238)
                    [few_units, none]
                    Thread 0 arrives last in 100 % of 20 visits, 10 ms after the average.
                    6 iterations for 4 threads: some have one less.
                    Make more and shorter iterations, or parallelise an inner loop too (collapse).
            "#]],
        );
    }

    #[test]
    fn costly_iterations_in_enough_chunks() {
        check_loop(
            ("schedule(static)", 16),
            [800, 400, 400, 400],
            expect![[r#"
                a.c:5 parallel for | omp_ibarrier_wait lost=1200 gain=300 (247 to 353)
                    [imbalance_steady, schedule a.c:5]
                    Thread 0 arrives last in 100 % of 20 visits, 15 ms after the average.
                    It computes 0.30 s more than the average in for a.c:5.
                    Set schedule(dynamic,1) for the loop a.c:5.
            "#]],
        );
    }

    #[test]
    fn too_few_chunks_or_another_schedule() {
        check_loop(
            ("schedule(static)", 12),
            [800, 400, 400, 400],
            expect![[r#"
                a.c:5 parallel for | omp_ibarrier_wait lost=1200 gain=300 (247 to 353)
                    [imbalance_steady, none]
                    Thread 0 arrives last in 100 % of 20 visits, 15 ms after the average.
                    It computes 0.30 s more than the average in for a.c:5.
                    It has more or costlier iterations, or slower memory: split the iterations by cost. Compile with --loop-chunks to see them.
            "#]],
        );
        check_loop(
            ("schedule(dynamic,1)", 16),
            [800, 400, 400, 400],
            expect![[r#"
                a.c:5 parallel for | omp_ibarrier_wait lost=1200 gain=300 (247 to 353)
                    [imbalance_steady, none]
                    Thread 0 arrives last in 100 % of 20 visits, 15 ms after the average.
                    It computes 0.30 s more than the average in for a.c:5.
                    It has more or costlier iterations, or slower memory: split the iterations by cost. Compile with --loop-chunks to see them.
            "#]],
        );
    }

    #[test]
    fn short_iterations_get_a_chunk_and_very_short_ones_none() {
        check_loop(
            ("schedule(static)", 10_000),
            [800, 400, 400, 400],
            expect![[r#"
                a.c:5 parallel for | omp_ibarrier_wait lost=1200 gain=300 (247 to 353)
                    [imbalance_steady, schedule a.c:5]
                    Thread 0 arrives last in 100 % of 20 visits, 15 ms after the average.
                    It computes 0.30 s more than the average in for a.c:5.
                    Set schedule(dynamic,5) for the loop a.c:5.
            "#]],
        );
        check_loop(
            ("schedule(static)", 10_000_000),
            [800, 400, 400, 400],
            expect![[r#"
                a.c:5 parallel for | omp_ibarrier_wait lost=1200 gain=300 (247 to 353)
                    [imbalance_steady, none]
                    Thread 0 arrives last in 100 % of 20 visits, 15 ms after the average.
                    It computes 0.30 s more than the average in for a.c:5.
                    It has more or costlier iterations, or slower memory: split the iterations by cost. Compile with --loop-chunks to see them.
            "#]],
        );
    }
}
