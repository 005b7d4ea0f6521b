//! Taskyield, without the tasks that the thread executed meanwhile.

use pompeii_model::Unit;

use crate::profile::Class;
use super::{Compute, Doc, Property, gains};

/// Taskyield.
pub const PROPERTY: Property = Property {
    name: "omp_taskyield",
    title: "Taskyield",
    parent: Some("omp_synchronization"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| {
        profile.class_time(Class::Taskyield, call)
    }),
    gain: gains::DELAYING_THREAD,
    doc: Doc {
        measures: "Time in taskyield in which the thread executed no task.",
        formula: "own time of call paths with the role `taskyield`; executed tasks lie below stub \
            nodes and in the task trees.",
        cost: "Looking for another task costs time, also where there is none to be found.",
        recognise: "Many visits with few tasks below them: the runtime ignores the taskyield or \
            finds nothing (tied tasks may only take descendants).",
        remedy: "Wait with a task dependence or omp_test_lock with other work in between, instead \
            of yielding in a loop.",
        example: "while (!omp_test_lock(&l)) taskyield: with nothing to run this is a busy loop.",
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
