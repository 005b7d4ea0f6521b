//! The longest chain of work in a parallel region with tasks.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Span of tasks.
pub const PROPERTY: Property = Property {
    name: "task_span",
    title: "Span of tasks",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Length of the longest chain of work in a parallel region with tasks, in which \
            each part needs the one before. No number of threads makes the region shorter.",
        formula: "each task begins with the chain of its creator at the creation. Taskwait takes \
            the longest chain of the children that are done, the end of a taskgroup that of its \
            tasks, a barrier that of all threads and tasks. An undeferred task is part of the \
            chain of its creator. Dependences are not known, so with depend clauses the span may \
            be longer.",
        cost: "If the span is nearly as long as the region, more threads do not help.",
        recognise: "Only a trace has this property. task_work / task_span is the parallelism: with \
            fewer threads than that the tasks can keep all threads busy.",
        remedy: "Split the tasks that are on the chain, or create them earlier. critical_path \
            names their call paths.",
        example: "Work of 2.4 s and a span of 0.8 s: more than 3 threads have no use.",
    },
};

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::trace::metric_tests::check_metrics;

    #[test]
    fn creation_and_tasks_make_a_chain() {
        // 10 ticks until thread 0 has created the task, 16 ticks of the task, which is longer than
        // the remaining 4 ticks of thread 0, and 5 ticks after taskwait.
        check_metrics(
            &["task_span"],
            "end 90
             team A = 0.0 0.1
             10 0.0 fork; team A; + parallel
             10 0.1 team A; + parallel; + ibarrier
             20 0.0 + task_create; create A 0 1
             22 0.0 -
             24 0.0 + taskwait
             25 0.1 switch A 0 1; + task
             41 0.1 -; done A 0 1; switch A 1 0
             45 0.0 -
             50 0.0 + ibarrier
             52 0.0 -; -; endteam A; join
             52 0.1 -; -; endteam A",
            expect![[r#"
                task_span  program/parallel  [31, 0]
            "#]],
        );
    }

    #[test]
    fn a_child_that_ends_after_the_taskwait_by_its_clock_is_no_part_of_its_chain() {
        // The chains are 12 ticks of thread 0, and 2 + 16 ticks with the task.
        check_metrics(
            &["task_span"],
            "end 90
             team A = 0.0 0.1
             10 0.0 fork; team A; + parallel
             10 0.1 team A; + parallel; + ibarrier
             12 0.0 + task_create; create A 0 1
             12 0.0 -; + taskwait
             25 0.1 switch A 0 1; + task
             40 0.0 -
             41 0.1 -; done A 0 1; switch A 1 0
             50 0.0 + ibarrier
             52 0.0 -; -; endteam A; join
             52 0.1 -; -; endteam A",
            expect![[r#"
                task_span  program/parallel  [18, 0]
            "#]],
        );
    }

    #[test]
    fn the_open_end_has_no_span() {
        // The program is killed in the second region: the first one is complete.
        check_metrics(
            &["task_span"],
            "end 90
             team A = 0.0 0.1
             10 0.0 fork; team A; + parallel; + task_create; create A 0 1
             10 0.1 team A; + parallel; + ibarrier
             12 0.0 -; + ibarrier
             14 0.1 switch A 0 1; + task
             44 0.1 -; done A 0 1; switch A 1 0
             46 0.0 -; -; endteam A; join
             46 0.1 -; -; endteam A
             50 0.0 fork; team A; + parallel; + task_create; create A 0 2
             50 0.1 team A; + parallel; + ibarrier",
            expect![[r#"
                task_span  program/parallel  [30, 0]
            "#]],
        );
    }
}
