//! Waiting of threads because of what others did.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Direct waiting of threads.
pub const PROPERTY: Property = Property {
    name: "omp_wait_direct",
    title: "Direct waiting of threads",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Waiting of threads because of the activities of the thread that was waited for, \
            and not because that thread had waited itself. omp_wait_direct and omp_wait_indirect \
            together are all waiting that delay_omp divides among its causes.",
        formula: "for each wait: its time is divided in proportion to what the thread that was \
            waited for did (see delay_omp), and to the waiting of that thread. The shares of what \
            it did are direct.",
        cost: "The cause of direct waiting is close: the thread that was waited for had more to \
            do, or had the lock.",
        recognise: "Only a trace has this property: pompeii analyze finds it. delay_omp has the \
            same waiting at the call paths that caused it.",
        remedy: "Balance the work between the threads, or make the time with the lock shorter. \
            delay_omp names the call paths.",
        example: "Thread 1 is in assemble for 2 s, thread 0 is not, and waits at the barrier for 2 \
            s. These 2 s are direct.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  === f ===|............|====      waits at the barrier
thread 1  ========== f =========|====      is longer in f";
