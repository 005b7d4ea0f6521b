//! Processes that begin later or end earlier than others of their job.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Absent processes.
pub const PROPERTY: Property = Property {
    name: "process_absent",
    title: "Process not running",
    parent: Some("time"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.absent(call)),
    gain: "",
    doc: Doc {
        measures: "Time of the run before a process has started and after it has ended, for each \
            of its threads. The run begins with the first process of an MPI job and ends with the \
            last.",
        formula: "wall time of the run - wall time of the process, at the root of the call tree.",
        cost: "The cores are reserved from the start of the first process to the end of the last \
            one.",
        recognise: "A few milliseconds for the launcher are normal. It is more if a process has \
            died, or has left MPI_Finalize long before the others.",
        remedy: "Look for a slow launcher, or for work done by one process after MPI_Finalize.",
        example: "Rank 3 of 4 has 2 threads and starts 0.2 s after the others: 0.4 s.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn all_threads_of_a_late_process_miss_the_same() {
        check(
            "process_absent",
            "wall=100 locations=4 processes=2 walls=100,80
             a                 0    time=40
             a                 2    time=20
             a/parallel@a.c:2  *    time=60",
            expect![[r#"
                a  [0, 0, 20, 20]
                total 40
            "#]],
        );
    }
}
