//! The OpenMP lock routines.

use pompeii_model::Unit;

use crate::profile::Class;
use super::{Compute, Doc, Property, gains};

/// Lock routines.
pub const PROPERTY: Property = Property {
    name: "omp_lock_api",
    title: "Lock routines",
    parent: Some("omp_synchronization"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| {
        profile.class_time(Class::LockApi, call)
    }),
    gain: gains::DELAYING_THREAD,
    doc: Doc {
        measures: "Time in omp_set_lock, omp_unset_lock, omp_test_lock, their nest variants, and \
            in init and destroy.",
        formula: "own time of call paths of these routines.",
        cost: "As for critical sections: waiting, and the cost of the lock itself.",
        recognise: "Its part omp_lock_contention_api is waiting for the holder.",
        remedy: "Hold locks for shorter; use one lock per object, or atomic.",
        example: "One lock for a whole hash table: one per bucket lets threads work side by side.",
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
