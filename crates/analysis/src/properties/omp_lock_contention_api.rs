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
    gain: gains::NEXT_BARRIER,
    doc: Doc {
        measures: "Time in omp_set_lock (or its nested variant) while another thread held the \
            lock.",
        formula: "for each call: the part of the call during which another thread held the lock, \
            at least 0.",
        cost: "Threads wait in a queue for one object.",
        recognise: "The call path shows where the lock is set.",
        remedy: "Use several locks for independent parts of the data; hold them for a shorter \
            time; use atomic operations.",
        example: "All threads insert into one list with one lock: give each thread its own list, \
            and join them at the end.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  ===|== has lock ==|=============
thread 1  =======|..........|== has lock ==|===
                 ^          ^ thread 0: omp_unset_lock
                 thread 1: omp_set_lock";
