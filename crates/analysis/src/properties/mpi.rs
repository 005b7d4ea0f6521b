//! All time in functions of MPI: communication, synchronisation, files, and what manages them.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// MPI.
pub const PROPERTY: Property = Property {
    name: "mpi",
    title: "MPI",
    parent: Some("execution"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.mpi(call)),
    gain: "",
    doc: Doc {
        measures: "Time in MPI functions.",
        formula: "own time of call paths whose region is an MPI function.",
        cost: "The thread does not compute meanwhile. If it is the master outside of parallel \
            regions, the other threads of its process are idle too (omp_idle_threads).",
        recognise: "The parts say in which kind of MPI function the time is: mostly \
            mpi_communication or mpi_synchronization.",
        remedy: "Continue with the largest part.",
        example: "4 processes of 2 threads; each master spends 1 s in MPI: 4 s in mpi, and 4 s in \
            omp_idle_threads.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn all_functions_of_mpi_count() {
        check(
            "mpi",
            "wall=100 locations=2
             a                 0  time=10
             a/MPI_Init        0  time=20
             a/MPI_Send        0  time=30
             a/MPI_Comm_rank   0  time=1
             a/parallel@a.c:2  *  time=39",
            expect![[r#"
                a/MPI_Init  [20, 0]
                a/MPI_Send  [30, 0]
                a/MPI_Comm_rank  [1, 0]
                total 51
            "#]],
        );
    }
}
