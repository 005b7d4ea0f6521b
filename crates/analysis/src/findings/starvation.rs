//! Starvation: threads wait in a barrier while others of their team execute tasks, and there is no
//! task for them. Let n tasks of mean time t be executed by N threads in each visit.
//!
//! * Hardly more than one task runs at a time, although others have been created and wait: they
//!   depend on each other.
//! * One task takes much longer than the others: it began too late. If it creates the others, it
//!   began first, and what it does before or after them runs alone.
//! * All take about as long, and the rounds of N tasks that they need, ceil(n / N) x t, explain the
//!   waiting: their number does not fit the number of threads.
//!
//! The same holds at a taskwait or at the end of a taskgroup, where one thread waits for its tasks
//! and the others of its team wait for that thread. A long task is the reason only if its place is:
//! if it began first, the waiting would be less than half of what it is. Otherwise more tasks at a
//! time would help, and these are what the wait prevents.

use std::collections::{HashMap, HashSet};

use pompeii_model::{CallId, Moments, RegionId, Role, Ticks};

use super::fractions::divide;
use super::owner::owner;
use super::{Advice, Cause, Loss, Search, Site, Words};
use crate::task_times::{TaskInstances, task_instances};
use crate::{Lens, format};

/// Of tasks in a chain, one runs at a time. Beginnings and ends overlap.
const ONE_AT_A_TIME: f64 = 1.25;
/// A task is long from this multiple of the mean on.
const LONG: f64 = 1.5;
/// A cause must explain this share of the waiting.
const EXPLAINED: f64 = 0.5;

pub(super) fn detect(search: &mut Search) {
    let known = task_instances(search.lens.cube);
    for metric in ["omp_ibarrier_starvation", "omp_ebarrier_starvation"] {
        for (_, calls) in search.losses(metric) {
            starving(search, &known, metric, calls);
        }
    }
}

fn starving(
    search: &mut Search,
    known: &[TaskInstances],
    metric: &'static str,
    calls: Vec<CallId>,
) {
    let lens = search.lens;
    let lost = lens.sum(metric, &calls);
    let threads = lens.threads_at(&calls) as i64;
    let (region, construct, _) = owner(&lens, calls[0]);
    let executed = stubs(&lens, &calls);
    let tasks = Tasks::at(&lens, known, (&calls, &executed), lost);
    let total = format::seconds(lens.seconds(lens.sum("task_time", &executed)));
    let wait = format::seconds(lens.seconds(lost) / threads as f64);
    let mut details = vec![format!(
        "each thread waits {wait} while others execute tasks ({total} of tasks in total)."
    )];
    let found = tasks.and_then(|tasks| tasks.cause(search));
    let (cause, advice) = found.as_ref().map_or_else(
        || (None, "Look for one long task, or a chain of dependent tasks: start it first."),
        |found| (Some(found.cause), found.advice),
    );
    let mut site = Site { region, construct, metric, calls };
    if let Some(found) = found {
        site.construct = lens.cube.regions[found.task].construct().to_owned();
        site.region = found.task;
        details.push(found.detail);
    }
    let words = Words { cause, details, advice: Advice::none(advice) };
    search.report(metric, site, Loss::new(lost, divide(lost, threads)), words);
}

/// Where tasks were executed in these barriers.
fn stubs(lens: &Lens, barriers: &[CallId]) -> Vec<CallId> {
    let children = barriers.iter().flat_map(|&call| lens.cube.calls.children(call)).copied();
    children.filter(|&child| lens.is_stub(child)).collect()
}

/// Whether a task that takes much longer than the others explains the starvation in these barriers,
/// and their number does not.
pub(super) fn is_for_a_long_task(
    lens: &Lens,
    known: &[TaskInstances],
    barriers: &[CallId],
) -> bool {
    let starvation = ["omp_ibarrier_starvation", "omp_ebarrier_starvation"];
    let lost = starvation.iter().map(|metric| lens.sum(metric, barriers)).sum();
    let tasks = Tasks::at(lens, known, (barriers, &stubs(lens, barriers)), lost);
    let is_long = |tasks: Tasks| !tasks.is_chain() && tasks.has_a_long_one();
    lost > 0 && tasks.is_some_and(|tasks| !tasks.rounds_explain() && is_long(tasks))
}

/// The tasks that were executed while threads starved.
struct Tasks<'a> {
    /// The constructs, the one with the most time first.
    constructs: Vec<&'a TaskInstances>,
    execution: Moments,
    /// Time between creation and execution.
    waiting: Ticks,
    threads: i64,
    visits: i64,
    /// What was lost.
    starvation: Ticks,
}

