//! All tasks that the program met: those that were queued and those that were run at once.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Tasks.
pub const PROPERTY: Property = Property {
    name: "tasks",
    title: "Tasks",
    parent: None,
    unit: Unit::Count,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "How often threads encountered a task construct.",
        formula: "tasks_created + tasks_undeferred.",
        cost: "See omp_task_creation. Only created tasks cost considerable time.",
        recognise: "Compare it with the number of threads: ten to a thousand tasks per thread are \
            good.",
        remedy: "See the diagnoses tasks_too_few and tasks_too_small.",
        example: "fib(30) without a cut-off: 2.7 million tasks.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn queued_and_immediate_tasks_are_summed() {
        check(
            "tasks",
            "wall=10 locations=1
             a                    0  time=8
             a/create task@a.c:7  0  time=2 visits=4 tasks_created=4 tasks_undeferred=90",
            expect![[r#"
                a/create task  [94]
                total 94
            "#]],
        );
    }
}
