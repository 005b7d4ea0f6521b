//! How many fragments of tasks were executed where.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Task switches.
pub const PROPERTY: Property = Property {
    name: "task_switches",
    title: "Task switches",
    parent: None,
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "How often the thread started or resumed a task at this scheduling point.",
        formula: "+1 whenever the thread switches to the task, at the entry for this task below \
            the scheduling point.",
        cost: "Each switch is work for the OpenMP runtime, and the new task finds other data in \
            the caches.",
        recognise: "Far more switches than tasks: tasks are suspended often.",
        remedy: "Use fewer taskwait and taskyield constructs inside tasks.",
        example: "1,000 tasks and 3,000 switches: each task was suspended twice.",
    },
};