/// What explains the waiting for tasks.
pub(super) struct Found {
    pub(super) cause: Cause,
    pub(super) task: RegionId,
    pub(super) detail: String,
    pub(super) advice: &'static str,
}

/// The instances of all task constructs, and which constructs have instances that were executed at
/// the barriers of each outermost parallel region.
pub(super) struct Executed {
    known: Vec<TaskInstances>,
    at_barriers: HashMap<CallId, HashSet<RegionId>>,
}

impl Executed {
    pub(super) fn new(search: &Search) -> Self {
        let lens = &search.lens;
        let mut at_barriers: HashMap<CallId, HashSet<RegionId>> = HashMap::new();
        for &barrier in &search.paths.barriers {
            let Some(parallel) = search.paths.outermost_parallel[barrier] else { continue };
            at_barriers.entry(parallel).or_default().extend(constructs_at(lens, &[barrier]));
        }
        Self { known: task_instances(lens.cube), at_barriers }
    }
}

/// The task constructs of which instances were executed at these call paths.
fn constructs_at(lens: &Lens, calls: &[CallId]) -> impl Iterator<Item = RegionId> {
    stubs(lens, calls).into_iter().map(|stub| lens.cube.calls.region(stub))
}

/// Why `lost` is waited for the tasks of these taskwaits or ends of taskgroups, if it is not that
/// there are so few of them; and how much of the waiting stays after the repair.
pub(super) fn at_waits(
    search: &Search,
    executed: &Executed,
    (waits, lost): (&[CallId], Ticks),
) -> Option<(Found, Ticks)> {
    let lens = &search.lens;
    let parallel = search.paths.outermost_parallel[*waits.first()?]?;
    let at_waits: HashSet<RegionId> = constructs_at(lens, waits).collect();
    let at_barriers = executed.at_barriers.get(&parallel);
    let here = |of: &&TaskInstances| {
        at_waits.contains(&of.region) || at_barriers.is_some_and(|all| all.contains(&of.region))
    };
    let threads = lens.threads_at(&[parallel]) as i64;
    let known = executed.known.iter().filter(here);
    let tasks = Tasks::new(known, (threads, lens.sum("visits", waits), lost))?;
    if tasks.is_chain() {
        return Some((tasks.cause(search)?, 0));
    }
    let stays = tasks.with_the_longest_first();
    let is_order = tasks.has_a_long_one() && (stays as f64) < (1.0 - EXPLAINED) * lost as f64;
    is_order.then(|| tasks.cause(search)).flatten().map(|found| (found, stays))
}

impl<'a> Tasks<'a> {
    /// Those executed at `stubs` in barriers.
    fn at(
        lens: &Lens,
        known: &'a [TaskInstances],
        (barriers, stubs): (&[CallId], &[CallId]),
        starvation: Ticks,
    ) -> Option<Self> {
        let threads = lens.threads_at(barriers) as i64;
        let here = |of: &&TaskInstances| {
            stubs.iter().any(|&stub| lens.cube.calls.region(stub) == of.region)
        };
        let visits = divide(lens.sum("visits", barriers), threads);
        Self::new(known.iter().filter(here), (threads, visits, starvation))
    }

    fn new(
        constructs: impl Iterator<Item = &'a TaskInstances>,
        (threads, visits, starvation): (i64, i64, Ticks),
    ) -> Option<Self> {
        let constructs: Vec<&TaskInstances> = constructs.collect();
        let mut execution = Moments::default();
        constructs.iter().for_each(|of| execution.join(&of.execution.moments));
        let waiting = constructs.iter().map(|of| of.waiting.moments.sum).sum();
        let tasks = Self { constructs, execution, waiting, threads, visits, starvation };
        (tasks.execution.count > 0 && visits > 0).then_some(tasks)
    }

