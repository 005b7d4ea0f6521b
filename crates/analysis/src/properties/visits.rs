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
        formula: "+1 at each enter. Executions of a task count in its task tree; stub nodes have \
            task_switches instead.",
        cost: "Each visit of an OpenMP construct has a price of its own, tens of nanoseconds to \
            microseconds.",
        recognise: "Time per visit below a few microseconds: the construct is too small for what \
            it costs.",
        remedy: "Do more per visit: merge neighbouring constructs, move them out of inner loops.",
        example: "2,000 visits on each of 8 threads: 16,000.",
    },
};
