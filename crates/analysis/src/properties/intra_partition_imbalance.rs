//! Losses of locations that do the same, but for a shorter time.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Imbalance inside of partitions.
pub const PROPERTY: Property = Property {
    name: "intra_partition_imbalance",
    title: "Imbalance inside of partitions",
    parent: Some("critical_imbalance_impact"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.impact().intra(profile.cube, call)),
    gain: "",
    doc: Doc {
        measures: "Time that locations lose because of call paths that they execute themselves, \
            too, but for a shorter time.",
        formula: "critical_imbalance_impact - inter_partition_imbalance.",
        cost: "The distribution of the work is not even, for example because iterations take \
            different times.",
        recognise: "Only a trace has this property: pompeii analyze finds it. \
            inter_partition_imbalance is the loss by different tasks of locations.",
        remedy: "Use another distribution of data or iterations, for example schedule(dynamic).",
        example: "Two processes solve for 10 s and 20 s. The first one loses 10 s inside of the \
            partition.",
    },
};
