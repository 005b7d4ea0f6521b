//! Where tasks were executed: the stub nodes. The same time lies once more in the task trees, as
//! time.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Task execution at scheduling points.
pub const PROPERTY: Property = Property {
    name: "task_time",
    title: "Task execution at scheduling points",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time of tasks that the thread executed at this scheduling point (barrier, \
            taskwait, creation of a task), shown at a stub named like the task.",
        formula: "sum of the fragments executed there. The same time is part of `time` in the tree \
            below TASKS; it is not added again.",
        cost: "This is work, not loss.",
        recognise: "Threads that execute much less than others: tasks are too few or too long.",
        remedy: "See the diagnosis tasks_too_few.",
        example: "Thread 1 executed 0.4 s of `task` in the implicit barrier of the single \
            construct.",
    },
};
