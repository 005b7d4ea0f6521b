//! How often processes communicated.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Communications.
pub const PROPERTY: Property = Property {
    name: "comms",
    title: "Communications",
    parent: None,
    unit: Unit::Count,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Number of messages and of visits of functions for collective and one-sided \
            communication.",
        formula: "comms_p2p + comms_coll + comms_rma.",
        cost: "This is a number and not a time. Each communication costs some microseconds, \
            however small it is.",
        recognise: "Compare it with the time of the same call path in mpi_communication: much \
            time for little data is waiting.",
        remedy: "Send only the data needed, in fewer and larger messages.",
        example: "100 steps, each with two messages sent, two received, and one MPI_Allreduce: \
            500.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn messages_and_visits_count() {
        check(
            "comms",
            "wall=100 locations=2 processes=2
             a              *  time=60
             a/MPI_Send     0  time=40 visits=2 comms_send=2
             a/MPI_Recv     1  time=40 visits=2 comms_recv=2
             a/MPI_Bcast    *  time=0 visits=1
             a/MPI_Put      0  time=0 visits=3",
            expect![[r#"
                a/MPI_Send  [2, 0]
                a/MPI_Recv  [0, 2]
                a/MPI_Bcast  [1, 1]
                a/MPI_Put  [3, 0]
                total 9
            "#]],
        );
    }
}
