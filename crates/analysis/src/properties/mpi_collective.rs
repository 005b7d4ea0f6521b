//! Collective communication: data among all processes of a communicator.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};
use crate::profile::Class;

/// Collective communication.
pub const PROPERTY: Property = Property {
    name: "mpi_collective",
    title: "Collective communication",
    parent: Some("mpi_communication"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::MpiCollective, call)),
    gain: gains::LATE_PROCESS,
    doc: Doc {
        measures: "Time in collective functions that move data, including the time of waiting for \
            other processes.",
        formula: "own time of call paths to regions of the kinds `one2all`, `all2one`, `all2all`, \
            `other collective`.",
        cost: "Most of these functions cannot finish in any process before the last process has \
            called them.",
        recognise: "The process with the least time here comes last, and the others wait for it.",
        remedy: "Balance the work before the call; combine small operations; use non-blocking \
            ones (MPI_Iallreduce) with work between begin and wait.",
        example: "MPI_Allreduce of 8 bytes takes 1 s on three processes and 10 us on the fourth: \
            the fourth is late.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn all_roles_count() {
        check(
            "mpi_collective",
            "wall=100 locations=2 processes=2
             a                0  time=40
             a                1  time=70
             a/MPI_Allreduce  0  time=50 mpi_wait_nxn=45
             a/MPI_Allreduce  1  time=10
             a/MPI_Reduce     0  time=10
             a/MPI_Bcast      1  time=20 mpi_latebroadcast=18",
            expect![[r#"
                a/MPI_Allreduce  [50, 10]
                a/MPI_Reduce  [10, 0]
                a/MPI_Bcast  [0, 20]
                total 90
            "#]],
        );
    }
}
