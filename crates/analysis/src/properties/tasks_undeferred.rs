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
        measures: "Number of tasks that were executed at once by the thread that met the \
            construct, because an if clause was false or an outer task was final.",
        formula: "+1 per such task. They are counted and not timed, unless that was asked for.",
        cost: "Little: they are ordinary code with a small check.",
        recognise: "A large share shows that a cut-off works.",
        remedy: "Nothing to do; below the cut-off a version without task constructs is faster \
            still.",
        example: "fib with if(n > 20): nearly all tasks are undeferred.",
    },
};
