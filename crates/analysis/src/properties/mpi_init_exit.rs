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
    compute: Compute::Row(|profile, call| profile.class_time(Class::MpiInitExit, call)),
    gain: "for MPI_Finalize, if the processes differ much: mean over the processes of (time of the \
        process - smallest time of any process).",
    doc: Doc {
        measures: "Time in MPI_Init, MPI_Init_thread, MPI_Finalize, and in functions that ask \
            whether these were called.",
        formula: "own time of call paths of these functions.",
        cost: "All processes wait there for the slowest. A process that calls MPI_Finalize early \
            waits for the others.",
        recognise: "The time matters in a run of seconds, but not in a run of hours. Check \
            whether the processes differ.",
        remedy: "MPI_Init cannot be improved in the program. For MPI_Finalize, give more work to \
            the processes that finish early.",
        example: "Rank 3 has finished its part 2 s before the others: it spends 2 s in \
            MPI_Finalize.",
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
