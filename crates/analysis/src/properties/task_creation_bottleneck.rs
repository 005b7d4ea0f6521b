//! Diagnosis: few threads create the tasks, and not fast enough for the others.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};
use crate::findings::task_group::TaskNumbers;

/// Task creation bottleneck.
pub const PROPERTY: Property = Property {
    name: "task_creation_bottleneck",
    title: "Task creation bottleneck",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Nothing,
    gain: gains::AROUND_TASKS,
    doc: Doc {
        measures: "Threads wait for tasks, because only few threads create them, and creating one \
            takes longer than the others need to execute one.",
        formula: "N threads; k of them created 90 % of the tasks, with k at most N/2; T = \
            computation around the creation of a task + its creation. The diagnosis is made if (N \
            - k) x T - work of all tasks is at least half of the loss around the tasks, and this \
            loss is at least 2 % of the CPU allocation. Lost: waiting, starvation and joining in \
            the tasks' barriers + creation + taskwait.",
        cost: "One creating thread must produce tasks N - 1 times as fast as a thread executes \
            one. Otherwise the others wait, in a larger team longer.",
        recognise: "tasks_created has its values on one thread. This thread arrives last at the \
            barrier while the others wait. Its own time is computation around the creation, not \
            the creation itself.",
        remedy: "Create tasks on all threads (a parallel loop that creates tasks, taskloop, or \
            tasks that create tasks); move the preparation of a task into the task; make tasks \
            larger.",
        example: "In a single construct, one thread reads records and creates a task for each: reading \
            takes 1.2 ms, executing the task 2 ms. Two threads are enough to execute the tasks; \
            the other five of eight wait.",
    },
};

/// The waiting that slow production predicts must be this share of what was lost.
const EXPLAINED: f64 = 0.5;

/// Whether the creators' production explains most of what was `lost` (clock ticks).
pub(crate) fn applies(numbers: &TaskNumbers, lost: i64) -> bool {
    let (threads, creators) = (numbers.threads, numbers.creators.len());
    if creators == 0 || 2 * creators > threads {
        return false;
    }
    let producing = (numbers.production + numbers.creators_creation) as f64 / creators as f64;
    let work = numbers.sum(|construct| construct.work) as f64;
    let predicted = (threads - creators) as f64 * producing - work;
    predicted >= EXPLAINED * lost as f64
}

#[cfg(test)]
mod tests {
    use crate::findings::check;
    use expect_test::expect;

    #[test]
    fn one_thread_produces_for_three() {
        check(
            "wall=1000 locations=4
             a/parallel@a.c:2                                      *  visits=1
             a/parallel@a.c:2/single@a.c:3                         *  visits=1
             a/parallel@a.c:2/single@a.c:3/single sblock@a.c:3     0  time=970 visits=1
             a/parallel@a.c:2/single@a.c:3/single sblock@a.c:3/create task@a.c:5  0  time=10 \
             visits=100 tasks_created=100
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8  0    time=20 visits=1 \
             omp_task_starvation=20 omp_barrier_last=1
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8  1-2  time=500 visits=1 \
             omp_ibarrier_wait=490 omp_task_starvation=10
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8  3    time=600 visits=1 \
             omp_ibarrier_wait=580 omp_task_starvation=20
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8/task@a.c:5  1-2  task_time=500
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8/task@a.c:5  3    task_time=400
             TASKS/task@a.c:5                                      1-2  time=500 visits=36
             TASKS/task@a.c:5                                      3    time=400 visits=28",
            expect![[r#"
                a.c:5 task | task_creation_bottleneck lost=1630 gain=408 (337 to 479)
                    [one_creator, none]
                    Thread 0 creates 100 % of 100 tasks and needs 9.8 ms each;
                    Executing a task takes 14 ms, so the others could take one every 4.7 ms.
                    Create tasks on several threads, or move their preparation into the tasks.
            "#]],
        );
    }

    #[test]
    fn production_on_all_threads_is_none() {
        check(
            "wall=1000 locations=2
             a/parallel@a.c:2                                   *  visits=1
             a/parallel@a.c:2/for@a.c:3                         *  time=400 visits=1
             a/parallel@a.c:2/for@a.c:3/create task@a.c:5       *  time=5 visits=50 tasks_created=50
             a/parallel@a.c:2/implicit barrier@a.c:8  0  time=95 visits=1 omp_task_starvation=90
             a/parallel@a.c:2/implicit barrier@a.c:8  1  time=5 visits=1 omp_task_starvation=5
             a/parallel@a.c:2/implicit barrier@a.c:8/task@a.c:5  0  task_time=500
             a/parallel@a.c:2/implicit barrier@a.c:8/task@a.c:5  1  task_time=590
             TASKS/task@a.c:5                                   0  time=500 visits=45
             TASKS/task@a.c:5                                   1  time=590 visits=55",
            expect![[r#"
                a.c:2 parallel | omp_ibarrier_starvation lost=95 gain=48 (31 to 65)
                    [?, none]
                    Each thread waits 48 ms while others execute tasks (1.1 s of tasks in total).
                    Look for one long task, or a chain of dependent tasks: start it first.
                a.c:5 create task | omp_task_creation lost=10 gain=5 (3 to 11)
                    [tasks_too_small, none]
                    100 visits, 100 µs each.
                    Create fewer and larger tasks (grainsize), or stop creating them below a size (if, final).
                a.c:2 parallel | omp_ibarrier lost=5 gain=3 (2 to 9)
                    [?, none]
                    2 visits; each costs 2.5 ms in addition to waiting for late threads.
                    Use fewer barriers: add nowait, or do more work between them.
            "#]],
        );
    }
}
