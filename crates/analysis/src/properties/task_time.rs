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
        measures: "Time of tasks executed by the thread at this scheduling point (a barrier, a \
            taskwait, the creation of a task), shown at an entry with the name of the task.",
        formula: "sum of all parts of tasks executed there. The same time is part of `time` in \
            the task trees (below TASKS) and is not added again.",
        cost: "This is work and not a loss.",
        recognise: "If some threads execute much less than others, there are too few or too long \
            tasks.",
        remedy: "See the diagnosis tasks_too_few.",
        example: "In the implicit barrier of a single construct, thread 1 executed `task` for 0.4 \
            s.",
    },
};
