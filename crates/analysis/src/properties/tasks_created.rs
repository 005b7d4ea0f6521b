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
        measures: "Number of tasks created, at the construct and on the thread that created them.",
        formula: "+1 per task that was queued (deferred).",
        cost: "See omp_task_creation.",
        recognise: "All on one thread: see task_creation_bottleneck. Fewer than ten per thread: \
            see tasks_too_few.",
        remedy: "Aim at ten to a thousand tasks per thread with at least some tens of microseconds \
            each.",
        example: "12 tasks on 8 threads: four threads run two, four run one.",
    },
};
