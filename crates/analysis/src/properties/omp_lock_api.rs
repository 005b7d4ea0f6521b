//! The OpenMP lock routines.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};
use crate::profile::Class;

/// Lock routines.
pub const PROPERTY: Property = Property {
    name: "omp_lock_api",
    title: "Lock routines",
    parent: Some("omp_synchronization"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::LockApi, call)),
    gain: gains::NEXT_BARRIER,
    doc: Doc {
        measures: "Time in omp_set_lock, omp_unset_lock, omp_test_lock, their variants for nested \
            locks, and in the functions that initialise and destroy locks.",
        formula: "own time of call paths of these routines.",
        cost: "As with critical sections, threads wait for each other, and the lock itself has a \
            cost.",
        recognise: "The part omp_lock_contention_api is waiting for the thread that holds the \
            lock.",
        remedy: "Hold locks for a shorter time; use one lock per object, or atomic operations.",
        example: "One lock for a whole hash table: with one lock per bucket, threads can work at \
            the same time.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn lock_routines_are_known_by_name() {
        check(
            "omp_lock_api",
            "wall=9 locations=1
             a/omp_set_nest_lock    0  time=4 omp_lock_contention_api=1
             a/omp_get_num_threads  0  time=5",
            expect![[r#"
                a/omp_set_nest_lock  [4]
                total 4
            "#]],
        );
    }
}
