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
        measures: "Time in pthread_mutex_lock, pthread_rwlock_rdlock, pthread_rwlock_wrlock and \
            their variants while another thread had the mutex or the lock.",
        formula: "for each call: the part of the call during which another thread had the mutex, \
            at least 0. A writer has waited for the last of several readers, and a reader for the \
            last writer.",
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

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::trace::check;

    #[test]
    fn readers_and_writers_wait_for_each_other() {
        // Thread 1 waits from 4 to 10 for thread 0, which reads; then thread 0 from 14 to 20 for
        // thread 1, which writes.
        check(
            "pthread_lock_contention_mutex_lock",
            "end 40
             0 0.0 program; + pthread_rwlock_rdlock; acquire 1 1; -; + f
             2 0.1 + f
             4 0.1 + pthread_rwlock_wrlock
             10 0.0 -; + pthread_rwlock_unlock; release 1 1; -
             12 0.1 acquire 1 2; -
             14 0.0 + pthread_rwlock_rdlock
             20 0.1 + pthread_rwlock_unlock; release 1 2; -; -
             22 0.0 acquire 1 3; -
             30 0.0 + pthread_rwlock_unlock; release 1 3; -
             40 0.0 exit",
            expect![[r#"
                program/pthread_rwlock_rdlock  [6, 0]
                program/f/pthread_rwlock_wrlock  [0, 6]
                all: 2 of 6 to 6, sum 12, quartiles [6, 6, 6], variance 0
                program/pthread_rwlock_rdlock: 1 of 6 to 6, sum 6, quartiles [6, 6, 6], variance 0
                  6 on 0 from 14 to 22 by Some(("program/f/pthread_rwlock_wrlock", 1))
                program/f/pthread_rwlock_wrlock: 1 of 6 to 6, sum 6, quartiles [6, 6, 6], variance 0
                  6 on 1 from 4 to 12 by Some(("program/pthread_rwlock_rdlock", 0))
            "#]],
        );
    }
}
