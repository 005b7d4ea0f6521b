//! MPI_Barrier and MPI_Ibarrier.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};
use crate::profile::Class;

/// MPI barriers.
pub const PROPERTY: Property = Property {
    name: "mpi_sync_collective",
    title: "MPI barriers",
    parent: Some("mpi_synchronization"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::MpiBarrier, call)),
    gain: gains::LATE_PROCESS,
    doc: Doc {
        measures: "Time in MPI barriers.",
        formula: "own time of call paths to regions of the kind `barrier` of MPI.",
        cost: "All processes wait until the last one has arrived.",
        recognise: "The process with the least time here arrives last.",
        remedy: "Balance the work before the barrier. Remove barriers the program does not need: \
            many only serve time measurement.",
        example: "Three processes wait 0.8 s for the fourth: 2.4 s.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn barriers_of_openmp_are_others() {
        check(
            "mpi_sync_collective",
            "wall=100 locations=2 processes=2
             a                  0  time=20
             a                  1  time=90
             a/MPI_Barrier      0  time=80 mpi_barrier_wait=70
             a/MPI_Barrier      1  time=10
             a/parallel@a.c:2/barrier@a.c:4  0  time=0",
            expect![[r#"
                a/MPI_Barrier  [80, 10]
                total 90
            "#]],
        );
    }
}
