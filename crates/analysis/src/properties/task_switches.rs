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
        measures: "Number of task fragments begun at this scheduling point: starts and \
            resumptions.",
        formula: "+1 whenever the thread switches to the task there, on stub nodes.",
        cost: "Each switch is work for the OpenMP runtime and spoils caches.",
        recognise: "Far more switches than tasks: tasks are often suspended.",
        remedy: "Fewer taskwaits and critical scheduling points inside tasks.",
        example: "1,000 tasks, 3,000 switches: each task was suspended twice.",
    },
};
