//! Task starvation in implicit barriers: all threads are there, but tasks are still running and the
//! others find none to run.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};
use crate::profile::Class;

/// Wait for tasks at implicit barrier.
pub const PROPERTY: Property = Property {
    name: "omp_ibarrier_starvation",
    title: "Wait for tasks at implicit barrier",
    parent: Some("omp_ibarrier"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.starvation(Class::ImplicitBarrier, call)),
    gain: gains::STARVATION,
    doc: Doc {
        measures: "Time in an implicit barrier during which the thread has no task to execute, \
            although all threads have arrived and tasks of other threads are still running.",
        formula: "for call paths to regions of the kind `implicit barrier`: measure of [latest \
            arrival, own leave] minus executed tasks (omp_task_starvation). If no thread executed \
            a task in the barrier, this time is the barrier's own cost and stays in omp_ibarrier.",
        cost: "There are fewer ready tasks than threads. This happens at the end of a phase, \
            because there are few tasks or one task is long. Or it happens all the time, because \
            tasks depend on each other or are created too slowly.",
        recognise: "The diagnoses tasks_too_few, task_creation_bottleneck and tasks_too_small \
            name the cause if the profile shows it.",
        remedy: "Create more and smaller tasks, the long ones first (priority); create tasks on \
            several threads; use fewer dependences.",
        example: "10 tasks of 0.1 s on 8 threads: 6 threads wait 0.1 s while two threads execute \
            the last two tasks.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  ====|= task =|..........|===     no task is ready
thread 1  ====|======= task ======|===
              ^ barrier           ^ all tasks have ended";

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn threads_starve_only_where_tasks_run() {
        check(
            "omp_ibarrier_starvation",
            "wall=40 locations=2
             a/parallel@a.c:2                               *  time=10
             a/parallel@a.c:2/implicit barrier@a.c:5  *  time=10 omp_task_starvation=9
             a/parallel@a.c:2/implicit barrier@a.c:9  1  time=20 omp_task_starvation=18
             a/parallel@a.c:2/implicit barrier@a.c:9/task@a.c:7  0  task_time=20
             TASKS/task@a.c:7                               0  time=20",
            expect![[r#"
                a/parallel/implicit barrier  [0, 18]
                total 18
            "#]],
        );
    }
}
