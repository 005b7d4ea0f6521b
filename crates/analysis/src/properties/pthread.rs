//! Functions of POSIX threads, which threads of C++ use, too: a family of properties, each of which
//! has the time of other functions (`model::PthreadClass`). Measured with `run --pthreads`. To add
//! one: its row here, and its line in `catalogue.rs`.

use pompeii_model::{PthreadClass, Unit};

use super::{Compute, Doc, Property, gains};
use crate::profile::Class;

const fn property(
    (name, title, parent): (&'static str, &'static str, Option<&'static str>),
    compute: Compute,
    doc: Doc,
) -> Property {
    Property { name, title, parent, unit: Unit::Ticks, compute, gain: "", doc }
}

/// All of them.
pub const PROPERTY: Property = property(
    ("pthread_time", "POSIX threads", Some("execution")),
    Compute::Parts,
    Doc {
        measures: "Time in functions of POSIX threads: creating threads, and waiting for each other \
            (pthread_mutex_lock, pthread_cond_wait, pthread_join and others). Measured with \
            `run --pthreads`.",
        formula: "pthread_management + pthread_synchronization.",
        cost: "The thread does not compute meanwhile.",
        recognise: "The parts of this property show the cause of a large share.",
        remedy: "Continue with the largest part.",
        example: "A thread waits in pthread_join for 4 s until the three others have ended: 4 s.",
    },
);

/// Creating threads.
pub const MANAGEMENT: Property = property(
    ("pthread_management", "Thread management", Some("pthread_time")),
    Compute::Row(|profile, call| {
        profile.class_time(Class::Pthread(PthreadClass::Management), call)
    }),
    Doc {
        measures: "Time in which threads were created (pthread_create).",
        formula: "own time of call paths of these functions.",
        cost: "To create a thread takes some 20 us, and the new thread begins later by that.",
        recognise: "Compare the number of visits with the number of processors: threads that are \
            created again and again have little work each.",
        remedy: "Keep the threads, and give them new work (a pool of threads).",
        example: "A server creates a thread for each of 10,000 requests: 0.2 s.",
    },
);

/// Waiting for other threads.
pub const SYNCHRONIZATION: Property = property(
    ("pthread_synchronization", "Thread synchronization", Some("pthread_time")),
    Compute::Parts,
    Doc {
        measures: "Time in functions by which threads wait for each other.",
        formula: "pthread_lock_api + pthread_conditional + pthread_join + pthread_barrier.",
        cost: "A waiting thread does not compute.",
        recognise: "Waiting in pthread_conditional and pthread_join is often waiting for work, and \
            no loss if there is none.",
        remedy: "Continue with the largest part.",
        example: "Three of four threads wait for the mutex of one queue.",
    },
);

/// Mutexes.
pub const LOCK_API: Property = Property {
    gain: gains::NEXT_BARRIER,
    ..property(
        ("pthread_lock_api", "Mutexes", Some("pthread_synchronization")),
        Compute::Row(|profile, call| profile.class_time(Class::Pthread(PthreadClass::Lock), call)),
        Doc {
            measures: "Time in which a thread waited in functions of mutexes and of locks for \
                readers and writers. std::mutex and the like use these functions.",
            formula: "own time of call paths of these functions. Calls that find the mutex free are \
                counted only; their time is that of the code around.",
            cost: "Threads wait for each other.",
            recognise: "The part pthread_lock_contention_mutex_lock is waiting for the thread that \
                has the mutex.",
            remedy: "Hold mutexes for a shorter time; use one mutex per object, or atomic \
                operations.",
            example: "One mutex for a whole hash table: with one mutex per bucket, threads can work \
                at the same time.",
        },
    )
};

/// Waiting for conditions.
pub const CONDITIONAL: Property = Property {
    gain: "not known: whether there was work for the threads that waited cannot be measured.",
    ..property(
        ("pthread_conditional", "Conditions", Some("pthread_synchronization")),
        Compute::Row(|profile, call| {
            profile.class_time(Class::Pthread(PthreadClass::Condition), call)
        }),
        Doc {
            measures: "Time in functions of conditions and semaphores (pthread_cond_wait, sem_wait \
                and others). std::condition_variable uses these functions.",
            formula: "own time of call paths of these functions. A call has waited for the thread \
                that signaled the condition, or posted the semaphore, last before it returned.",
            cost: "The thread does nothing until another thread signals the condition.",
            recognise: "The finding names the thread that signals, and what this thread does. A \
                thread that waits for work has a large value, and that is no loss if there is no \
                work: then the thread that signals waits itself.",
            remedy: "Let the threads that signal do so earlier, or give the waiting ones other \
                work.",
            example: "Three threads take work from a queue that one thread fills: they wait for \
                70 % of the run.",
        },
    )
};

/// Waiting for the ends of threads.
pub const JOIN: Property = Property {
    gain: "if the threads that are waited for begin with the same function: longest work of a thread \
        - mean of them, because they end at the same time if they have the same work. Otherwise it \
        is not known.",
    ..property(
        ("pthread_join", "Waiting for ends of threads", Some("pthread_synchronization")),
        Compute::Row(|profile, call| profile.class_time(Class::Pthread(PthreadClass::Join), call)),
        Doc {
            measures: "Time in pthread_join and its variants. std::thread::join uses it.",
            formula: "own time of call paths of these functions.",
            cost: "The thread does nothing until the other one has ended.",
            recognise: "The thread that has created the others often waits here for the whole run. \
                The finding names the thread that works longest, and its work.",
            remedy: "Give all threads the same work. Let the thread that waits do a part of it.",
            example: "main creates one thread per processor, and waits for their ends.",
        },
    )
};

/// Waiting at barriers.
pub const BARRIER: Property = Property {
    gain: gains::LATE_THREADS,
    ..property(
        ("pthread_barrier", "Barriers of threads", Some("pthread_synchronization")),
        Compute::Row(|profile, call| {
            profile.class_time(Class::Pthread(PthreadClass::Barrier), call)
        }),
        Doc {
            measures: "Time in pthread_barrier_wait.",
            formula: "own time of call paths of this function.",
            cost: "All threads wait for the last one.",
            recognise: "The thread with the smallest value arrives last. The finding names the \
                thread that was waited for.",
            remedy: "Give all threads the same work before the barrier.",
            example: "One of four threads has 20 % more work: the others wait for it in each step.",
        },
    )
};

/// Time for which mutexes, and locks for readers and writers, were held: they have no region around
/// the code that they protect.
pub const LOCK_HELD: Property = property(
    ("pthread_lock_held", "Mutex held", None),
    Compute::Measured,
    Doc {
        measures: "Time for which a thread had mutexes, or locks for readers and writers, that it \
            locked in this call path.",
        formula: "for each call that acquires a mutex: from its return to the call of \
            pthread_mutex_unlock, or until the thread waits for a condition. The same for \
            pthread_rwlock_unlock: several readers may have a lock at the same time.",
        cost: "It costs no time by itself. Other threads that need the mutex wait meanwhile.",
        recognise: "Of the call paths that use the same mutex, the one with the largest value makes \
            the others wait, although it may not wait itself.",
        remedy: "See the waiting for the mutex.",
        example: "refill() has the mutex for 6 ms, and take() for 1 us. Threads wait in take(), but \
            refill() is to be changed.",
    },
);

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    const RUN: &str = "wall=60 locations=2
         a                              0  time=10
         a/pthread_create@a.c:4         0  time=3 visits=1
         a/pthread_join@a.c:9           0  time=47 visits=1
         a/work                         1  time=20
         a/work/pthread_mutex_lock@a.c:20  1  time=6 visits=9 pthread_lock_contention_mutex_lock=5
         a/work/pthread_cond_wait@a.c:22   1  time=8 visits=2
         a/work/pthread_barrier_wait       1  time=4 visits=2";

    #[test]
    fn each_function_has_one_place() {
        let total = |name: &str, expected: i64| {
            let cube = crate::derive(&crate::notation::cube(RUN).unwrap());
            crate::check_sum(&cube).unwrap();
            assert_eq!(cube.total(cube.metric(name).unwrap()), expected, "{name}");
        };
        total("pthread_time", 68);
        total("pthread_management", 3);
        total("pthread_synchronization", 65);
        total("pthread_lock_api", 6);
        total("pthread_lock_contention_mutex_lock", 5);
        total("pthread_conditional", 8);
        total("pthread_join", 47);
        total("pthread_barrier", 4);
        total("omp_time", 0);
        total("comp", 30);
    }

    #[test]
    fn joins_are_placed_at_their_callers() {
        check(
            "pthread_join",
            RUN,
            expect![[r#"
                a/pthread_join  [47, 0]
                total 47
            "#]],
        );
    }
}
