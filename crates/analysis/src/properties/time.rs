//! CPU allocation time: the root of the time tree. It contains idle time, because a thread that has
//! nothing to do still occupies its core, and because only then every percentage in the report is a
//! share of the same whole.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Time.
pub const PROPERTY: Property = Property {
    name: "time",
    title: "Time",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| {
        profile.time(call).plus(&profile.idle(call)).plus(&profile.absent(call))
    }),
    gain: "",
    doc: Doc {
        measures: "CPU allocation time: wall time x number of threads, regardless of whether the \
            threads worked, waited or had nothing to do.",
        formula: "measured time of the call path on the location (tasks in their own tree only) + \
            idle time of the location at this call path (omp_idle_threads) + time of the run in \
            which the process did not exist (process_absent). The total equals wall time x \
            locations, in clock ticks.",
        cost: "This is the total cost of the run; all other times are parts of it.",
        recognise: "All percentages of the report refer to this total.",
        remedy: "Look for the largest part except computation.",
        example: "4.82 s on 8 threads: 38.6 s of CPU allocation.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn idle_time_of_a_worker_lies_at_the_masters_call_path() {
        check(
            "time",
            "wall=100 locations=2
             a                   0    time=40
             a/parallel@a.c:2    *    time=60",
            expect![[r#"
                a  [40, 40]
                a/parallel  [60, 60]
                total 200
            "#]],
        );
    }
}
