//! What the tasks of a parallel region take on one thread.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Work of tasks.
pub const PROPERTY: Property = Property {
    name: "task_work",
    title: "Work of tasks",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time that all threads of a parallel region with tasks compute, the implicit \
            tasks included, at the region and on its master. It is about the time that the region \
            takes on one thread.",
        formula: "sum over all threads and tasks of the region of the time that is not waiting: \
            without time in barriers, taskwait, the end of taskgroups, from a fork to its join, \
            and in front of locks and turns. A team that a task forks belongs to the task.",
        cost: "It costs no time by itself. With P threads the region takes at least work / P.",
        recognise: "Only a trace has this property: pompeii analyze finds it. Compare it with \
            task_span: work / span is the number of threads that the tasks can use.",
        remedy: "See task_span and task_least.",
        example: "A region takes 1.0 s on 4 threads, its work is 2.4 s: on average 2.4 threads \
            have computed.",
    },
};

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::trace::metric_tests::check_metrics;

    #[test]
    fn all_computing_of_the_region_is_work() {
        // Work is 2 ticks of creation on thread 0 and the task on thread 1, 30 ticks. The task is
        // created first, so the longest chain is the task.
        check_metrics(
            &["task_work", "task_span", "task_least"],
            "end 90
             team A = 0.0 0.1
             10 0.0 fork; team A; + parallel; + task_create; create A 0 1
             10 0.1 team A; + parallel; + ibarrier
             12 0.0 -; + ibarrier
             14 0.1 switch A 0 1; + task
             44 0.1 -; done A 0 1; switch A 1 0
             46 0.0 -; -; endteam A; join
             46 0.1 -; -; endteam A",
            expect![[r#"
                task_work  program/parallel  [32, 0]
                task_span  program/parallel  [30, 0]
                task_least  program/parallel  [30, 0]
            "#]],
        );
    }

    #[test]
    fn a_clock_error_does_not_make_work_negative() {
        // Thread 1 has a clock that goes back at its task, and thread 0 leaves before its end.
        check_metrics(
            &["task_work", "task_span", "task_least"],
            "end 90
             team A = 0.0 0.1
             10 0.0 fork; team A; + parallel; + task_create; create A 0 1
             10 0.1 team A; + parallel; + ibarrier
             12 0.0 -; + ibarrier
             8 0.1 switch A 0 1; + task
             44 0.1 -; done A 0 1; switch A 1 0
             40 0.0 -; -; endteam A; join
             46 0.1 -; -; endteam A",
            expect![[r#"
                task_work  program/parallel  [36, 0]
                task_span  program/parallel  [34, 0]
                task_least  program/parallel  [34, 0]
            "#]],
        );
    }

    #[test]
    fn a_region_that_does_not_end_has_no_work() {
        // The program is killed while the task runs.
        check_metrics(
            &["task_work", "task_span", "task_least"],
            "end 90
             team A = 0.0 0.1
             10 0.0 fork; team A; + parallel; + task_create; create A 0 1
             10 0.1 team A; + parallel; + ibarrier
             12 0.0 -; + ibarrier
             14 0.1 switch A 0 1; + task",
            expect![[""]],
        );
    }

    #[test]
    fn the_work_of_an_inner_team_is_that_of_its_task() {
        // The inner team has 2 ticks of creation and 18 of its task, which is its chain. The outer
        // task has 2 ticks after that, and the master of the outer team 2.
        check_metrics(
            &["task_work", "task_span", "task_least"],
            "end 90
             team A = 0.0 0.1
             team B = 0.1 0.2
             10 0.0 fork; team A; + parallel:1; + task_create:1; create A 0 1
             10 0.1 team A; + parallel:1; + ibarrier
             12 0.0 -; + ibarrier
             14 0.1 switch A 0 1; + task:1; fork; team B; + parallel:2
             14 0.1 + task_create:2; create B 0 1
             14 0.2 team B; + parallel:2; + ibarrier
             16 0.1 -; + ibarrier
             22 0.2 switch B 0 1; + task:2
             40 0.2 -; done B 0 1; switch B 1 0
             42 0.1 -; -; endteam B; join
             42 0.2 -; -; endteam B
             44 0.1 -; done A 0 1; switch A 1 0
             46 0.0 -; -; endteam A; join
             46 0.1 -; -; endteam A",
            expect![[r#"
                task_work  program/parallel:1  [24, 0, 0]
                task_work  TASKS/task:1/parallel:2  [0, 20, 0]
                task_span  program/parallel:1  [20, 0, 0]
                task_span  TASKS/task:1/parallel:2  [0, 18, 0]
                task_least  program/parallel:1  [20, 0, 0]
                task_least  TASKS/task:1/parallel:2  [0, 18, 0]
            "#]],
        );
    }
}
