//! Functions of POSIX threads by their names. To add one: its line here.

use crate::region::{Paradigm, Region};

/// What a function of POSIX threads is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PthreadClass {
    /// Mutexes, and locks for readers and writers.
    Lock,
    /// Conditions and semaphores.
    Condition,
    /// Waiting for the end of a thread.
    Join,
    /// Barriers.
    Barrier,
    /// Creating threads.
    Management,
}

impl Region {
    /// What a function of POSIX threads is for; `None` for any other region.
    pub fn pthread_class(&self) -> Option<PthreadClass> {
        let begins = |start: &str| self.name.starts_with(start);
        match () {
            () if self.paradigm != Paradigm::Pthread => None,
            () if begins("pthread_mutex_") || begins("pthread_rwlock_") => Some(PthreadClass::Lock),
            () if begins("pthread_cond_") || begins("sem_") => Some(PthreadClass::Condition),
            () if begins("pthread_barrier_") => Some(PthreadClass::Barrier),
            () if self.name.contains("join") => Some(PthreadClass::Join),
            () => Some(PthreadClass::Management),
        }
    }

    /// Whether it is a function that acquires a lock for reading: several threads can have it then.
    pub fn locks_for_reading(&self) -> bool {
        let is_of_lock = self.name.starts_with("pthread_rwlock_");
        self.paradigm == Paradigm::Pthread && is_of_lock && self.name.contains("rdlock")
    }

    /// Whether it is a function of POSIX threads that waits for another thread.
    pub fn waits_for_thread(&self) -> bool {
        let is_wait = ["lock", "wait", "join"].iter().any(|end| self.name.contains(end));
        let never = ["unlock", "trylock", "tryrdlock", "trywrlock"]
            .iter()
            .any(|end| self.name.ends_with(end));
        self.paradigm == Paradigm::Pthread && is_wait && !never
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(name: &str) -> Region {
        Region { paradigm: Paradigm::Pthread, ..Region::artificial(name) }
    }

    #[test]
    fn functions_are_known_by_name() {
        for (name, class, waits) in [
            ("pthread_mutex_lock", PthreadClass::Lock, true),
            ("pthread_mutex_clocklock", PthreadClass::Lock, true),
            ("pthread_mutex_trylock", PthreadClass::Lock, false),
            ("pthread_mutex_unlock", PthreadClass::Lock, false),
            ("pthread_rwlock_timedrdlock", PthreadClass::Lock, true),
            ("pthread_rwlock_tryrdlock", PthreadClass::Lock, false),
            ("pthread_rwlock_unlock", PthreadClass::Lock, false),
            ("pthread_cond_wait", PthreadClass::Condition, true),
            ("pthread_cond_timedwait", PthreadClass::Condition, true),
            ("pthread_cond_signal", PthreadClass::Condition, false),
            ("sem_wait", PthreadClass::Condition, true),
            ("sem_post", PthreadClass::Condition, false),
            ("pthread_join", PthreadClass::Join, true),
            ("pthread_timedjoin_np", PthreadClass::Join, true),
            ("pthread_barrier_wait", PthreadClass::Barrier, true),
            ("pthread_create", PthreadClass::Management, false),
        ] {
            let region = region(name);
            assert_eq!(
                (region.pthread_class(), region.waits_for_thread()),
                (Some(class), waits),
                "{name}"
            );
        }
        assert_eq!(Region::artificial("pthread_join").pthread_class(), None);
        let readers =
            ["", "try", "timed", "clock"].map(|kind| format!("pthread_rwlock_{kind}rdlock"));
        assert!(readers.iter().all(|name| region(name).locks_for_reading()), "{readers:?}");
        assert!(!region("pthread_rwlock_trywrlock").locks_for_reading());
        assert!(!Region::artificial("pthread_rwlock_rdlock").locks_for_reading());
        assert!(!Region::artificial("pthread_join").waits_for_thread());
    }
}
