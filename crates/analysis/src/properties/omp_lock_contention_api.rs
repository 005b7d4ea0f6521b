//! Waiting in a lock routine for the thread that holds the lock.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};

/// Lock contention.
pub const PROPERTY: Property = Property {
    name: "omp_lock_contention_api",
    title: "Lock contention",
    parent: Some("omp_lock_api"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: gains::DELAYING_THREAD,
    doc: Doc {
        measures: "Time in omp_set_lock (or its nest variant) while another thread held the lock.",
        formula: "per call: the part of the call in which another thread held the lock, not below \
            0.",
        cost: "Threads queue up for one object.",
        recognise: "The call path tells where the lock is asked for.",
        remedy: "Several locks for independent parts of the data; shorter holding; atomic \
            operations.",
        example: "Threads insert into one shared list under one lock: a list per thread, joined at \
            the end.",
    },
};
