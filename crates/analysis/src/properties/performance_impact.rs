//! What the critical path costs on all locations.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Impact of the critical path.
pub const PROPERTY: Property = Property {
    name: "performance_impact",
    title: "Impact of the critical path",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "The length of the critical path on all locations, as the cost of the run, \
            divided by its effect: activities on the path, activities that are not on it, and \
            losses because the path is not spread evenly.",
        formula: "the sum of its parts: the length of the critical path x locations, if no \
            location computes longer than the path is.",
        cost: "Only performance_impact_criticalpath determines how long the run is.",
        recognise: "Only a trace has this property: pompeii analyze finds it. A call path with \
            little time on all locations may have a large impact, because the others wait for it.",
        remedy: "Begin with the call path that has the largest critical_imbalance_impact.",
        example: "One of four threads assembles for 2 s, and the others have nothing to do. \
            assemble has 2 s of activities, and its impact is 8 s.",
    },
};
