//! The part of the critical path that would be shorter if work were spread evenly.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Imbalance of the critical path.
pub const PROPERTY: Property = Property {
    name: "critical_path_imbalance",
    title: "Imbalance of the critical path",
    parent: Some("critical_path"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.impact().imbalance(profile.cube, call)),
    gain: "",
    doc: Doc {
        measures: "The part of the critical path by which a call path is longer than on the \
            average location. The run could be shorter by about this time if its work were spread \
            evenly.",
        formula: "for each call path: its time on the critical path - the average over all \
            locations of their time in it without waiting, fork and join, if this is more than 0. \
            It is divided among the locations of the path in proportion to critical_path.",
        cost: "While one location does this work, the others wait. They could have done a part of \
            it.",
        recognise: "Only a trace has this property: pompeii analyze finds it. If the value is \
            nearly as large as critical_path, one location does this work alone. If it is nearly \
            0, the work is balanced, and only faster code helps.",
        remedy: "Balance the work of the call path among the threads or processes, or parallelize \
            it.",
        example: "Thread 0 is in solve for 4 s, three other threads for 2 s each. solve has 4 s of \
            the critical path, and the average is 2.5 s: the imbalance is 1.5 s.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  ===|===== solve =====|===      4 s, on the critical path
thread 1  ===|= solve =|.......|===      2 s, and then it waits";
