//! Threads that wait at a barrier for one that has come later because it alone had work before: in
//! a `single` with `nowait`, for example. Mostly another thread has that work in each visit, so no
//! thread is late on average, and sums of the construct with the barrier do not show the cause.
//!
//! If one of n threads works for `s` before each visit of a balanced loop, the n - 1 others wait
//! for it for as long. A dynamic schedule of the loop lets them take iterations of this thread, if
//! they have as much work in the loop as they wait.

use std::cmp::Reverse;
use std::collections::HashMap;

use pompeii_model::{CallId, RegionId, Role, Ticks};

use super::loop_work::{self, LoopWork};
use super::owner::owner;
use super::{Advice, Cause, Loss, Search, Site, Words};
use crate::{Lens, format};

/// The waiting follows from the work of one thread if it is as much up to this factor.
const AS_MUCH: Ticks = 2;

/// Code for one thread of a team, by the construct whose barrier is the next one.
pub(super) struct OneBefore(HashMap<CallId, Vec<CallId>>);

/// What lies directly in a call path.
#[derive(Default)]
struct Around {
    /// Code for one thread that ends without a barrier.
    codes: Vec<CallId>,
    /// Constructs that end with one, and barriers.
    barriers: Vec<CallId>,
}

impl OneBefore {
    pub(super) fn new(search: &Search) -> Self {
        let lens = &search.lens;
        let mut all: HashMap<CallId, Around> = HashMap::new();
        for call in lens.cube.calls.ids() {
            let Some(parent) = lens.cube.calls.parent(call) else { continue };
            if lens.role(call) == Role::Barrier || lens.ends_with_barrier(call) {
                all.entry(parent).or_default().barriers.push(call);
            } else if is_for_one(lens, call) {
                all.entry(parent).or_default().codes.push(call);
            }
        }
        let mut before: HashMap<CallId, Vec<CallId>> = HashMap::new();
        for (parent, around) in all {
            around.add_to(lens, parent, &mut before);
        }
        Self(before)
    }

    /// What a finding about the waiting at these barriers says, if it follows from such code.
    pub(super) fn finding(
        &self,
        search: &Search,
        (barriers, threads): (&[CallId], i64),
        (site, loss, details): (&Site, Loss, &[String]),
    ) -> Option<(Site, Loss, Words)> {
        let lens = &search.lens;
        let scopes: Vec<CallId> = barriers.iter().map(|&call| owner(lens, call).2).collect();
        let mut times: HashMap<RegionId, Ticks> = HashMap::new();
        for &code in scopes.iter().filter_map(|scope| self.0.get(scope)).flatten() {
            let time = times.entry(lens.cube.calls.region(code)).or_default();
            *time += search.paths.execution[code];
        }
        let longest = times.into_iter().max_by_key(|&(region, time)| (time, Reverse(region)));
        let (region, time) = longest?;
        let follows = time.saturating_mul(threads - 1);
        let is_as_much = |a: Ticks, b: Ticks| a.saturating_mul(AS_MUCH) >= b;
        if !is_as_much(follows, loss.lost) || !is_as_much(loss.lost, follows) {
            return None;
        }
        let one = &lens.cube.regions[region];
        let (label, worked) = (one.label(), format::seconds(lens.seconds(time)));
        let who = format!("The thread in {label} comes later: it works there, {worked} in all.");
        let details = [details, &[who]].concat();
        let site = Site { region, construct: one.construct().to_owned(), ..site.clone() };
        let advice = advice(search, &scopes, (loss.lost, threads));
        let words = Words { cause: Some(Cause::SingleMaster), details, advice };
        Some((site, loss, words))
    }
}

/// What helps if threads wait for so long at the end of these constructs for code that one of
/// them has before: a schedule of the loop, if the threads that wait have work in it that they
/// could take over, for most of this time at least.
pub(super) fn advice(search: &Search, scopes: &[CallId], (lost, threads): (Ticks, i64)) -> Advice {
    let time: Ticks = scopes.iter().map(|&scope| loop_work::work(search, scope)).sum();
    let helps = time.saturating_mul(AS_MUCH) >= lost;
    let work = LoopWork::new(search, scopes, threads).filter(|_| helps);
    work.and_then(|work| work.schedule(&search.lens)).unwrap_or_else(|| {
        Advice::none("Only one thread works: split its work into tasks or a loop.")
    })
}

/// Whether only one thread of a team has work in a construct, and the others go on meanwhile. With
/// `copyprivate` they do not, although no barrier is measured.
pub(super) fn is_for_one(lens: &Lens, call: CallId) -> bool {
    lens.role(call).is_for_one() && !lens.region(call).includes_barrier()
}

