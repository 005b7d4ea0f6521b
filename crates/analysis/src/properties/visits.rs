//! How often a call path was entered.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Visits.
pub const PROPERTY: Property = Property {
    name: "visits",
    title: "Visits",
    parent: None,
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "How often the call path was entered.",
        formula: "+1 for each enter. Executions of a task are counted in its task tree; at the \
            scheduling point, task_switches counts them.",
        cost: "Each visit of an OpenMP construct costs tens of nanoseconds to microseconds.",
        recognise: "If the time per visit is below a few microseconds, the construct does too \
            little work for its cost.",
        remedy: "Do more work per visit: merge neighbouring constructs, move them out of inner \
            loops.",
        example: "2,000 visits on each of 8 threads: 16,000.",
    },
};
