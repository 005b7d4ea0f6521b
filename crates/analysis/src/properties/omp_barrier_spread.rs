//! How much the arrivals of a thread at barriers vary: what tells a thread that is always late from
//! one that was late by chance.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Squares of arrivals at barriers.
pub const PROPERTY: Property = Property {
    name: "omp_barrier_spread",
    title: "Squares of arrivals at barriers",
    parent: None,
    unit: Unit::Count,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "How far the arrivals of a thread at barriers are from the mean arrivals of its \
            team: the sum of the squares, in units of (10 us)^2.",
        formula: "for each barrier of a team without tasks and each thread: (arrival - mean \
            arrival of the team)^2. With the mean waiting of the team minus the waiting of the \
            thread, which is the sum of arrival - mean arrival, this gives the standard deviation \
            of a thread's delay.",
        cost: "It costs no time. It tells whether a thread is late in each visit or by chance.",
        recognise: "A thread is called late if its mean delay is so large, compared with its \
            standard deviation, that chance would make it so in less than 0.1 % of programs (t \
            test, from 20 visits on).",
        remedy: "See the waiting at the barrier.",
        example: "Thread 0 arrives 50 us after the mean in each of 100 visits: 2,500. Its \
            delays do not vary, so it has more work than the others.",
    },
};
