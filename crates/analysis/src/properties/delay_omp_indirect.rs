//! Waiting that a call path caused through the waiting of others.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// The indirect part of the delay of other threads.
pub const PROPERTY: Property = Property {
    name: "delay_omp_indirect",
    title: "Indirect delay",
    parent: Some("delay_omp"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "The part of the delay that did not reach the waiting thread directly, but through \
            another thread that waited first.",
        formula: "delay_omp without the waiting of threads that waited for this call path \
            themselves.",
        cost: "A thread that waits is late at the next point where threads meet. So one delay can \
            make many threads wait, one after the other.",
        recognise: "A large indirect delay means that the waiting is far from its cause, often at \
            another construct.",
        remedy: "See delay_omp: the call path is the same.",
        example: "Thread 0 waits 2 s for a lock of thread 1, and is therefore late at a barrier, \
            where thread 2 waits 2 s. The call path of thread 1 has a delay of 4 s, of which 2 s \
            are indirect.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  ===|--------------------|===      waits at the barrier
thread 1  ===|----------|=========|===      had waited for the lock
thread 2  ==|...........|====|----|===      had the lock";
