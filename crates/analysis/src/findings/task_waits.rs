//! Waiting for tasks at taskwaits and at ends of taskgroups. One thread waits there, or executes
//! the last of its tasks, and creates no more of them meanwhile; so the others of its team wait for
//! it at their next barrier. Both are one loss, which belongs to the wait, or to what makes it
//! long: one task that began too late, or a chain of tasks (`starvation.rs`).

use pompeii_model::{CallId, RegionId, Role, Ticks};

use super::fractions::{divide, most_of};
use super::starvation::{Executed, Found, at_waits};
use super::{Advice, Cause, Gain, Loss, Search, Site, Words, grouped};
use crate::{Lens, format};

/// What is waited at the waits that are reported here. A taskloop also creates its tasks, so most
/// of its time need not be waiting.
const METRICS: [&str; 2] = ["omp_taskwait", "omp_taskgroup"];
/// The same, if others wait for it at a barrier.
const ALL: [&str; 3] = ["omp_taskwait", "omp_taskgroup", "omp_taskloop"];

/// Waiting at a barrier for a thread that is at a wait for tasks.
pub(super) struct AtBarrier {
    /// The wait for tasks.
    pub(super) wait: CallId,
    pub(super) metric: &'static str,
    pub(super) calls: Vec<CallId>,
    pub(super) lost: Ticks,
    /// Who arrives last.
    pub(super) details: Vec<String>,
}

/// Reports the waits for which threads wait at barriers.
pub(super) fn report(search: &mut Search, at_barriers: Vec<AtBarrier>) {
    let region = |search: &Search, at: &AtBarrier| search.lens.cube.calls.region(at.wait);
    let regions: Vec<RegionId> = at_barriers.iter().map(|at| region(search, at)).collect();
    let executed = Executed::new(search);
    for (_, positions) in grouped(0..at_barriers.len(), |at| regions[at]) {
        let parts: Vec<&AtBarrier> = positions.into_iter().map(|at| &at_barriers[at]).collect();
        one(search, &executed, &parts);
    }
}

/// Reports the other waits.
pub(super) fn detect(search: &mut Search) {
    let executed = Executed::new(search);
    for metric in METRICS {
        for (_, calls) in search.losses(metric) {
            let lens = search.lens;
            let lost = lens.sum(metric, &calls);
            let gain = Gain::about(search.on_the_delaying_thread(metric, &calls));
            let detail = per_visit(&lens, metric, &calls);
            let found = at_waits(search, &executed, (&calls, lost));
            let site = site(&lens, (calls[0], found.as_ref()), (metric, calls.clone()));
            let gain = match &found {
                Some((_, stays)) => even(lost - stays, lens.threads_at(&around(search, &calls))),
                None => gain,
            };
            let words = words(vec![detail], found, LONE);
            search.report(metric, site, Loss { lost, gain: Some(gain) }, words);
        }
    }
}

/// One wait, with all waiting at barriers that follows from it.
fn one(search: &mut Search, executed: &Executed, at_barriers: &[&AtBarrier]) {
    let Some(first) = at_barriers.first() else { return };
    let lens = search.lens;
    let waits = &search.paths.by_region[lens.cube.calls.region(first.wait)];
    let waits: Vec<CallId> =
        waits.iter().copied().filter(|&wait| !lens.in_task_tree(wait)).collect();
    let threads = lens.threads_at(&around(search, &waits));
    let own: Ticks = ALL.iter().map(|metric| lens.sum(metric, &waits)).sum();
    let lost = own + at_barriers.iter().map(|at| at.lost).sum::<Ticks>();
    ALL.iter().for_each(|metric| search.claim(metric, &waits));
    let found = at_waits(search, executed, (&waits, lost));
    let stays = found.as_ref().map_or(0, |(_, stays)| *stays);
    let calls = at_barriers.iter().flat_map(|at| at.calls.clone()).collect();
    let site = site(&lens, (first.wait, found.as_ref()), (first.metric, calls));
    let words = words(first.details.clone(), found, BEFORE_BARRIER);
    let loss = Loss { lost, gain: Some(even(lost - stays, threads)) };
    search.report(first.metric, site, loss, words);
}

/// What it brings if tasks keep all threads busy until the last one ends.
fn even(lost: Ticks, threads: usize) -> Gain {
    let gain = divide(lost.max(0), threads as i64);
    Gain::between(most_of(gain), gain, gain)
}

/// The parallel regions of these waits; the waits themselves, if they are in tasks.
fn around(search: &Search, waits: &[CallId]) -> Vec<CallId> {
    let outermost = |&wait: &CallId| search.paths.outermost_parallel[wait];
    let found: Vec<CallId> = waits.iter().filter_map(outermost).collect();
    if found.is_empty() { waits.to_vec() } else { found }
}

