//! Diagnosis: there are so few tasks that they cannot be spread evenly over the threads.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};
use crate::findings::task_group::TaskNumbers;

/// Tasks too few or too large.
pub const PROPERTY: Property = Property {
    name: "tasks_too_few",
    title: "Tasks too few or too large",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Nothing,
    gain: gains::AROUND_TASKS,
    doc: Doc {
        measures: "There are so few tasks that some threads execute one more than others, or wait \
            for a long one.",
        formula: "fewer than 10 executed tasks per thread of the region (and visit, if all tasks \
            are those of taskloops), and neither their size nor their creation nor one long task \
            explains the loss. The loss around the tasks is at least 2 % of the CPU allocation, \
            and at most twice (threads - 1) x work of all tasks. Lost: waiting, starvation and \
            joining in the tasks' barriers + creation + taskwait.",
        cost: "With n tasks of equal length on t threads, the phase lasts as long as ceil(n/t) \
            tasks instead of n/t. Tasks of different length make it worse.",
        recognise: "omp_ibarrier_starvation is large, tasks_created is small, and task_time \
            differs between threads by a whole task.",
        remedy: "Split the work into at least ten tasks per thread; create the long ones first \
            (priority); let long tasks create tasks themselves.",
        example: "12 tasks on 8 threads: four threads execute two tasks, the other four execute \
            one and then wait.",
    },
};

/// This many tasks per thread even out their differences.
pub(crate) const ENOUGH_PER_THREAD: i64 = 10;

/// While tasks are executed, the other threads may wait for them; that must be at least this share
/// of what was lost.
const EXPLAINED: f64 = 0.5;

/// Whether there are too few tasks to be spread evenly, and that explains most of what was `lost`
/// (clock ticks).
pub(crate) fn applies(numbers: &TaskNumbers, lost: i64) -> bool {
    let executed = numbers.sum(|construct| construct.executed) / numbers.waits_of_loops().max(1);
    let others = numbers.threads.saturating_sub(1);
    let waiting = others as f64 * numbers.sum(|construct| construct.work) as f64;
    executed < ENOUGH_PER_THREAD * numbers.threads as i64 && waiting >= EXPLAINED * lost as f64
}

#[cfg(test)]
mod tests {
    use crate::findings::check;
    use expect_test::expect;

    #[test]
    fn three_tasks_on_two_threads() {
        check(
            "wall=400 locations=2
             a/parallel@a.c:2                                      *  visits=1
             a/parallel@a.c:2/single@a.c:3                         *  visits=1
             a/parallel@a.c:2/single@a.c:3/single sblock@a.c:3/create task@a.c:5  0  time=3 \
             visits=3 tasks_created=3
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8  0  time=127 visits=1 \
             omp_task_starvation=127 omp_barrier_last=1
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8  1  time=4 visits=1 \
             omp_ibarrier_wait=3 omp_task_starvation=1
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8/task@a.c:5  0  task_time=270
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8/task@a.c:5  1  task_time=396
             TASKS/task@a.c:5                                      0  time=270 visits=1
             TASKS/task@a.c:5                                      1  time=396 visits=2",
            expect![[r#"
                a.c:5 task | tasks_too_few lost=134 gain=67 (53 to 81)
                    [few_units, none]
                    3 tasks of 0.22 s on average for 2 threads: 1.5 per thread.
                    Split the work into 20 tasks or more, long ones first.
            "#]],
        );
    }

    /// A taskloop waits for its tasks, so each of its visits has to share its own.
    #[test]
    fn three_tasks_in_each_visit_of_a_taskloop() {
        check(
            "wall=4000 locations=2
             a/parallel@a.c:2                                 *  visits=1
             a/parallel@a.c:2/master@a.c:3                    0  visits=1
             a/parallel@a.c:2/master@a.c:3/taskloop@a.c:5     0  time=1300 visits=10
             a/parallel@a.c:2/master@a.c:3/taskloop@a.c:5/task@a.c:5  0  task_time=2700
             a/parallel@a.c:2/implicit barrier@a.c:8          1  time=40 visits=1 \
             omp_ibarrier_wait=30
             a/parallel@a.c:2/implicit barrier@a.c:8/task@a.c:5  1  task_time=3960
             TASKS/task@a.c:5                                 0  time=2700 visits=10
             TASKS/task@a.c:5                                 1  time=3960 visits=20",
            expect![[r#"
                a.c:5 task | tasks_too_few lost=1340 gain=670 (530 to 810)
                    [few_units, none]
                    30 tasks of 0.22 s on average in 10 visits of taskloops, for 2 threads: 1.5 per thread.
                    Let each taskloop make 20 tasks or more (num_tasks, grainsize).
            "#]],
        );
    }

    #[test]
    fn many_tasks_that_starve_are_not_too_few() {
        check(
            "wall=400 locations=2
             a/parallel@a.c:2                                 *  visits=1
             a/parallel@a.c:2/implicit barrier@a.c:8  0  time=100 visits=1 omp_task_starvation=100
             a/parallel@a.c:2/implicit barrier@a.c:8          1  visits=1
             a/parallel@a.c:2/implicit barrier@a.c:8/task@a.c:5  0  task_time=300
             a/parallel@a.c:2/implicit barrier@a.c:8/task@a.c:5  1  task_time=400
             TASKS/task@a.c:5                                 0  time=300 visits=30
             TASKS/task@a.c:5                                 1  time=400 visits=31",
            expect![[r#"
                a.c:2 parallel | omp_ibarrier_starvation lost=100 gain=50 (39 to 61)
                    [?, none]
                    Each thread waits 50 ms while others execute tasks (0.70 s of tasks in total).
                    Look for one long task, or a chain of dependent tasks: start it first.
            "#]],
        );
    }
}
