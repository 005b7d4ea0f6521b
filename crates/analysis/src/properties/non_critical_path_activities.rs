//! What locations do longer than the critical path.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Activities not on the critical path.
pub const PROPERTY: Property = Property {
    name: "non_critical_path_activities",
    title: "Activities not on the critical path",
    parent: Some("performance_impact"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.impact().non_critical(profile.cube, call)),
    gain: "",
    doc: Doc {
        measures: "Time of call paths by which locations are longer in them than the critical path \
            is.",
        formula: "for each call path and location: the time of the location in it without waiting, \
            fork and join, - the time of the critical path in this call path, if this is more than \
            0.",
        cost: "If this time becomes less, the run does not become shorter: other locations \
            determine how long it is.",
        recognise: "Only a trace has this property: pompeii analyze finds it. Do not optimize \
            these call paths first, even if they have much time.",
        remedy: "Move this work to locations that wait, or leave it as it is.",
        example: "Process 0 writes files for 10 s while process 1 assembles for 30 s, and the path \
            is on process 1. The 10 s of writing are not on the path.",
    },
};
