//! Entering and leaving critical sections, and atomic where it is timed. The body of a critical
//! section is the user's work.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};
use crate::profile::Class;

/// Critical and atomic.
pub const PROPERTY: Property = Property {
    name: "omp_critical",
    title: "Critical and atomic",
    parent: Some("omp_synchronization"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::Critical, call)),
    gain: gains::NEXT_BARRIER,
    doc: Doc {
        measures: "Time at the entry and exit of critical sections, and in atomic constructs.",
        formula: "own time of call paths to regions of the kinds `critical` and `atomic` (the \
            body, `critical sblock`, is computation).",
        cost: "Only one thread at a time can be inside, so the others wait. Even without waiting, \
            an entry costs tens of nanoseconds.",
        recognise: "The part omp_lock_contention_critical is waiting for another thread; the rest \
            is the cost of the lock itself.",
        remedy: "Collect in private variables and enter once per thread; use reduction or atomic; \
            use critical sections of different names for independent data.",
        example: "`sum += f(i)` in a critical section: use reduction(+:sum) instead.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn the_body_is_not_contained() {
        check(
            "omp_critical",
            "wall=30 locations=1
             a/critical (sum)@a.c:5  0  time=5 omp_lock_contention_critical=3
             a/critical (sum)@a.c:5/critical sblock (sum)@a.c:5  0  time=20
             a/atomic@a.c:8                                      0  time=5",
            expect![[r#"
                a/critical (sum)  [5]
                a/atomic  [5]
                total 10
            "#]],
        );
    }
}
