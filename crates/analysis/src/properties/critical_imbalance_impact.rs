//! Time that locations lose because the critical path is not spread evenly.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Impact of imbalance on the critical path.
pub const PROPERTY: Property = Property {
    name: "critical_imbalance_impact",
    title: "Impact of imbalance on the critical path",
    parent: Some("performance_impact_criticalpath"),
    unit: Unit::Ticks,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Time that all locations lose, by waiting or without work, because the call \
            paths of the critical path are not spread evenly. It is at the location of the path \
            that makes them lose it.",
        formula: "for each location: the length of the critical path - its time without waiting, \
            fork and join. It is divided among the call paths in proportion to the time by which \
            the path is longer in them than the location. The sum over the locations is divided \
            among the locations of the path in proportion to critical_path.",
        cost: "All other locations lose time together with the one that is on the path.",
        recognise: "Only a trace has this property: pompeii analyze finds it. \
            critical_path_imbalance is the part of the path itself.",
        remedy: "Spread the call path with the largest value evenly among threads and processes.",
        example: "Two processes solve for 10 s and 20 s, and the first one waits for 10 s. solve \
            has an impact of 10 s on the second one.",
    },
};
