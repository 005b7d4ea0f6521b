//! The least time of parallel regions with tasks.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Least time of tasks.
pub const PROPERTY: Property = Property {
    name: "task_least",
    title: "Least time of tasks",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "The least time that parallel regions with tasks take on their number of \
            threads, whatever the order in which tasks are executed.",
        formula: "for each execution of the region: max(task_work / threads, task_span). A \
            schedule in which no thread waits while a task is ready takes at most task_work / \
            threads + task_span, without the cost of creating and starting tasks.",
        cost: "The difference to the time of the region is lost to waiting, scheduling and \
            creation.",
        recognise: "Only a trace has this property. Compare it with the time of the region on its \
            master, with everything below it.",
        remedy: "If it is near the time of the region, the order of tasks is not the problem: make \
            less work (task_work), or a shorter chain (task_span). If it is much less, look at \
            task_wait_creation and task_wait_end.",
        example: "A region of 1.0 s on 4 threads with work of 2.4 s and a span of 0.8 s has a \
            least time of 0.8 s.",
    },
};

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::trace::metric_tests::check_metrics;

    #[test]
    fn the_work_of_a_thread_is_the_bound_if_the_chain_is_short() {
        // Two tasks of 20 ticks on each of two threads: work 80, of which each thread has 40.
        check_metrics(
            &["task_work", "task_span", "task_least"],
            "end 90
             team A = 0.0 0.1
             10 0.0 fork; team A; + parallel
             10 0.1 team A; + parallel
             10 0.0 + task_create; create A 0 1; -; + task_create; create A 0 2; -
             10 0.1 + task_create; create A 1 1; -; + task_create; create A 1 2; -
             10 0.0 + ibarrier; switch A 0 1; + task
             10 0.1 + ibarrier; switch A 1 1; + task
             30 0.0 -; done A 0 1; switch A 0 2; + task
             30 0.1 -; done A 1 1; switch A 1 2; + task
             50 0.0 -; done A 0 2; switch A 0 0
             50 0.1 -; done A 1 2; switch A 1 0
             51 0.0 -; -; endteam A; join
             51 0.1 -; -; endteam A",
            expect![[r#"
                task_work  program/parallel  [80, 0]
                task_span  program/parallel  [20, 0]
                task_least  program/parallel  [40, 0]
            "#]],
        );
    }

    #[test]
    fn clocks_that_differ_leave_the_bound() {
        // As in the test of task_work.
        check_metrics(
            &["task_least"],
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
                task_least  program/parallel  [34, 0]
            "#]],
        );
    }

    #[test]
    fn only_complete_regions_have_a_bound() {
        // As in the test of task_span.
        check_metrics(
            &["task_least"],
            "end 90
             team A = 0.0 0.1
             10 0.0 fork; team A; + parallel; + task_create; create A 0 1
             10 0.1 team A; + parallel; + ibarrier
             12 0.0 -; + ibarrier
             14 0.1 switch A 0 1; + task",
            expect![[""]],
        );
    }
}