    fn cause(&self, search: &Search) -> Option<Found> {
        let lens = &search.lens;
        let seconds = |ticks: f64| format::seconds(ticks / lens.cube.clock.ticks_per_second());
        let most = *self.constructs.first()?;
        let longest = *self.constructs.iter().max_by_key(|of| of.execution.moments.max)?;
        let (mean, max) = (self.execution.mean(), self.execution.max as f64);
        let count = format::counted(self.execution.count as i64, "task");
        if self.is_chain() {
            return Some(Found {
                cause: Cause::Dependences,
                task: most.region,
                detail: format!(
                    "{count} of {} each ran one after the other, although more were created.",
                    seconds(mean)
                ),
                advice: "Each waits for the one before it: name in depend only what a task uses.",
            });
        }
        if self.has_a_long_one() {
            let task = longest.region;
            let longest =
                format!("the longest task takes {}, the mean {}", seconds(max), seconds(mean));
            return Some(match self.creates_the_others(search, task) {
                false => Found {
                    cause: Cause::LongLastTask,
                    task,
                    detail: format!("{longest}."),
                    advice: "Create the long tasks first, or split them.",
                },
                true => Found {
                    cause: Cause::SingleMaster,
                    task,
                    detail: format!("{longest}. It creates other tasks."),
                    advice: "What this task does before and after the tasks that it creates runs \
                             alone: divide this work into tasks, too.",
                },
            });
        }
        self.rounds_explain().then(|| Found {
            cause: Cause::FewUnits,
            task: most.region,
            detail: format!(
                "{count} in {}, {} each, for {} threads: in the last round some have none.",
                format::counted(self.visits, "visit"),
                seconds(mean),
                self.threads
            ),
            advice: "Make more and smaller tasks, so that all threads have as many.",
        })
    }

    /// How long the threads were in the barriers, each.
    fn duration(&self) -> f64 {
        (self.execution.sum + self.starvation) as f64 / self.threads as f64
    }

    /// Hardly more than one task ran at a time, and on average at least one other was waiting.
    fn is_chain(&self) -> bool {
        let several =
            i128::from(self.execution.count) > i128::from(self.threads) * i128::from(self.visits);
        several
            && self.execution.sum as f64 <= ONE_AT_A_TIME * self.duration()
            && self.waiting as f64 >= self.duration()
    }

    /// One task takes much longer than the others, and all other threads may wait for it.
    fn has_a_long_one(&self) -> bool {
        let (mean, max) = (self.execution.mean(), self.execution.max as f64);
        max >= LONG * mean && self.explains((max - mean) * (self.threads - 1) as f64)
    }

    /// The waiting if the longest tasks began first: then a visit takes no longer than the longest
    /// task, or than all tasks take on all threads.
    fn with_the_longest_first(&self) -> Ticks {
        let each = self.execution.sum / self.visits;
        let longer = self.threads.saturating_mul(self.execution.max).saturating_sub(each).max(0);
        longer.saturating_mul(self.visits)
    }

    /// Whether there is one instance of the construct in each visit, and it creates tasks.
    fn creates_the_others(&self, search: &Search, task: RegionId) -> bool {
        let lens = &search.lens;
        let instances = self.constructs.iter().filter(|of| of.region == task);
        let count: u64 = instances.map(|of| of.execution.moments.count).sum();
        let tops = search.paths.by_region[task].iter().filter(|&&call| lens.is_task_tree(call));
        let mut inside = tops.flat_map(|&top| lens.cube.calls.subtree(top));
        count as i64 <= self.visits
            && inside.any(|call| matches!(lens.role(call), Role::TaskCreate | Role::Taskloop))
    }

    fn rounds_explain(&self) -> bool {
        let each = self.execution.count as f64 / self.visits as f64;
        let rounds = (each / self.threads as f64).ceil();
        let idle = (rounds * self.threads as f64 - each) * self.execution.mean();
        self.explains(idle)
    }

