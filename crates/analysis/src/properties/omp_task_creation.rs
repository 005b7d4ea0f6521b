//! What it costs to create tasks. Scalasca has no class for it and counts it as computation.

use pompeii_model::Unit;

use crate::profile::Class;
use super::{Compute, Doc, Property, gains};

/// Task creation.
pub const PROPERTY: Property = Property {
    name: "omp_task_creation",
    title: "Task creation",
    parent: Some("omp_time"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| {
        profile.class_time(Class::TaskCreation, call)
    }),
    gain: gains::DELAYING_THREAD,
    doc: Doc {
        measures: "Time to create tasks: allocating them, copying their data, queueing them and \
            waking a thread.",
        formula: "own time of call paths with the role `task create`, without tasks that were \
            executed at once. Undeferred tasks are counted, not timed.",
        cost: "A task costs from tens of nanoseconds to several microseconds, more with many \
            threads; the task's work has to be worth it.",
        recognise: "Compare with the mean time of a task: see the diagnosis tasks_too_small.",
        remedy: "Larger tasks; no tasks below a cut-off (if or final clause); taskloop with \
            grainsize.",
        example: "1 million tasks at 1 us: one second of creation on the creating thread.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn creation_is_apart_from_execution() {
        check(
            "omp_task_creation",
            "wall=20 locations=1
             a/create task@a.c:7             0  time=8 tasks_created=4
             a/create task@a.c:7/task@a.c:7  0  task_time=12
             TASKS/task@a.c:7                0  time=12",
            expect![[r#"
                a/create task  [8]
                total 8
            "#]],
        );
    }
}
