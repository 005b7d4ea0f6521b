//! Barriers that make threads wait which are balanced without them: one thread is late at the first
//! barrier and early at the next, so without the first one its work would even out.
//!
//! With W_i the waiting at the first barrier and V_i that at the next, all threads arrive at the
//! next barrier earlier by the least (W_i + V_i) if there is no barrier between. The least W_i and
//! the least V_i are waiting that changes from visit to visit; the rest of the sum is what the
//! first barrier costs. The next barrier must be passed as often, because otherwise it is not next.
//! And no other code may use what is stored before the first one, as far as that is known.

use pompeii_model::{CallId, IndexVec, LocationId, RegionId, Role, Ticks};

use super::imbalance::Parts;
use super::owner::owner;
use super::paths::ends_team;
use super::{Advice, AdviceKind, Cause, Gain, Loss, Search, Site, Words, grouped};
use crate::{Lens, format};

/// A barrier is called needless if so much of the waiting at both would vanish without it.
const VANISHES: f64 = 0.5;

pub(super) fn detect(search: &mut Search) {
    let lens = search.lens;
    let mut teams = by_team(search);
    teams.sort_by_key(|(parallel, _)| *parallel);
    for (parallel, calls) in teams {
        let barriers = in_order(search, calls);
        let teams = lens.teams_at(&[parallel]);
        let mut pairs: Vec<Pair> =
            barriers.windows(2).map(|two| Pair::new(&two[0], &two[1], &teams)).collect();
        if let [first, .., last] = barriers.as_slice() {
            // In a loop, the first barrier follows the last.
            pairs.push(Pair::new(first, last, &teams));
        }
        let needless = pairs.into_iter().filter(Pair::is_needless);
        if let Some(pair) = needless.max_by_key(|pair| pair.vanishes) {
            report(search, &pair);
        }
    }
}

fn metric_at(lens: &Lens, barrier: CallId) -> &'static str {
    match lens.role(barrier) {
        Role::Barrier => "omp_ebarrier_wait",
        _ => "omp_ibarrier_wait",
    }
}

/// The barriers with waiting that is not explained yet, by the parallel region of their team.
fn by_team(search: &Search) -> Vec<(CallId, Vec<CallId>)> {
    let lens = &search.lens;
    let is_free = |&call: &CallId| {
        let metric = metric_at(lens, call);
        lens.own(metric, call) > 0 && !search.is_claimed(metric, call)
    };
    let free = search.paths.barriers.iter().copied().filter(is_free);
    let teams = grouped(free, |call| search.paths.parallel[call]).into_iter();
    teams.filter_map(|(parallel, calls)| Some((parallel?, calls))).collect()
}

/// A barrier of a parallel region at which threads wait.
struct Barrier {
    calls: Vec<CallId>,
    /// The construct that it ends, or itself.
    construct: (RegionId, String),
    line: u32,
    ends_team: bool,
    visits: i64,
    waits: IndexVec<LocationId, Ticks>,
    is_explicit: bool,
    /// Other code uses what its construct stores.
    is_needed: bool,
}

/// Those of one team, in the order of the source.
fn in_order(search: &Search, calls: Vec<CallId>) -> Vec<Barrier> {
    let lens = search.lens;
    let tree = &lens.cube.calls;
    let barrier = |(_, calls): (RegionId, Vec<CallId>)| {
        let (region, construct, scope) = owner(&lens, calls[0]);
        let is_explicit = lens.role(calls[0]) == Role::Barrier;
        // Who executes a single changes, and the others have nothing to do.
        (lens.role(scope) != Role::Single).then(|| Barrier {
            construct: (region, construct),
            line: lens.cube.regions[region].begin_line,
            ends_team: calls.iter().any(|&call| ends_team(&lens, call)),
            visits: lens.sum("visits", &calls),
            waits: lens.by_location(metric_at(&lens, calls[0]), &calls),
            is_needed: lens.cube.regions[region].results_are_used(),
            is_explicit,
            calls,
        })
    };
    let groups = grouped(calls, |call| tree.region(call)).into_iter();
    let mut found: Vec<Barrier> = groups.filter_map(barrier).collect();
    // What ends the team comes last, whatever line its construct begins in.
    found.sort_by_key(|barrier| (barrier.ends_team, barrier.line));
    found
}

