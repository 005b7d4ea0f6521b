//! Losses of locations that do something else, or nothing.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Imbalance between partitions.
pub const PROPERTY: Property = Property {
    name: "inter_partition_imbalance",
    title: "Imbalance between partitions",
    parent: Some("critical_imbalance_impact"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.impact().inter(profile.cube, call)),
    gain: "",
    doc: Doc {
        measures: "Time that locations lose because of call paths that they do not execute at all.",
        formula: "for each location: of the time of the critical path in call paths in which the \
            location was not, the part that is more than the time by which the location was longer \
            than the path in other call paths. It is divided as critical_imbalance_impact.",
        cost: "Locations have different tasks, for example a master and workers, and these take \
            different times.",
        recognise: "Only a trace has this property: pompeii analyze finds it. Serial code has it, \
            too: the other threads have no part in it.",
        remedy: "Give more locations to the task that takes longest, or parallelize serial code.",
        example: "Thread 0 assembles for 30 s, and three other threads have nothing to do. They \
            lose 90 s between partitions.",
    },
};
