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
        measures: "Time that threads spent in functions of MPI.",
        formula: "own time of call paths whose region is a function of MPI.",
        cost: "The thread does not compute meanwhile, and where it is the master outside of \
            parallel regions, the other threads of its process have nothing to do either \
            (omp_idle_threads).",
        recognise: "The parts say what it is: mostly mpi_communication or mpi_synchronization.",
        remedy: "Go on with the largest part.",
        example: "4 ranks with 2 threads, 1 s each in MPI on the masters: 4 s here and 4 s of \
            idle threads.",
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
