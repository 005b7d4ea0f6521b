//! Waiting at the entry of a critical section that another thread is in.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};

/// Critical contention.
pub const PROPERTY: Property = Property {
    name: "omp_lock_contention_critical",
    title: "Critical contention",
    parent: Some("omp_critical"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: gains::NEXT_BARRIER,
    doc: Doc {
        measures: "Time at the entry of a critical section while another thread was inside.",
        formula: "for each entry: the part of [enter, begin of the body] during which another \
            thread held the critical section, at least 0.",
        cost: "The program is serial here. With more threads, more threads wait.",
        recognise: "Compare this time with the time in the body of the critical section. If the \
            total time in the body is close to the wall time of the parallel region, the critical \
            section is the bottleneck.",
        remedy: "Make the body shorter; enter less often; use reduction, atomic, or critical \
            sections of different names for independent objects.",
        example: "8 threads, a body of 1 us, and 2 us of work between two entries: at each moment \
            more than half of the threads are waiting.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  ===|== critical ==|=============
thread 1  =======|..........|== critical ==|===
                 ^ comes    ^ thread 0 leaves";
