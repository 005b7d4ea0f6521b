//! Waiting of threads that made others wait.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Propagating waiting of threads.
pub const PROPERTY: Property = Property {
    name: "omp_wait_propagating",
    title: "Propagating waiting of threads",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Waiting of threads that made another thread or process wait later. \
            omp_wait_propagating and omp_wait_terminal together are all waiting that delay_omp \
            divides among its causes.",
        formula: "for each wait: the largest share of a later wait of another thread or process \
            that goes back to this wait (see omp_wait_indirect), at most the time of this wait \
            itself.",
        cost: "This waiting costs twice: here, and at the threads that wait because of it.",
        recognise: "Only a trace has this property: pompeii analyze finds it. omp_wait_indirect \
            has the waiting of the others.",
        remedy: "Begin with the causes of this waiting, because that of others ends with it. \
            delay_omp names them.",
        example: "Thread 1 waits 2 s for a lock of thread 2, and is therefore late at a barrier, \
            where thread 0 waits 2 s. The 2 s of thread 1 are propagating.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  ===|--------------------|===      waits at the barrier
thread 1  ===|..........|=========|===      waits for the lock, and is late
thread 2  ==|===========|====|----|===      has the lock";