    /// Whether so much in each visit is most of what was lost.
    fn explains(&self, ticks: f64) -> bool {
        ticks * self.visits as f64 >= EXPLAINED * self.starvation as f64
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use pompeii_model::{Distribution, LocationId, Moments, Role, TaskTime, TaskTimes};

    /// Of tasks executed in the barrier: how many, and their longest, total and waiting time.
    fn check(of: (u64, i64, i64, i64), expect: Expect) {
        check_with(10, of, expect);
    }

    /// The same, with the number of tasks that each thread has executed.
    fn check_with(each: u32, (count, max, sum, waiting): (u64, i64, i64, i64), expect: Expect) {
        let mut measured = crate::notation::cube(&format!(
            "wall=400 locations=4
             a/parallel@a.c:2                                    *    visits=10
             a/parallel@a.c:2/implicit barrier@a.c:9             *    visits=10
             a/parallel@a.c:2/implicit barrier@a.c:9             1-3  time=300 \
             omp_task_starvation=300
             a/parallel@a.c:2/implicit barrier@a.c:9/task@a.c:5  0    task_time=400
             a/parallel@a.c:2/implicit barrier@a.c:9/task@a.c:5  1-3  task_time=100
             TASKS/task@a.c:5                                    0    time=400 visits={each}
             TASKS/task@a.c:5                                    1-3  time=100 visits={each}"
        ))
        .unwrap();
        let task = measured.regions.enumerated().find(|(_, r)| r.role == Role::Task).unwrap().0;
        let times = |time, max, sum| TaskTimes {
            region: task,
            location: LocationId(0),
            time,
            ticks: Distribution {
                moments: Moments { count, min: 1, max, sum, sum_of_squares: 0.0 },
                bins: Vec::new(),
            },
        };
        measured.task_times =
            vec![times(TaskTime::Execution, max, sum), times(TaskTime::Waiting, waiting, waiting)];
        let found = super::super::findings(&crate::derive(&measured));
        let shown: Vec<String> = found
            .iter()
            .map(|found| {
                let cause = found.cause.map_or("?", |cause| cause.code());
                format!("{} {} {cause}: {}", found.place, found.construct, found.details.join(" "))
            })
            .collect();
        expect.assert_eq(&shown.join("\n"));
    }

    #[test]
    fn a_chain_is_told_by_tasks_that_wait_while_threads_do() {
        check(
            (100, 4, 400, 4000),
            expect![
                "a.c:5 task dependences: Each thread waits 0.23 s while others execute tasks (0.70 s of tasks in total). 100 tasks of 4.0 ms each ran one after the other, although more were created."
            ],
        );
    }

    #[test]
    fn a_long_task_is_named() {
        check(
            (70, 40, 700, 100),
            expect![
                "a.c:5 task long_last_task: Each thread waits 0.23 s while others execute tasks (0.70 s of tasks in total). The longest task takes 40 ms, the mean 10 ms."
            ],
        );
    }

    /// The root of a recursion is long as well, but it began first.
    #[test]
    fn a_long_task_that_creates_the_others_is_no_last_one() {
        let found = |count: u64| {
            let mut cube = crate::notation::cube(
                "wall=500 locations=2
                 a/parallel@a.c:2                                 *  visits=1
                 a/parallel@a.c:2/implicit barrier@a.c:9          *  visits=1
                 a/parallel@a.c:2/implicit barrier@a.c:9          1  time=200 \
                 omp_task_starvation=200
                 a/parallel@a.c:2/implicit barrier@a.c:9/task@a.c:3  0  task_time=250
                 a/parallel@a.c:2/implicit barrier@a.c:9/task@a.c:5  *  task_time=250
                 TASKS/task@a.c:3                                 0  time=250 visits=1
                 TASKS/task@a.c:3/create task@a.c:5               0  visits=50 tasks_created=50
                 TASKS/task@a.c:5                                 *  time=250 visits=25",
            )
            .unwrap();
            let tasks = cube.regions.enumerated().filter(|(_, of)| of.role == Role::Task);
            let times = |(region, of): (_, &pompeii_model::Region)| TaskTimes {
                region,
                location: LocationId(0),
                time: TaskTime::Execution,
                ticks: Distribution {
                    moments: match of.begin_line {
                        3 => Moments { count, min: 1, max: 250, sum: 250, sum_of_squares: 0.0 },
                        _ => Moments { count: 50, min: 1, max: 10, sum: 500, sum_of_squares: 0.0 },
                    },
                    bins: Vec::new(),
                },
            };
            cube.task_times = tasks.map(times).collect();
            let found = super::super::findings(&crate::derive(&cube)).swap_remove(0);
            (found.place, found.cause.map(|cause| cause.code()))
        };
        assert_eq!(found(1), ("a.c:3".to_owned(), Some("single_master")));
        assert_eq!(found(2), ("a.c:3".to_owned(), Some("long_last_task")));
    }

    /// There are few tasks, but their number is no reason for the waiting.
    #[test]
    fn a_long_task_of_few_is_named() {
        check_with(
            4,
            (70, 40, 700, 100),
            expect![
                "a.c:5 task long_last_task: Each thread waits 0.23 s while others execute tasks (0.70 s of tasks in total). The longest task takes 40 ms, the mean 10 ms."
            ],
        );
        check_with(
            4,
            (50, 20, 900, 100),
            expect![
                "a.c:5 task few_units: 16 tasks of 44 ms on average for 4 threads: 4.0 per thread."
            ],
        );
    }

    #[test]
    fn the_number_of_tasks_does_not_fit_that_of_threads() {
        check(
            (50, 20, 900, 100),
            expect![
                "a.c:5 task few_units: Each thread waits 0.23 s while others execute tasks (0.70 s of tasks in total). 50 tasks in 10 visits, 18 ms each, for 4 threads: in the last round some have none."
            ],
        );
    }

    #[test]
    fn what_explains_nothing_is_not_named() {
        check(
            (4000, 1, 900, 100),
            expect![
                "a.c:2 parallel ?: Each thread waits 0.23 s while others execute tasks (0.70 s of tasks in total)."
            ],
        );
    }
}
