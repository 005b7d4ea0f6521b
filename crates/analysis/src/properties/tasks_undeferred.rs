//! Tasks that their creator executed at once.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Undeferred tasks.
pub const PROPERTY: Property = Property {
    name: "tasks_undeferred",
    title: "Undeferred tasks",
    parent: Some("tasks"),
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Number of tasks executed at once by the thread that encountered the construct, \
            because an if clause was false or an outer task was final.",
        formula: "+1 for each such task. By default they are counted and not timed (see `run \
            --timed-undeferred`).",
        cost: "Little, because they are executed like ordinary code with a small check.",
        recognise: "A large share shows that a cut-off works.",
        remedy: "No change is needed. Below the cut-off, a version without task constructs is \
            faster still.",
        example: "fib with if(n > 20): nearly all tasks are undeferred.",
    },
};
