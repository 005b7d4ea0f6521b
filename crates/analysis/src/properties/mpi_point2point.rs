//! Messages between two processes, and waiting for them.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};
use crate::profile::Class;

/// Point to point.
pub const PROPERTY: Property = Property {
    name: "mpi_point2point",
    title: "Point-to-point communication",
    parent: Some("mpi_communication"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::PointToPoint, call)),
    gain: "mean over the processes of (time of the process - smallest time of any process).",
    doc: Doc {
        measures: "Time in sends, receives and probes, and in functions that wait for requests or \
            test them.",
        formula: "own time of call paths to regions of the kind `point2point`, and of MPI_Wait* \
            and MPI_Test*.",
        cost: "A receive waits until its message has been sent; a send may wait for the receive.",
        recognise: "Much time with few bytes means waiting for a late partner.",
        remedy: "Balance the work; send earlier; call MPI_Irecv before computing and wait after \
            it.",
        example: "Rank 1 waits 0.5 s in MPI_Recv for rank 0, which is still computing.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn waiting_for_requests_belongs_to_it() {
        check(
            "mpi_point2point",
            "wall=100 locations=2 processes=2
             a              0  time=40
             a              1  time=60
             a/MPI_Send     0  time=30
             a/MPI_Waitall  0  time=30
             a/MPI_Recv     1  time=40 mpi_latesender=25
             a/MPI_Bcast    0  time=0",
            expect![[r#"
                a/MPI_Send  [30, 0]
                a/MPI_Waitall  [30, 0]
                a/MPI_Recv  [0, 40]
                total 100
            "#]],
        );
    }
}
