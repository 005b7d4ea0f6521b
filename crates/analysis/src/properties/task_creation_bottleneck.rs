//! Diagnosis: few threads create the tasks, and not fast enough for the others.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};
use crate::findings::TaskNumbers;

/// Task creation bottleneck.
pub const PROPERTY: Property = Property {
    name: "task_creation_bottleneck",
    title: "Task creation bottleneck",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Nothing,
    gain: gains::AROUND_TASKS,
    doc: Doc {
        measures: "Threads wait for tasks because few threads create them, and producing one takes \
            longer than it takes the others to execute one.",
        formula: "with N threads and the k that created 90 % of the tasks, k at most N/2, and T = \
            what a creator spends on computing around the creation and on creating: (N - k) x T - \
            work of all tasks is at least half of the loss around the tasks, which is at least 2 \
            % of the allocation. Lost: waiting, starving and joining in the tasks' barriers + \
            creation + taskwait.",
        cost: "One creator must be (N - 1) times faster than a thread executes a task; else the \
            others wait, the more the larger the team.",
        recognise: "tasks_created lies on one thread, which arrives last at the barrier while the \
            others wait in it; its own time is computation around the creation, not the creation \
            itself.",
        remedy: "Create tasks on all threads (a parallel loop that creates, taskloop, tasks that \
            create tasks); move the work that prepares a task into the task; make tasks larger.",
        example: "A single construct reads records and creates a task for each: 1.2 ms to read, 2 \
            ms to process. Two threads are enough to process; the other five of eight wait.",
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
                a.c:5 task | task_creation_bottleneck lost=1630 gain=408
                    thread 0 creates 100 % of 100 tasks and needs 9.8 ms each;
                    a task runs 14 ms, so the others could take one every 4.7 ms.
                    Create tasks on several threads, or move the production into the tasks.
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
                a.c:2 parallel | omp_ibarrier_starvation lost=95 gain=48
                    each thread waits 48 ms while others run tasks (1.1 s here in sum).
                    Look for one long task or a chain of dependent ones: start it first.
                a.c:5 create task | omp_task_creation lost=10 gain=5
                    100 visits, 100 µs each.
                    Create fewer, larger tasks (grainsize), or cut off with an if or final clause.
                a.c:2 parallel | omp_ibarrier lost=5 gain=3
                    2 visits, 2.5 ms each beyond waiting for late threads.
                    Fewer barriers: nowait, or larger pieces of work between them.
            "#]],
        );
    }
}
