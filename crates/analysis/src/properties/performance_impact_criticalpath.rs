//! The part of the cost of a run that the critical path determines.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Impact of call paths on the critical path.
pub const PROPERTY: Property = Property {
    name: "performance_impact_criticalpath",
    title: "Impact of call paths on the critical path",
    parent: Some("performance_impact"),
    unit: Unit::Ticks,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "What call paths on the critical path cost on all locations: their activities, \
            and the time that locations lose because these call paths are not spread evenly.",
        formula: "critical_path_activities + critical_imbalance_impact.",
        cost: "If such a call path becomes shorter, the run becomes shorter.",
        recognise: "Only a trace has this property: pompeii analyze finds it. \
            non_critical_path_activities is the rest.",
        remedy: "See its parts: activities become less with faster code, the impact of imbalance \
            with a better distribution.",
        example: "One of four threads assembles for 2 s, and the others have nothing to do. \
            assemble has 2 s of activities on the path, and an impact of imbalance of 6 s.",
    },
};
