//! Waiting for the thread that has a mutex, or a lock for readers and writers.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};

/// Mutex contention.
pub const PROPERTY: Property = Property {
    name: "pthread_lock_contention_mutex_lock",
    title: "Mutex contention",
    parent: Some("pthread_lock_api"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: gains::NEXT_BARRIER,
    doc: Doc {
        measures: "Time in pthread_mutex_lock, pthread_rwlock_wrlock and their variants while \
            another thread had the mutex or the lock.",
        formula: "for each call: the part of the call during which another thread had the mutex, \
            at least 0. A writer has waited for the last of several readers. From a trace, only \
            mutexes count.",
        cost: "Threads wait in a queue for one object.",
        recognise: "The call path shows where the mutex is locked.",
        remedy: "Use several mutexes for independent parts of the data; hold them for a shorter \
            time; use atomic operations.",
        example: "All threads insert into one list with one mutex: give each thread its own list, \
            and join them at the end.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  ===|== has mutex =|=============
thread 1  =======|..........|== has mutex =|===
                 ^          ^ thread 0: pthread_mutex_unlock
                 thread 1: pthread_mutex_lock";
