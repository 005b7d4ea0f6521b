//! All data that functions of MPI have moved.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Bytes.
pub const PROPERTY: Property = Property {
    name: "bytes",
    title: "Bytes transferred",
    parent: None,
    unit: Unit::Bytes,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Bytes transferred by MPI functions: sent, received, put, got, written or read \
            by the process.",
        formula: "bytes_p2p + bytes_coll + bytes_rma + bytes_file.",
        cost: "This is an amount of data and not a time. A large amount takes long to transfer.",
        recognise: "Compare it with the time of the same call path in mpi_communication: much \
            time for little data is waiting.",
        remedy: "Send only the data needed, in fewer and larger messages.",
        example: "A process sends 8 kB to each of two neighbours in 100 steps: 1.6 MB sent, and \
            1.6 MB received.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn both_ends_of_a_message_count() {
        check(
            "bytes",
            "wall=100 locations=2 processes=2
             a              *  time=60
             a/MPI_Send     0  time=40 bytes_sent=80
             a/MPI_Recv     1  time=40 bytes_rcvd=80
             a/MPI_Bcast    *  time=0 bytes_cin=8",
            expect![[r#"
                a/MPI_Send  [80, 0]
                a/MPI_Recv  [0, 80]
                a/MPI_Bcast  [8, 8]
                total 176
            "#]],
        );
    }
}
