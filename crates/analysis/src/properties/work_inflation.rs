//! Work that takes longer on several threads than on one.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Memory and sharing.
pub const PROPERTY: Property = Property {
    name: "work_inflation",
    title: "Work inflation",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Nothing,
    gain: "The inflation divided by the number of threads. If it is not known whether threads \
        divide the work or each does all of it, the two are the bounds, and the gain is in their \
        middle. With counters alone it is not known.",
    doc: Doc {
        measures: "By how much longer a construct computes on all threads together than the same \
            work takes on one thread.",
        formula: "Compared with a run on one thread: computing time with a CPU, summed over the \
            threads - computing time of the same call path in that run x ratio of the work. With \
            counters alone: computing time x (1 - instructions per cycle), if there are at least \
            10 cache misses per 1,000 instructions.",
        cost: "Threads wait for memory: its bandwidth is used up, the data lies at another \
            processor, or threads write different parts of the same cache line.",
        recognise: "The speedup is small although all threads compute all the time.",
        remedy: "Use data again while it is in the cache (blocks), let the thread that uses data \
            touch it first, pad data that different threads write, use a smaller data type.",
        example: "A loop takes 1.0 s on one thread, and 0.8 s on each of two: 1.6 s - 1.0 s = 0.6 \
            CPU s of inflation, and a gain of 0.3 s.",
    },
};
