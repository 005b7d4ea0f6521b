//! Waiting of threads that delayed no other location.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Terminal waiting of threads.
pub const PROPERTY: Property = Property {
    name: "omp_wait_terminal",
    title: "Terminal waiting of threads",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Waiting of threads that made no other process or thread wait. \
            omp_wait_propagating and omp_wait_terminal together are all waiting that delay_omp \
            divides among its causes.",
        formula: "for each wait: its time without the part that is omp_wait_propagating.",
        cost: "The time of this thread is lost, but no other thread is late because of it.",
        recognise: "Only a trace has this property: pompeii analyze finds it. A thread with much \
            of it has less to do than the others.",
        remedy: "Give this thread a part of the work of the threads that are late: delay_omp names \
            their call paths.",
        example: "Thread 1 waits 2 s for a lock of thread 2, and is therefore late at a barrier, \
            where thread 0 waits 2 s. The 2 s of thread 0 are terminal.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  ===|....................|===      waits at the barrier
thread 1  ===|----------|=========|===      had waited for the lock
thread 2  ==|===========|====|....|===      waits at the barrier";
