//! Entering and leaving ordered constructs. The body is the user's work.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};
use crate::profile::Class;

/// Ordered.
pub const PROPERTY: Property = Property {
    name: "omp_ordered",
    title: "Ordered",
    parent: Some("omp_synchronization"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::Ordered, call)),
    gain: gains::NEXT_BARRIER,
    doc: Doc {
        measures: "Time at the entry and exit of ordered constructs, and in `ordered` directives \
            with depend or doacross.",
        formula: "own time of call paths to regions of the kind `ordered` (the body, `ordered \
            sblock`, is computation).",
        cost: "Only one iteration at a time can be in an ordered construct, in the order of the \
            loop.",
        recognise: "The part omp_ordered_wait is waiting for the iteration's turn. If it is as \
            large as the time of all bodies together, the loop is nearly serial.",
        remedy: "Make the ordered body shorter and move it to the end of the iteration; use small \
            chunks, schedule(static, 1) or dynamic, so that the turns alternate between threads.",
        example: "schedule(static) with an ordered body: thread 1 waits until thread 0 has \
            finished all its iterations.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn the_body_is_not_contained() {
        check(
            "omp_ordered",
            "wall=30 locations=1
             a/ordered@a.c:5  0  time=5 omp_ordered_wait=3
             a/ordered@a.c:5/ordered sblock@a.c:5  0  time=20
             a/ordered@a.c:8                       0  time=5 omp_ordered_wait=5",
            expect![[r#"
                a/ordered  [5]
                a/ordered  [5]
                total 10
            "#]],
        );
    }
}
