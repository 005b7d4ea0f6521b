//! What locations do while it is on the critical path, too.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Activities on the critical path.
pub const PROPERTY: Property = Property {
    name: "critical_path_activities",
    title: "Activities on the critical path",
    parent: Some("performance_impact_criticalpath"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.impact().critical(profile.cube, call)),
    gain: "",
    doc: Doc {
        measures: "Time of call paths on the critical path, on each location at most as long as \
            the path is in this call path.",
        formula: "for each call path and location: the lesser one of the time of the critical path \
            in this call path, and of the time of the location in it without waiting, fork and \
            join.",
        cost: "This is the useful part of the path. It ends only with faster code or less work.",
        recognise: "Only a trace has this property: pompeii analyze finds it. Compare with \
            critical_imbalance_impact, which is the loss of the same call paths.",
        remedy: "Make the call path faster, for example with a better algorithm or compiler \
            options.",
        example: "Two processes solve for 10 s and 20 s. The path has 20 s of solve. Activities \
            are 10 s and 20 s.",
    },
};
