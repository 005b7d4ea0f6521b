//! What it costs to create tasks. Scalasca has no class for it and counts it as computation.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};
use crate::profile::Class;

/// Task creation.
pub const PROPERTY: Property = Property {
    name: "omp_task_creation",
    title: "Task creation",
    parent: Some("omp_time"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::TaskCreation, call)),
    gain: gains::DELAYING_THREAD,
    doc: Doc {
        measures: "Time to create tasks: allocate them, copy their data, put them into a queue \
            and wake up a thread.",
        formula: "own time of call paths to regions of the kind `task create`, without tasks \
            executed at once. Undeferred tasks are counted, not timed.",
        cost: "Creating a task costs from tens of nanoseconds to several microseconds, and more \
            with many threads. The task should do much more work than that.",
        recognise: "Compare it with the mean time of a task; see the diagnosis tasks_too_small.",
        remedy: "Create larger tasks; create no tasks below a certain size (if or final clause); \
            use taskloop with grainsize.",
        example: "1 million tasks of 1 us creation time: one second on the creating thread.",
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
