//! Flush directives, where they are timed.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};
use crate::profile::Class;

/// Flush.
pub const PROPERTY: Property = Property {
    name: "omp_flush",
    title: "Flush",
    parent: Some("omp_time"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::Flush, call)),
    gain: gains::DELAYING_THREAD,
    doc: Doc {
        measures: "Time in flush directives compiled with `--pomp-enable=flush`. By default they \
            are only counted.",
        formula: "own time of call paths to regions of the kind `flush`.",
        cost: "A flush waits until all earlier writes of the core are visible, and the variable's \
            cache line moves between the cores that flush it.",
        recognise: "There are many visits of flush, each of tens of nanoseconds or more.",
        remedy: "Use atomic read and write with acquire or release, a barrier, or a task \
            dependence instead of flags with flush.",
        example: "A thread waits in a loop for a flag, with a flush in each iteration: 2 million \
            flushes, which also slow down the thread that sets the flag.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn timed_ones_have_time() {
        check(
            "omp_flush",
            "wall=5 locations=1
             a/flush@a.c:5  0  time=5 visits=9
             a/flush@a.c:8  0  visits=100",
            expect![[r#"
                a/flush  [5]
                total 5
            "#]],
        );
    }
}
