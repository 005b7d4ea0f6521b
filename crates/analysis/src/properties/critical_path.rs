//! The activities that determine how long the program ran.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Critical path.
pub const PROPERTY: Property = Property {
    name: "critical_path",
    title: "Critical path",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time of a call path on the critical path of a trace. The critical path is the \
            chain of activities that determines how long the program ran: if a thread or a process \
            waits, the path leads through the one that it waits for.",
        formula: "backward from the end of the process that ends last: the own time of each call \
            path. At the end of a wait the path goes to the causer: at a barrier to the thread \
            with the last activity before all leave, at the begin of a worker's part to the fork, \
            at a lock or an ordered construct to the one before. In a call of MPI it goes to the \
            process that was waited for, at the begin of its call. All call paths together have \
            the wall time of the process in which the path begins.",
        cost: "Only a shorter critical path makes the run shorter. Time that is not on it can be \
            saved without any effect.",
        recognise: "Only a trace has this property: pompeii analyze finds it. A call path that has \
            little time on all threads together may have much of the critical path.",
        remedy: "Begin with the call path that has the most time on the critical path: make it \
            faster, or share its work among threads that wait meanwhile.",
        example: "One thread assembles a matrix for 2 s, while three threads wait for it. These \
            2 s are on the critical path. Afterwards all four compute for 1 s, of which 1 s is on \
            it.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  ....|===|.............|....
thread 1      |.................|
              ^ fork            ^ barrier";