/// Where to repair it: the task that is to blame, or the wait. The end of a taskgroup has no line
/// that a user would look for.
fn site(
    lens: &Lens,
    (wait, found): (CallId, Option<&(Found, Ticks)>),
    (metric, calls): (&'static str, Vec<CallId>),
) -> Site {
    let is_end = lens.role(wait) == Role::TaskgroupEnd;
    let group = lens.cube.calls.parent(wait).filter(|_| is_end).unwrap_or(wait);
    let region = found.map_or_else(|| lens.cube.calls.region(group), |(found, _)| found.task);
    let construct = lens.cube.regions[region].construct().to_owned();
    Site { region, construct, metric, calls }
}

/// What to change if the wait itself is to blame, and others wait at a barrier for it.
const BEFORE_BARRIER: &str = "No more tasks exist than are created before each wait: wait once \
    after the loop (taskloop: nogroup), or describe the order by depend.";
/// The same if only the waiting thread loses time.
const LONE: &str = "Give the waiting task a part of the work, or create fewer and larger tasks.";

fn words(mut details: Vec<String>, found: Option<(Found, Ticks)>, advice: &str) -> Words {
    let (cause, advice) = match found {
        Some((found, _)) => {
            details.push(found.detail);
            (found.cause, found.advice)
        }
        None => (Cause::TaskwaitInLoop, advice),
    };
    Words { cause: Some(cause), details, advice: Advice::none(advice) }
}

/// How often, and how long each time.
fn per_visit(lens: &Lens, metric: &str, calls: &[CallId]) -> String {
    let visits = lens.sum("visits", calls).max(1);
    let each = format::seconds(lens.seconds(lens.sum(metric, calls)) / visits as f64);
    format!("{}, {each} each.", format::counted(visits, "visit"))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use pompeii_model::{Distribution, LocationId, Moments, Role, TaskTime, TaskTimes};

    /// One thread of three creates 40 tasks in each of two phases and waits for them: 100 ms, while
    /// another one executes the last. The third has nothing to do meanwhile. Of the tasks: the
    /// longest, their total time and how long they were ready.
    fn check((max, sum, waiting): (i64, i64, i64), expect: Expect) {
        let mut measured = crate::notation::cube(
            "wall=1000 locations=3
             a/parallel@a.c:2                                         *  visits=1
             a/parallel@a.c:2/single@a.c:3                            *  visits=1
             a/parallel@a.c:2/single@a.c:3/single sblock@a.c:3        0  visits=1
             a/parallel@a.c:2/single@a.c:3/single sblock@a.c:3/create task@a.c:5  0  visits=80 \
             tasks_created=80
             a/parallel@a.c:2/single@a.c:3/single sblock@a.c:3/taskwait@a.c:7  0  time=100 visits=2
             a/parallel@a.c:2/single@a.c:3/single sblock@a.c:3/taskwait@a.c:7/task@a.c:5  0  \
             task_time=900
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:9     1  time=100 visits=1 \
             omp_ibarrier_wait=100
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:9     2  visits=1
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:9     0  visits=1 omp_barrier_last=1
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:9/task@a.c:5  1  task_time=900
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:9/task@a.c:5  2  task_time=1000
             TASKS/task@a.c:5                                         *  time=900 visits=26
             TASKS/task@a.c:5                                         2  time=100 visits=1",
        )
        .unwrap();
        let task = measured.regions.enumerated().find(|(_, r)| r.role == Role::Task).unwrap().0;
        let times = |time, max, sum| TaskTimes {
            region: task,
            location: LocationId(0),
            time,
            ticks: Distribution {
                moments: Moments { count: 80, min: 1, max, sum, sum_of_squares: 0.0 },
                bins: Vec::new(),
            },
        };
        measured.task_times =
            vec![times(TaskTime::Execution, max, sum), times(TaskTime::Waiting, waiting, waiting)];
        super::super::check_cube(&crate::derive(&measured), super::super::Known::default(), expect);
    }

    #[test]
    fn a_long_task_that_could_have_begun_first_is_named() {
        check(
            (120, 2800, 100),
            expect![[r#"
                a.c:5 task | omp_ibarrier_wait lost=200 gain=67 (41 to 87)
                    [long_last_task, none]
                    Thread 0 arrives last, 33 ms after the average.
                    The longest task takes 0.12 s, the mean 35 ms.
                    Create the long tasks first, or split them.
            "#]],
        );
    }

    /// If it had begun first, the others would still wait for it as long.
    #[test]
    fn a_task_that_is_longer_than_the_others_together_is_not_late() {
        check(
            (600, 2800, 100),
            expect![[r#"
                a.c:7 taskwait | omp_ibarrier_wait lost=200 gain=67 (41 to 87)
                    [taskwait_in_loop, none]
                    Thread 0 arrives last, 33 ms after the average.
                    No more tasks exist than are created before each wait: wait once after the loop (taskloop: nogroup), or describe the order by depend.
            "#]],
        );
    }

    #[test]
    fn tasks_that_are_alike_are_too_few_at_a_time() {
        check(
            (36, 2800, 100),
            expect![[r#"
                a.c:7 taskwait | omp_ibarrier_wait lost=200 gain=67 (41 to 87)
                    [taskwait_in_loop, none]
                    Thread 0 arrives last, 33 ms after the average.
                    No more tasks exist than are created before each wait: wait once after the loop (taskloop: nogroup), or describe the order by depend.
            "#]],
        );
    }
}
