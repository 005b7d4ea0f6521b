//! Taskyield, without the tasks that the thread executed meanwhile.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};
use crate::profile::Class;

/// Taskyield.
pub const PROPERTY: Property = Property {
    name: "omp_taskyield",
    title: "Taskyield",
    parent: Some("omp_synchronization"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::Taskyield, call)),
    gain: gains::DELAYING_THREAD,
    doc: Doc {
        measures: "Time in taskyield during which the thread executed no task.",
        formula: "own time of call paths to regions of the kind `taskyield`. Executed tasks are \
            shown below it and in the task trees.",
        cost: "Looking for another task costs time, even if there is none.",
        recognise: "If there are many visits with few tasks below them, the OpenMP runtime \
            ignores taskyield or finds no task. In a tied task it may only choose descendants.",
        remedy: "Use a task dependence, or omp_test_lock with other work in between, instead of \
            yielding in a loop.",
        example: "while (!omp_test_lock(&l)) taskyield: without other tasks, this loop only burns \
            CPU time.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn executed_tasks_are_not_contained() {
        check(
            "omp_taskyield",
            "wall=30 locations=1
             a/taskyield@a.c:9             0  time=10
             a/taskyield@a.c:9/task@a.c:7  0  task_time=20
             TASKS/task@a.c:7              0  time=20",
            expect![[r#"
                a/taskyield  [10]
                total 10
            "#]],
        );
    }
}
