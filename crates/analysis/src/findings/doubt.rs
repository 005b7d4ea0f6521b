//! Differences between threads that need no cause in the program. Measuring takes time on each
//! thread, and the estimate of its cost may be wrong by a share of it. And threads with the same
//! work never take the same time: a CPU shares caches, memory and its clock with others. If a
//! thread is late by less than that, it may have no more work than the others, and what an even
//! spread of the work would bring is not known. Nor is it if the late thread computes less than the
//! others.

use pompeii_model::{CallId, Ticks};

use super::gain::ESTIMATES_DIFFER;
use super::imbalance::{ENOUGH_VISITS, Kind};
use super::outside::Outside;
use super::slower::Slower;
use super::{Advice, Gain, Search, is_barrier};
use crate::{Lens, format};

/// In a few visits a thread may be late by this share of its work, without a cause. In 100 runs of
/// 0.15 s, two threads of a virtual machine had the same work: one of them arrived 3 % of it or
/// more after the average in every fourth run, and 4 % or more in every tenth.
const CPUS_DIFFER: f64 = 0.05;

/// The advice if the late thread is not proven.
pub(super) const TOO_FEW_VISITS: &str =
    "Measure a longer run: there are too few visits to tell which thread has more work.";

/// What leads to the barriers of each construct.
pub(super) struct Doubt<'a> {
    /// Time of the threads.
    pub(super) work: Outside<'a>,
    /// What measuring cost them; `None` if that is not known.
    pub(super) measuring: Option<Outside<'a>>,
}

/// A waiting at barriers.
pub(super) struct Waited<'a> {
    pub(super) barriers: &'a [CallId],
    /// What its end would bring, if the program caused it.
    pub(super) gain: Gain,
    /// Members of the teams.
    pub(super) members: i64,
    /// Visits of a team, 0 if they are not known.
    pub(super) visits: i64,
}

impl Doubt<'_> {
    /// What else may have caused the waiting, and what to do to know it.
    pub(super) fn of(&self, search: &Search, waited: &Waited) -> Option<(String, Advice)> {
        let each = |of: &Outside| of.before(search, waited.barriers) / waited.members.max(1);
        let cost = self.measuring.as_ref().map_or(0, each);
        if is_within(waited.gain, cost, ESTIMATES_DIFFER) {
            let took = format::seconds(search.lens.seconds(cost));
            let advice =
                "Measure again with fewer events: leave out short functions and constructs.";
            return Some((
                format!(
                    "Measuring took about {took} of each thread here, which may have made it late."
                ),
                Advice::none(advice),
            ));
        }
        let is_few = (1..ENOUGH_VISITS).contains(&waited.visits);
        let is_chance = is_few && is_within(waited.gain, each(&self.work), CPUS_DIFFER);
        let chance = "Threads with the same work differ by as much.".to_owned();
        is_chance.then(|| (chance, Advice::none(TOO_FEW_VISITS)))
    }
}

/// What to say of a thread that is late in this way and by so much, though it computes less than
/// its team does on average: it has no more work than the others. Nothing if it is not always late,
/// or if there are other barriers, because what it computes before each of them is not known then.
pub(super) fn without_more_work(
    lens: &Lens,
    (kind, by): (Kind, Ticks),
    barriers: &[CallId],
    (own, wide): (&Slower, &Slower),
) -> Option<(String, Advice)> {
    let tree = &lens.cube.calls;
    let is_only = |&call: &CallId| {
        let around = tree.parent(call).map_or(&[][..], |around| tree.children(around));
        around.iter().filter(|&&other| is_barrier(lens.role(other))).count() == 1
    };
    let is_explained = 2 * own.sum.max(wide.sum) >= by;
    let is_late = kind == Kind::Steady && !is_explained;
    let is_less = own.balance < 0 && is_late && barriers.iter().all(is_only);
    let less = format::seconds(lens.seconds(-own.balance));
    let advice = "Find what delays it: it may begin later than the others, wait for a lock, or \
                  lack a CPU. Then measure a longer run on a quiet machine.";
    is_less.then(|| {
        (format!("It computes {less} less here than its team on average."), Advice::none(advice))
    })
}

/// Whether a thread is late by less than a share of what it took.
fn is_within(gain: Gain, took: Ticks, share: f64) -> bool {
    (gain.ticks as f64) < share * took as f64
}

#[cfg(test)]
mod tests {
    use super::super::{check, check_measured};
    use crate::Measuring;
    use expect_test::expect;

    /// Thread 0 is late by 20 ms in `visits` visits of a region with 20,000 calls of a function on
    /// each thread.
    fn text(visits: i64) -> String {
        format!(
            "wall=1000 locations=2
             a/parallel@a.c:2                         *  visits={visits}
             a/parallel@a.c:2/f@a.c:3                 0  time=1000 visits=20000
             a/parallel@a.c:2/f@a.c:3                 1  time=960 visits=20000
             a/parallel@a.c:2/implicit barrier@a.c:9  0  visits={visits} omp_barrier_last={visits}
             a/parallel@a.c:2/implicit barrier@a.c:9  1  time=40 visits={visits} \
             omp_ibarrier_wait=40"
        )
    }

