//! Threads without a task that wait for the creation of the next one.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Wait for creation of tasks.
pub const PROPERTY: Property = Property {
    name: "task_wait_creation",
    title: "Wait for creation of tasks",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time in barriers, taskwait and at the end of taskgroups in which a thread had \
            no task and then executed one that was created meanwhile, until the creation. At a \
            barrier only time after the latest arrival counts.",
        formula: "for each time without a task that ends with a task of another thread: creation - \
            begin of that time (or the latest arrival). It is a part of omp_taskwait, \
            omp_taskgroup and of the starvation in barriers. The rest until the begin of the task \
            is the cost of scheduling.",
        cost: "Threads have nothing to do because tasks come too slowly.",
        recognise: "Only a trace has this property. delay_omp names what the creator did \
            meanwhile.",
        remedy: "Create tasks on several threads (taskloop, a loop with tasks, recursion), create \
            them before other work, or make them larger.",
        example: "One thread reads a file and creates a task for each line: 7 threads wait until \
            it has read the next line.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  ====|.............|== task ==|==  has no task until +
thread 1  ===|====== task =====+==|.....|=  creates a task at +
             ^ barrier";

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::trace::metric_tests::check_metrics;

    #[test]
    fn the_creator_was_late() {
        // Both have arrived at 12. Thread 0 has no task up to 43; task 2 was created at 40.
        check_metrics(
            &["task_wait_creation", "delay_omp"],
            "end 90
             team A = 0.0 0.1
             10 0.0 fork; team A; + parallel; + task_create:1; create A 0 1
             10 0.1 team A; + parallel; + ibarrier
             12 0.0 -; + ibarrier
             12 0.1 switch A 0 1; + task:1; + prepare
             40 0.1 -; + task_create:2; create A 1 1
             41 0.1 -
             43 0.0 switch A 1 1; + task:2
             50 0.1 -; done A 0 1; switch A 1 0
             60 0.0 -; done A 1 1; switch A 0 0
             61 0.0 -; -; endteam A; join
             61 0.1 -; -; endteam A",
            expect![[r#"
                task_wait_creation  program/parallel/ibarrier  [28, 0]
                delay_omp  program/parallel/task_create:1  [2, 0]
                delay_omp  TASKS/task:1/prepare  [0, 28]
                delay_omp  TASKS/task:2  [10, 0]
            "#]],
        );
    }

    #[test]
    fn a_task_that_was_there_by_its_clock_was_not_waited_for() {
        // Thread 1 begins the task at 12, but it is created at 20.
        check_metrics(
            &["task_wait_creation"],
            "end 90
             team A = 0.0 0.1
             10 0.1 fork; team A; + parallel; + ibarrier
             10 0.0 team A; + parallel
             20 0.0 + task_create; create A 0 1
             12 0.1 switch A 0 1; + task
             44 0.1 -; done A 0 1; switch A 1 0
             46 0.0 -; + ibarrier
             50 0.0 -; -; endteam A
             50 0.1 -; -; endteam A; join",
            expect![[""]],
        );
    }

    #[test]
    fn waiting_counts_when_it_has_ended() {
        // Thread 0 waits for the second task from 12 to 30. The waiting of thread 2, which is open
        // at the end, has no cause. All threads have records after 32: else one of them could have
        // done something that thread 0 waited for.
        check_metrics(
            &["task_wait_creation"],
            "end 90
             team A = 0.0 0.1 0.2
             10 0.0 fork; team A; + parallel; + ibarrier
             10 0.2 team A; + parallel; + ibarrier
             10 0.1 team A; + parallel; + task_create:1; create A 1 1; -
             12 0.1 + ibarrier; switch A 1 1; + task:1
             30 0.1 + task_create:2; create A 1 2
             31 0.1 -
             32 0.0 switch A 1 2; + task:2
             33 0.1 + work
             33 0.2 + work",
            expect![[r#"
                task_wait_creation  program/parallel/ibarrier  [18, 0, 0]
            "#]],
        );
    }
}
