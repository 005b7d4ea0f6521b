//! MPI_Init, MPI_Finalize and what asks for them.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};
use crate::profile::Class;

/// Begin and end.
pub const PROPERTY: Property = Property {
    name: "mpi_init_exit",
    title: "MPI begin and end",
    parent: Some("mpi_management"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| {
        profile.class_time(Class::MpiInitExit, call)
    }),
    gain: "for MPI_Finalize, where processes differ much: the average over the processes of what is \
        above the least of them.",
    doc: Doc {
        measures: "Time in MPI_Init, MPI_Init_thread, MPI_Finalize, and in what asks whether \
            these were called.",
        formula: "own time of call paths of these functions.",
        cost: "All processes wait there until the slowest has come; a process that calls \
            MPI_Finalize early waits for the others.",
        recognise: "In a run of seconds it is much, in one of hours nothing. Look whether the \
            processes differ.",
        remedy: "Nothing for MPI_Init; for MPI_Finalize, give the early processes more of the \
            work.",
        example: "Rank 3 has finished its part 2 s before the others: 2 s in MPI_Finalize.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn begin_and_end_are_known_by_name() {
        check(
            "mpi_init_exit",
            "wall=100 locations=1
             a                        0  time=70
             a/MPI_Init_thread        0  time=20
             a/MPI_Finalize           0  time=9
             a/MPI_Comm_dup           0  time=1",
            expect![[r#"
                a/MPI_Init_thread  [20]
                a/MPI_Finalize  [9]
                total 29
            "#]],
        );
    }
}
