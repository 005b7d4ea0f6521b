//! Waiting of threads because others had waited.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Indirect waiting of threads.
pub const PROPERTY: Property = Property {
    name: "omp_wait_indirect",
    title: "Indirect waiting of threads",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Waiting of threads because the thread that was waited for had waited itself. \
            omp_wait_direct and omp_wait_indirect together are all waiting that delay_omp divides \
            among its causes.",
        formula: "for each wait: its time is divided in proportion to what the thread that was \
            waited for did (see delay_omp), and to the waiting of that thread. The share of its \
            waiting is indirect.",
        cost: "A thread that waits is late for the next one. So one delay can make many threads \
            wait, one after the other.",
        recognise: "Only a trace has this property: pompeii analyze finds it. A large value means \
            that the waiting is far from its cause. delay_omp has it at the call paths that caused \
            it.",
        remedy: "Do not change the code at this place, but the call path at the begin of the \
            chain: delay_omp names it.",
        example: "Thread 1 waits 2 s for a lock of thread 2, and is therefore late at a barrier, \
            where thread 0 waits 2 s. The 2 s of thread 0 are indirect.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  ===|....................|===      waits at the barrier
thread 1  ===|----------|=========|===      had waited for the lock
thread 2  ==|===========|====|----|===      had the lock";