impl Around {
    /// Finds the next barrier after each code, by the lines of the source. If that is none of
    /// these, it is the one at the end of the parallel region that they lie in.
    fn add_to(mut self, lens: &Lens, parent: CallId, before: &mut HashMap<CallId, Vec<CallId>>) {
        let line = |call: CallId| lens.region(call).begin_line;
        let all = self.codes.iter().chain(&self.barriers);
        let mut files = all.clone().map(|&call| &lens.region(call).file);
        let first = files.next();
        // Of code in other files, and of code without line numbers, the order is not known.
        let is_ordered = all.clone().all(|&call| line(call) > 0) || self.barriers.is_empty();
        if !is_ordered || !files.all(|file| Some(file) == first) {
            return;
        }
        self.barriers.sort_by_key(|&call| line(call));
        for code in self.codes {
            let next = self.barriers.partition_point(|&barrier| line(barrier) <= line(code));
            let is_team = lens.role(parent) == Role::Parallel;
            let next = self.barriers.get(next).copied().or_else(|| is_team.then_some(parent));
            if let Some(scope) = next {
                before.entry(scope).or_default().push(code);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use expect_test::{Expect, expect};

    /// Four threads work in the single one after the other, each for `one` in 20 visits, and all of
    /// them for `each` in the loop after it, whose barrier they wait at for 90 ms.
    fn check_with(one: i64, each: i64, expect: Expect) {
        check(
            &format!(
                "wall={} locations=4
                 a/parallel@a.c:2                                        *  visits=1
                 a/parallel@a.c:2/single@a.c:6                           *  visits=20
                 a/parallel@a.c:2/single@a.c:6/single sblock@a.c:6       *  time={one} visits=5
                 a/parallel@a.c:2/for@a.c:10 schedule(static)            *  time={each} visits=20 \
                 omp_loop_iterations=320 omp_loop_visits_known=20 omp_loop_iterations_min=16 \
                 omp_loop_iterations_max=16
                 a/parallel@a.c:2/for@a.c:10 schedule(static)/implicit barrier@a.c:12  *  time=90 \
                 visits=20 omp_ibarrier_wait=90 omp_barrier_last=5",
                one + each + 90
            ),
            expect,
        );
    }

    #[test]
    fn iterations_of_the_late_thread_can_go_to_the_others() {
        check_with(
            30,
            80,
            expect![[r#"
                a.c:6 single | omp_ibarrier_wait lost=360 gain=90 (52 to 105)
                    [single_master, schedule a.c:10]
                    Different threads arrive last (thread 0 in 25 % of 20 visits), 4.5 ms after the average.
                    The thread in single a.c:6 comes later: it works there, 0.12 s in all.
                    Set schedule(dynamic,1) for the loop a.c:10.
            "#]],
        );
    }

    #[test]
    fn a_loop_with_little_work_gets_no_schedule() {
        check_with(
            30,
            20,
            expect![[r#"
                a.c:6 single | omp_ibarrier_wait lost=360 gain=90 (52 to 104)
                    [single_master, none]
                    Different threads arrive last (thread 0 in 25 % of 20 visits), 4.5 ms after the average.
                    The thread in single a.c:6 comes later: it works there, 0.12 s in all.
                    Only one thread works: split its work into tasks or a loop.
            "#]],
        );
    }

    /// The others wait for six times as long as the single takes.
    #[test]
    fn a_short_single_is_not_the_cause() {
        check_with(
            5,
            105,
            expect![[r#"
                a.c:10 for | omp_ibarrier_wait lost=360 gain=90 (52 to 105)
                    [imbalance_changing, schedule a.c:10]
                    Different threads arrive last (thread 0 in 25 % of 20 visits), 4.5 ms after the average.
                    Set schedule(dynamic,1) for the loop a.c:10.
            "#]],
        );
    }

    /// Whatever the single makes late has ended at the barrier after it.
    #[test]
    fn a_single_leads_to_the_next_barrier_only() {
        check(
            "wall=180 locations=2
             a/parallel@a.c:2                                   *  visits=1
             a/parallel@a.c:2/single@a.c:6                      *  visits=20
             a/parallel@a.c:2/single@a.c:6/single sblock@a.c:6  *  time=40 visits=10
             a/parallel@a.c:2/barrier@a.c:8                     *  visits=20
             a/parallel@a.c:2/for@a.c:10                        *  time=100 visits=20
             a/parallel@a.c:2/for@a.c:10/implicit barrier@a.c:12  *  time=40 visits=20 \
             omp_ibarrier_wait=40 omp_barrier_last=10",
            expect![[r#"
                a.c:10 for | omp_ibarrier_wait lost=80 gain=40 (23 to 46)
                    [imbalance_changing, none]
                    Different threads arrive last (thread 0 in 50 % of 20 visits), 2.0 ms after the average.
                    No thread is always late: another static split does not help. Do more work between barriers, or use nowait if the next code does not need the results.
            "#]],
        );
    }
}
