//! The part of idle time inside parallel regions: the team has fewer threads than the process.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Limited parallelism.
pub const PROPERTY: Property = Property {
    name: "omp_limited_parallelism",
    title: "Limited parallelism",
    parent: Some("omp_idle_threads"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.limited(call)),
    gain: "idle time in the region / number of threads: the run would be shorter by this if the \
        work of the region were spread over all threads.",
    doc: Doc {
        measures: "Time during which a thread takes no part in a parallel region, while other \
            threads of the process execute it.",
        formula: "for each outermost parallel region p and thread t: time of the master in p - \
            presence of t in p. Time between nested regions counts for the threads of inner \
            teams.",
        cost: "The region could use more threads.",
        recognise: "Look for the reason: num_threads(), an if clause that is false, a nested \
            region executed by one thread, or OMP_DYNAMIC.",
        remedy: "Raise or remove num_threads; check the if clause; use collapse for short outer \
            loops instead of nesting.",
        example: "`parallel num_threads(2)` takes 3 s in a program with 8 threads: 6 x 3 s = 18 s.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  == serial ==|== parallel ==|== serial ==
thread 1              |==============|
thread 2              |..............|             not in the team";

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn a_smaller_team_leaves_threads_idle() {
        check(
            "omp_limited_parallelism",
            "wall=100 locations=3
             a                               0    time=20
             a/parallel@a.c:2                0-1  time=50
             a/parallel@a.c:5                0    time=30
             a/parallel@a.c:5                1    time=5
             a/parallel@a.c:5/task@a.c:7     1    task_time=25
             TASKS/task@a.c:7                1    time=25",
            expect![[r#"
                a/parallel  [0, 0, 50]
                a/parallel  [0, 0, 30]
                total 80
            "#]],
        );
    }
}