/// Two barriers that follow each other.
struct Pair<'a> {
    first: &'a Barrier,
    next: &'a Barrier,
    both: Parts,
    /// Waiting of a thread that is there without the first barrier too, because it changes.
    changes: Ticks,
    /// Wall time that the first barrier costs.
    vanishes: Ticks,
}

impl<'a> Pair<'a> {
    fn new(first: &'a Barrier, next: &'a Barrier, teams: &[Vec<LocationId>]) -> Self {
        let parts = |of: &dyn Fn(LocationId) -> Ticks| -> Parts {
            let team = |team: &Vec<LocationId>| team.iter().map(|&at| of(at)).collect::<Vec<_>>();
            Parts::of_teams(teams.iter().map(team))
        };
        let both = parts(&|at| first.waits[at] + next.waits[at]);
        let changes = parts(&|at| first.waits[at]).least + parts(&|at| next.waits[at]).least;
        Self { first, next, both, changes, vanishes: both.least - changes }
    }

    fn is_needless(&self) -> bool {
        !self.first.ends_team
            && !self.first.is_needed
            && self.first.visits == self.next.visits
            && self.vanishes as f64 >= VANISHES * self.both.mean() as f64
            && self.vanishes > 0
    }
}

fn report(search: &mut Search, pair: &Pair) {
    let (first, next) = (pair.first, pair.next);
    let lens: Lens = search.lens;
    let metric_of = |barrier: &Barrier| {
        if barrier.is_explicit { "omp_ebarrier_wait" } else { "omp_ibarrier_wait" }
    };
    let (region, construct) = first.construct.clone();
    let place = |region: RegionId| lens.cube.regions[region].position().unwrap_or_default();
    let seconds = |ticks| format::seconds(lens.seconds(ticks));
    let detail = format!(
        "who is late here is early at the next barrier ({} {}): the threads wait {} on average at \
         both, and {} without this barrier.",
        next.construct.1,
        place(next.construct.0),
        seconds(pair.both.mean()),
        seconds(pair.both.mean() - pair.vanishes),
    );
    let cause = if first.is_explicit { Cause::NeedlessBarrier } else { Cause::NowaitPossible };
    let advice = Advice { kind: AdviceKind::Nowait, target: place(region), value: None };
    search.claim(metric_of(first), &first.calls);
    search.claim(metric_of(next), &next.calls);
    let low = (pair.vanishes - pair.changes).max(pair.vanishes / 2);
    let gain = Some(Gain::between(low, pair.vanishes, pair.both.mean()));
    let metric = metric_of(first);
    let site = Site { region, construct, metric, calls: first.calls.clone() };
    let words = Words { cause: Some(cause), details: vec![detail], advice };
    search.report(metric, site, Loss { lost: pair.both.sum, gain }, words);
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use expect_test::expect;

    #[test]
    fn two_loops_that_even_out() {
        check(
            "wall=1000 locations=2
             a/parallel@a.c:2                                *  visits=1
             a/parallel@a.c:2/for@a.c:4                      0  time=300 visits=25
             a/parallel@a.c:2/for@a.c:4                      1  time=100 visits=25
             a/parallel@a.c:2/for@a.c:4/implicit barrier@a.c:5  0  time=10 visits=25 \
             omp_ibarrier_wait=10 omp_barrier_last=24
             a/parallel@a.c:2/for@a.c:4/implicit barrier@a.c:5  1  time=210 visits=25 \
             omp_ibarrier_wait=210 omp_barrier_last=1
             a/parallel@a.c:2/for@a.c:7                      0  time=490 visits=25
             a/parallel@a.c:2/for@a.c:7                      1  time=690 visits=25
             a/parallel@a.c:2/for@a.c:7/implicit barrier@a.c:8  0  time=200 visits=25 \
             omp_ibarrier_wait=200
             a/parallel@a.c:2/for@a.c:7/implicit barrier@a.c:8  1  visits=25 omp_barrier_last=25",
            expect![[r#"
                a.c:4 for | omp_ibarrier_wait lost=420 gain=200 (152 to 251)
                    [nowait_possible, nowait a.c:4]
                    Who is late here is early at the next barrier (for a.c:7): the threads wait 0.21 s on average at both, and 10 ms without this barrier.
                    Leave out the barrier of a.c:4 (delete it, or add nowait to the construct that it ends), if the code after it does not need the results of other threads.
            "#]],
        );
    }

    /// The second loop reads what other threads have stored in the first.
    #[test]
    fn a_barrier_whose_results_are_used_is_needed() {
        check(
            "wall=1000 locations=2
             a/parallel@a.c:2                                *  visits=1
             a/parallel@a.c:2/for@a.c:4 results_used         0  time=300 visits=25
             a/parallel@a.c:2/for@a.c:4 results_used         1  time=100 visits=25
             a/parallel@a.c:2/for@a.c:4 results_used/implicit barrier@a.c:5  0  time=10 visits=25 \
             omp_ibarrier_wait=10 omp_barrier_last=24
             a/parallel@a.c:2/for@a.c:4 results_used/implicit barrier@a.c:5  1  time=210 visits=25 \
             omp_ibarrier_wait=210 omp_barrier_last=1
             a/parallel@a.c:2/for@a.c:7                      0  time=490 visits=25
             a/parallel@a.c:2/for@a.c:7                      1  time=690 visits=25
             a/parallel@a.c:2/for@a.c:7/implicit barrier@a.c:8  0  time=200 visits=25 \
             omp_ibarrier_wait=200
             a/parallel@a.c:2/for@a.c:7/implicit barrier@a.c:8  1  visits=25 omp_barrier_last=25",
            expect![[r#"
                a.c:4 for | omp_ibarrier_wait lost=220 gain=100 (67 to 136)
                    [imbalance_steady, none]
                    Thread 0 arrives last in 96 % of 25 visits, 4.4 ms after the average.
                    It has more or costlier iterations, or slower memory: split the iterations by cost. Compile with --loop-chunks to see them.
                a.c:7 for | omp_ibarrier_wait lost=200 gain=100 (75 to 125)
                    [imbalance_steady, none]
                    Thread 1 arrives last in 100 % of 25 visits, 4.0 ms after the average.
                    It has more or costlier iterations, or slower memory: split the iterations by cost. Compile with --loop-chunks to see them.
            "#]],
        );
    }

    /// The same thread is late at both: only its work is the problem.
    #[test]
    fn two_loops_with_one_late_thread() {
        check(
            "wall=1000 locations=2
             a/parallel@a.c:2                                *  visits=1
             a/parallel@a.c:2/for@a.c:4                      0  time=500 visits=25
             a/parallel@a.c:2/for@a.c:4                      1  time=300 visits=25
             a/parallel@a.c:2/for@a.c:4/implicit barrier@a.c:5  0  visits=25 omp_barrier_last=25
             a/parallel@a.c:2/for@a.c:4/implicit barrier@a.c:5  1  time=200 visits=25 \
             omp_ibarrier_wait=200
             a/parallel@a.c:2/for@a.c:7                      0  time=500 visits=25
             a/parallel@a.c:2/for@a.c:7                      1  time=400 visits=25
             a/parallel@a.c:2/for@a.c:7/implicit barrier@a.c:8  0  visits=25 omp_barrier_last=25
             a/parallel@a.c:2/for@a.c:7/implicit barrier@a.c:8  1  time=100 visits=25 \
             omp_ibarrier_wait=100",
            expect![[r#"
                a.c:4 for | omp_ibarrier_wait lost=200 gain=100 (75 to 125)
                    [imbalance_steady, none]
                    Thread 0 arrives last in 100 % of 25 visits, 4.0 ms after the average.
                    It has more or costlier iterations, or slower memory: split the iterations by cost. Compile with --loop-chunks to see them.
                a.c:7 for | omp_ibarrier_wait lost=100 gain=50 (33 to 67)
                    [imbalance_steady, none]
                    Thread 0 arrives last in 100 % of 25 visits, 2.0 ms after the average.
                    It has more or costlier iterations, or slower memory: split the iterations by cost. Compile with --loop-chunks to see them.
            "#]],
        );
    }
}
