//! Waiting at the end of a taskgroup, without the tasks that the thread executed meanwhile.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};
use crate::profile::Class;

/// Taskgroup.
pub const PROPERTY: Property = Property {
    name: "omp_taskgroup",
    title: "Taskgroup",
    parent: Some("omp_synchronization"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::Taskgroup, call)),
    gain: gains::DELAYING_THREAD,
    doc: Doc {
        measures: "Time at the end of taskgroups during which the thread executed no task.",
        formula: "own time of call paths to regions of the kind `taskgroup end`. Executed tasks \
            are shown below it and in the task trees; the body of the taskgroup is computation.",
        cost: "The thread waits for tasks executed by other threads, and for the descendants of \
            these tasks.",
        recognise: "If each visit takes long, tasks are long or unevenly spread. If there are \
            many short visits, the groups are too small.",
        remedy: "Make the groups larger, or split their longest task. If only the order of tasks \
            matters, use task dependences instead of waiting.",
        example: "Each level of a recursion has a taskgroup: one at the top is enough if no level \
            reads the results of the next.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  = creates =|..................|===
thread 1  =====|== task of the group ===|===
                     ^ end of taskgroup ^ the last task ends";

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn executed_tasks_and_the_body_are_not_waiting() {
        check(
            "omp_taskgroup",
            "wall=30 locations=1
             a/taskgroup@a.c:9                               0  time=7
             a/taskgroup@a.c:9/taskgroup end@a.c:12          0  time=10
             a/taskgroup@a.c:9/taskgroup end@a.c:12/task@a.c:7  0  task_time=13
             TASKS/task@a.c:7                                0  time=13",
            expect![[r#"
                a/taskgroup/taskgroup end  [10]
                total 10
            "#]],
        );
    }
}
