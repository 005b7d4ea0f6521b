//! Taskloop constructs: creating their tasks and waiting for them.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};
use crate::profile::Class;

/// Taskloop.
pub const PROPERTY: Property = Property {
    name: "omp_taskloop",
    title: "Taskloop",
    parent: Some("omp_time"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::Taskloop, call)),
    gain: gains::DELAYING_THREAD,
    doc: Doc {
        measures: "Time in taskloop constructs during which the thread executed no task: creating \
            the tasks and, without nogroup, waiting for them.",
        formula: "own time of call paths to regions of the kind `taskloop`. Executed tasks are \
            shown below it and in the task trees.",
        cost: "One thread creates all tasks while the others wait for the first ones. At the end \
            it waits for the last ones.",
        recognise: "See tasks_created. Tasks of less than a few microseconds are too small. If \
            there are fewer tasks than threads, they are too few.",
        remedy: "Choose grainsize or num_tasks for about ten tasks per thread. If all threads \
            reach the construct anyway, use a worksharing loop instead.",
        example: "taskloop over 1 million iterations with grainsize(1): creating a task takes \
            longer than executing its iteration.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn executed_tasks_are_not_contained() {
        check(
            "omp_taskloop",
            "wall=30 locations=1
             a/taskloop@a.c:9             0  time=10 tasks_created=4
             a/taskloop@a.c:9/task@a.c:9  0  task_time=20
             TASKS/task@a.c:9             0  time=20",
            expect![[r#"
                a/taskloop  [10]
                total 10
            "#]],
        );
    }
}
