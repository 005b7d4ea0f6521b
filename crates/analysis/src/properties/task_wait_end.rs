//! Threads without a task that wait for the end of the last one.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Wait for last task.
pub const PROPERTY: Property = Property {
    name: "task_wait_end",
    title: "Wait for last task",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time in barriers, taskwait and at the end of taskgroups in which a thread had \
            no task and waited for the end of the last task that the construct needs, or of the \
            last task after which its next task may begin (depend clauses). At a barrier only \
            time after the latest arrival counts. A thread that executes a task at once after it \
            has created it waits at the creation, if the task comes after others.",
        formula: "for each construct that ends, and for each task that may begin, after a task of \
            another thread: end of the last such task - begin of the time without a task (or the \
            latest arrival). It is a part of omp_taskwait, omp_taskgroup and of the starvation in \
            barriers.",
        cost: "At the end of a phase there are fewer tasks than threads.",
        recognise: "Only a trace has this property. delay_omp names the call paths of the last \
            tasks.",
        remedy: "Begin long tasks first, split them, or let the waiting task do a part of the work \
            itself.",
        example: "Four threads execute 5 tasks of 1 s: three threads wait 1 s for the fifth task.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  ====|...............|=========    waits in taskwait
thread 1  =|===== task =======|.........    executes the last child";

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::trace::metric_tests::check_metrics;

    #[test]
    fn threads_wait_for_the_last_task_in_a_barrier() {
        // Thread 0 has arrived at 12; the task ends at 44.
        check_metrics(
            &["task_wait_end", "omp_task_starvation", "delay_omp"],
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
                task_wait_end  program/parallel/ibarrier  [32, 0]
                omp_task_starvation  program/parallel/ibarrier  [34, 4]
                delay_omp  program/parallel/task_create  [2, 0]
                delay_omp  TASKS/task  [0, 32]
            "#]],
        );
    }

    #[test]
    fn a_thread_waits_for_the_task_before_its_next_one() {
        // Both have arrived at 12. Task 2 comes after task 1, which ends at 44.
        check_metrics(
            &["task_wait_end", "task_wait_creation", "delay_omp"],
            "end 90
             team A = 0.0 0.1
             10 0.0 fork; team A; + parallel; + task_create
             10 0.1 team A; + parallel; + ibarrier
             10 0.0 create A 0 1 inout:7; -; + task_create; create A 0 2 in:7; -
             12 0.0 + ibarrier
             14 0.1 switch A 0 1; + task:1
             44 0.1 -; done A 0 1; switch A 1 0
             45 0.0 switch A 0 2; + task:2
             50 0.0 -; done A 0 2; switch A 0 0
             51 0.0 -; -; endteam A; join
             51 0.1 -; -; endteam A",
            expect![[r#"
                task_wait_end  program/parallel/ibarrier  [32, 6]
                delay_omp  program/parallel  [2, 0]
                delay_omp  TASKS/task:1  [0, 32]
                delay_omp  TASKS/task:2  [6, 0]
            "#]],
        );
    }

    #[test]
    fn a_thread_waits_for_the_task_before_one_that_it_executes_at_once() {
        // Thread 0 creates task 2 at 14 and waits for the end of task 1 at 44.
        check_metrics(
            &["task_wait_end", "task_wait_creation", "delay_omp"],
            "end 90
             team A = 0.0 0.1
             10 0.0 fork; team A; + parallel; + task_create
             10 0.1 team A; + parallel; + ibarrier
             10 0.0 create A 0 1 inout:7; -
             12 0.1 switch A 0 1; + task:1
             13 0.0 + task_create:2
             14 0.0 create A 0 2 in:7
             44 0.1 -; done A 0 1; switch A 1 0
             45 0.0 switch A 0 2; + task:2
             50 0.0 -; done A 0 2; switch A 0 0; -; + ibarrier
             51 0.0 -; -; endteam A; join
             51 0.1 -; -; endteam A",
            expect![[r#"
                task_wait_end  program/parallel/task_create:2  [30, 0]
                delay_omp  program/parallel/task_create:2  [1, 0]
                delay_omp  TASKS/task:1  [0, 36]
                delay_omp  TASKS/task:2  [1, 0]
            "#]],
        );
    }

    #[test]
    fn an_end_after_the_leave_by_its_clock_is_no_cause() {
        // Thread 0 leaves at 40, the task ends at 44.
        check_metrics(
            &["task_wait_end"],
            "end 90
             team A = 0.0 0.1
             10 0.0 fork; team A; + parallel; + task_create; create A 0 1
             10 0.1 team A; + parallel; + ibarrier
             12 0.0 -; + ibarrier
             8 0.1 switch A 0 1; + task
             44 0.1 -; done A 0 1; switch A 1 0
             40 0.0 -; -; endteam A; join
             46 0.1 -; -; endteam A",
            expect![[""]],
        );
    }

    #[test]
    fn a_taskwait_that_is_open_has_no_cause() {
        // Thread 0 waits for a task that never ends.
        check_metrics(
            &["task_wait_end"],
            "end 90
             team A = 0.0 0.1
             10 0.0 fork; team A; + parallel; + task_create; create A 0 1
             10 0.1 team A; + parallel; + ibarrier
             12 0.0 -; + taskwait
             14 0.1 switch A 0 1; + task",
            expect![[""]],
        );
    }

    #[test]
    fn a_taskgroup_waits_for_the_descendants() {
        // The child ends at 20, the grandchild on thread 1 at 50: thread 0 waits 30 ticks.
        check_metrics(
            &["task_wait_end", "delay_omp"],
            "end 90
             team A = 0.0 0.1
             10 0.0 fork; team A; + parallel; + taskgroup; + task_create:1; create A 0 1
             10 0.1 team A; + parallel; + ibarrier
             11 0.0 -; + taskgroup_end; switch A 0 1; + task:1; + task_create:2; create A 0 2
             12 0.0 -
             12 0.1 switch A 0 2; + task:2
             20 0.0 -; done A 0 1; switch A 0 0
             50 0.1 -; done A 0 2; switch A 1 0
             52 0.0 -; -
             60 0.0 + ibarrier
             61 0.0 -; -; endteam A; join
             61 0.1 -; -; endteam A",
            expect![[r#"
                task_wait_end  program/parallel/taskgroup/taskgroup_end  [30, 0]
                delay_omp  program/parallel  [2, 0]
                delay_omp  TASKS/task:1  [2, 0]
                delay_omp  TASKS/task:2  [0, 38]
            "#]],
        );
    }
}
