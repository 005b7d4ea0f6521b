//! How long tasks are ready before a thread begins them.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Ready time of tasks.
pub const PROPERTY: Property = Property {
    name: "task_ready",
    title: "Ready time of tasks",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time from the creation of tasks to their begin, at the construct and on the \
            thread that ended the task.",
        formula: "for each task: begin of its first fragment - its creation. Undeferred tasks have \
            none.",
        cost: "It costs no time by itself: a task that waits while all threads compute does no \
            harm.",
        recognise: "Only a trace has this property. If it is large, there are more tasks than \
            threads at most times, and threads without a task (task_wait_creation, task_wait_end) \
            have another reason, for example dependences. If it is nearly zero and threads wait, \
            tasks are created too slowly.",
        remedy: "If tasks on the critical path are ready for long, give them a priority or create \
            them first.",
        example: "1,000 tasks are created at once and take 1 ms each on 4 threads: the last one is \
            ready for 0.25 s.",
    },
};

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::trace::metric_tests::check_metrics;

    #[test]
    fn a_task_is_ready_from_its_creation() {
        // Created at 10, begun at 14.
        check_metrics(
            &["task_ready"],
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
                task_ready  TASKS/task  [0, 4]
            "#]],
        );
    }

    #[test]
    fn a_begin_before_the_creation_counts_nothing() {
        // By its clock thread 1 begins before thread 0 creates.
        check_metrics(
            &["task_ready"],
            "end 90
             team A = 0.0 0.1
             10 0.1 fork; team A; + parallel; + ibarrier
             20 0.0 team A; + parallel; + task_create; create A 0 1
             12 0.1 switch A 0 1; + task
             44 0.1 -; done A 0 1; switch A 1 0
             46 0.0 -; + ibarrier
             50 0.0 -; -; endteam A
             50 0.1 -; -; endteam A; join",
            expect![[""]],
        );
    }

    #[test]
    fn a_task_that_is_not_done_has_no_ready_time() {
        // It is counted when it is done.
        check_metrics(
            &["task_ready"],
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
    fn inner_teams_have_tasks_of_their_own() {
        // The outer task waits for 4 ticks, the inner one for 8.
        check_metrics(
            &["task_ready"],
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
                task_ready  TASKS/task:1  [0, 4, 0]
                task_ready  TASKS/task:2  [0, 0, 8]
            "#]],
        );
    }
}
