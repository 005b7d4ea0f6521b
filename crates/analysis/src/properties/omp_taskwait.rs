//! Waiting in taskwait for child tasks, without the tasks that the thread executed meanwhile.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};
use crate::profile::Class;

/// taskwait.
pub const PROPERTY: Property = Property {
    name: "omp_taskwait",
    title: "taskwait",
    parent: Some("omp_synchronization"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::Taskwait, call)),
    gain: gains::DELAYING_THREAD,
    doc: Doc {
        measures: "Time in taskwait during which the thread executed no task.",
        formula: "own time of call paths to regions of the kind `taskwait`. Executed tasks are \
            shown below it and in the task trees.",
        cost: "The thread waits for child tasks executed by other threads, or taskwait is called \
            too often.",
        recognise: "If each visit takes long, child tasks are long or unevenly spread. If there \
            are many short visits, the tasks are too small.",
        remedy: "Let the waiting task do one part of the work itself instead of creating a task \
            for it; create no tasks below a certain size.",
        example: "fib(n) creates two tasks and waits: if it computes the second part directly, \
            there are half as many tasks.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  = creates =|..................|===
thread 1  =====|====== child task ======|===
                     ^ taskwait         ^ the last child ends";

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn executed_tasks_are_not_waiting() {
        check(
            "omp_taskwait",
            "wall=30 locations=1
             a/taskwait@a.c:9             0  time=10
             a/taskwait@a.c:9/task@a.c:7  0  task_time=20
             TASKS/task@a.c:7             0  time=20",
            expect![[r#"
                a/taskwait  [10]
                total 10
            "#]],
        );
    }
}