    /// Thread 0 creates the other one and begins after it.
    #[test]
    fn a_late_thread_that_computes_less_has_no_more_work() {
        let text = |other: &str| {
            format!(
                "wall=430 locations=2
                 a/parallel@a.c:2                         0  time=430 visits=1 \
                 omp_management=420 omp_fork=420
                 a/parallel@a.c:2                         1  time=30 visits=1{other}
                 a/parallel@a.c:2/implicit barrier@a.c:9  0  visits=1 omp_barrier_last=1
                 a/parallel@a.c:2/implicit barrier@a.c:9  1  time=400 visits=1 \
                 omp_ibarrier_wait=400"
            )
        };
        check(
            &text(""),
            expect![[r#"
                a.c:2 parallel | omp_ibarrier_wait lost=400 gain=?
                    [imbalance_steady, none]
                    Thread 0 arrives last, 0.20 s after the average.
                    It computes 10 ms less here than its team on average.
                    Find what delays it: it may begin later than the others, wait for a lock, or lack a CPU. Then measure a longer run on a quiet machine.
                a.c:2 parallel | omp_management lost=420 gain=0 (0 to 2)
                    [?, none]
                    Forked once, which took 0.42 s: the first fork of a program creates its threads.
                    Nothing to change: this is a cost of the start, and no larger in a longer run.
            "#]],
        );
        check(
            &text("\n a/parallel@a.c:2/barrier@a.c:5  *  visits=1"),
            expect![[r#"
                a.c:2 parallel | omp_ibarrier_wait lost=400 gain=200 (166 to 234)
                    [imbalance_steady, none]
                    Thread 0 arrives last, 0.20 s after the average.
                    This thread has more work: split the work by cost, or use tasks.
                a.c:2 parallel | omp_management lost=420 gain=0 (0 to 2)
                    [?, none]
                    Forked once, which took 0.42 s: the first fork of a program creates its threads.
                    Nothing to change: this is a cost of the start, and no larger in a longer run.
            "#]],
        );
    }

    /// 20,000 events of 10 us next to work, of which 90 ms count on each thread.
    #[test]
    fn a_difference_that_measuring_may_have_made_has_no_known_gain() {
        let measuring = Measuring { clock_ns: 9_997.5, ..Measuring::default() };
        check_measured(
            &text(200),
            measuring,
            expect![[r#"
                a.c:2 parallel | omp_ibarrier_wait lost=40 gain=?
                    [imbalance_steady, none]
                    Thread 0 arrives last in 100 % of 200 visits, 100 µs after the average.
                    Measuring took about 89 ms of each thread here, which may have made it late.
                    Measure again with fewer events: leave out short functions and constructs.
            "#]],
        );
        let measuring = Measuring { clock_ns: 997.5, ..Measuring::default() };
        check_measured(
            &text(200),
            measuring,
            expect![[r#"
                a.c:3 f | omp_ibarrier_wait lost=40 gain=20 (14 to 32)
                    [imbalance_steady, none]
                    Thread 0 arrives last in 100 % of 200 visits, 100 µs after the average.
                    It computes 20 ms longer here than its team on average, which waits at parallel a.c:2.
                    This thread has more work: split the work by cost, or use tasks.
            "#]],
        );
    }

    #[test]
    fn a_small_difference_in_few_visits_has_no_known_gain() {
        check(
            &text(1),
            expect![[r#"
                a.c:2 parallel | omp_ibarrier_wait lost=40 gain=?
                    [imbalance_steady, none]
                    Thread 0 arrives last, 20 ms after the average.
                    Threads with the same work differ by as much.
                    Measure a longer run: there are too few visits to tell which thread has more work.
            "#]],
        );
    }

    /// What ends at a barrier of its own does not lead to the next one: the events of the first loop
    /// leave no doubt about the second one.
    #[test]
    fn events_count_up_to_the_barrier_that_they_lead_to() {
        check_measured(
            "wall=1000 locations=2
             a/parallel@a.c:2                                    *  visits=200
             a/parallel@a.c:2/for@a.c:3                          *  visits=200
             a/parallel@a.c:2/for@a.c:3/f@a.c:30                 *  time=600 visits=10000
             a/parallel@a.c:2/for@a.c:3/implicit barrier@a.c:4   *  visits=200
             a/parallel@a.c:2/for@a.c:6                          0  time=400 visits=200
             a/parallel@a.c:2/for@a.c:6                          1  time=360 visits=200
             a/parallel@a.c:2/for@a.c:6/implicit barrier@a.c:7   0  visits=200 omp_barrier_last=200
             a/parallel@a.c:2/for@a.c:6/implicit barrier@a.c:7   1  time=40 visits=200 \
             omp_ibarrier_wait=40",
            Measuring { clock_ns: 9_997.5, ..Measuring::default() },
            expect![[r#"
                a.c:6 for | omp_ibarrier_wait lost=40 gain=20 (14 to 32)
                    [imbalance_steady, none]
                    Thread 0 arrives last in 100 % of 200 visits, 100 µs after the average.
                    It has more or costlier iterations, or slower memory: split the iterations by cost. Compile with --loop-chunks to see them.
            "#]],
        );
    }
}
