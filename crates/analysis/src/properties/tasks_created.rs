//! How many tasks were created where and by whom.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Tasks created.
pub const PROPERTY: Property = Property {
    name: "tasks_created",
    title: "Tasks created",
    parent: Some("tasks"),
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Number of created tasks, at the task construct and on the creating thread.",
        formula: "+1 for each deferred task.",
        cost: "See omp_task_creation.",
        recognise: "If all are on one thread, see task_creation_bottleneck. If there are fewer \
            than ten per thread, see tasks_too_few.",
        remedy: "Ten to a thousand tasks per thread, of at least some tens of microseconds each, \
            are good.",
        example: "12 tasks on 8 threads: four threads execute two, four threads execute one.",
    },
};
