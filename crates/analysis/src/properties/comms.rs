//! How often processes communicated: a family of properties, which differ in the communication that
//! they count. To add one: its row here, and its line in `catalogue.rs`.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};
use crate::profile::Class;

/// What a member of the family says of itself.
struct Row {
    name: &'static str,
    title: &'static str,
    parent: Option<&'static str>,
    compute: Compute,
    measures: &'static str,
    formula: &'static str,
    example: &'static str,
}

const fn property(row: Row) -> Property {
    let Row { name, title, parent, compute, measures, formula, example } = row;
    let doc = Doc {
        measures,
        formula,
        cost: "This is a number and not a time. Each communication costs some microseconds, \
            however small it is.",
        recognise: "Compare it with the time of the same call path in mpi_communication: much time \
            for little data is waiting.",
        remedy: "Send only the data needed, in fewer and larger messages.",
        example,
    };
    Property { name, title, parent, unit: Unit::Count, compute, gain: "", doc }
}

/// How often processes communicated.
pub const PROPERTY: Property = property(Row {
    name: "comms",
    title: "Communications",
    parent: None,
    compute: Compute::Parts,
    measures: "Number of messages and of visits of functions for collective and one-sided \
        communication.",
    formula: "comms_p2p + comms_coll + comms_rma.",
    example: "100 steps, each with two messages sent, two received, and one MPI_Allreduce: 500.",
});

/// Messages between two processes.
pub const P2P: Property = property(Row {
    name: "comms_p2p",
    title: "Messages",
    parent: Some("comms"),
    compute: Compute::Parts,
    measures: "Number of messages between two processes, counted at both ends.",
    formula: "comms_send + comms_recv.",
    example: "One message: 1 in the sender and 1 in the receiver.",
});

/// Messages that were sent.
pub const SEND: Property = property(Row {
    name: "comms_send",
    title: "Messages sent",
    parent: Some("comms_p2p"),
    compute: Compute::Measured,
    measures: "Number of messages sent by the process.",
    formula: "+1 for each send that was begun.",
    example: "MPI_Sendrecv: 1 sent and 1 received.",
});

/// Messages that were received.
pub const RECV: Property = property(Row {
    name: "comms_recv",
    title: "Messages received",
    parent: Some("comms_p2p"),
    compute: Compute::Measured,
    measures: "Number of messages received by the process.",
    formula: "+1 for each completed receive.",
    example: "MPI_Irecv and MPI_Wait: 1, at MPI_Wait.",
});

/// How often collective communication took place.
pub const COLL: Property = property(Row {
    name: "comms_coll",
    title: "Collective communications",
    parent: Some("comms"),
    compute: Compute::Row(|profile, call| profile.visits_of(Class::MpiCollective, call)),
    measures: "Number of visits of functions for collective communication, in each process.",
    formula: "visits of the call paths of mpi_collective.",
    example: "MPI_Allreduce in 100 steps on 4 processes: 400.",
});

/// How often one-sided communication took place.
pub const RMA: Property = property(Row {
    name: "comms_rma",
    title: "One-sided communications",
    parent: Some("comms"),
    compute: Compute::Row(|profile, call| profile.visits_of(Class::OneSided, call)),
    measures: "Number of visits of functions for one-sided communication.",
    formula: "visits of the call paths of mpi_rma_communication.",
    example: "MPI_Put for each of 100 rows: 100.",
});

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
