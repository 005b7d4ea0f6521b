//! Data that functions of MPI, and functions for files, have moved: a family of properties, which
//! differ in the data that they count. To add one: its row here, and its line in `catalogue.rs`.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

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

/// Data that goes to other processes or comes from them.
const fn of_processes(row: Row) -> Property {
    property(
        row,
        "Compare it with the time of the same call path in mpi_communication: much time for little \
         data is waiting.",
        "Send only the data needed, in fewer and larger messages.",
    )
}

/// Data that goes to files or comes from them.
const fn of_files(row: Row) -> Property {
    property(
        row,
        "Compare it with the time of the same call path in mpi_io or io: bytes / time is the \
         bandwidth.",
        "Write and read only the data needed, in fewer and larger portions.",
    )
}

const fn property(row: Row, recognise: &'static str, remedy: &'static str) -> Property {
    let Row { name, title, parent, compute, measures, formula, example } = row;
    let cost = "This is an amount of data and not a time. A large amount takes long to transfer.";
    let doc = Doc { measures, formula, cost, recognise, remedy, example };
    Property { name, title, parent, unit: Unit::Bytes, compute, gain: "", doc }
}

/// All data that was moved.
pub const PROPERTY: Property = of_processes(Row {
    name: "bytes",
    title: "Bytes transferred",
    parent: None,
    compute: Compute::Parts,
    measures: "Bytes transferred by MPI functions and functions for files: sent, received, put, got, \
        written or read by the process.",
    formula: "bytes_p2p + bytes_coll + bytes_rma + bytes_file.",
    example: "A process sends 8 kB to each of two neighbours in 100 steps: 1.6 MB sent, and 1.6 MB \
        received.",
});

/// Data of messages between two processes.
pub const P2P: Property = of_processes(Row {
    name: "bytes_p2p",
    title: "Point to point",
    parent: Some("bytes"),
    compute: Compute::Parts,
    measures: "Bytes of messages between two processes, counted at both ends.",
    formula: "bytes_sent + bytes_rcvd.",
    example: "One message of 80 bytes: 80 bytes in the sender and 80 bytes in the receiver.",
});

/// Data of messages that were sent.
pub const SENT: Property = of_processes(Row {
    name: "bytes_sent",
    title: "Bytes sent",
    parent: Some("bytes_p2p"),
    compute: Compute::Measured,
    measures: "Bytes of messages sent by the process.",
    formula: "sum of the lengths of the messages, at the function that begins the send.",
    example: "MPI_Send of 10 doubles: 80 bytes.",
});

/// Data of messages that were received.
pub const RCVD: Property = of_processes(Row {
    name: "bytes_rcvd",
    title: "Bytes received",
    parent: Some("bytes_p2p"),
    compute: Compute::Measured,
    measures: "Bytes of messages received by the process.",
    formula: "sum of the actual lengths of the messages, at the function that completes the \
        receive.",
    example: "MPI_Recv with room for 100 doubles receives 10 doubles: 80 bytes.",
});

/// Data of collective communication.
pub const COLL: Property = of_processes(Row {
    name: "bytes_coll",
    title: "Collective",
    parent: Some("bytes"),
    compute: Compute::Parts,
    measures: "Bytes of collective operations, counted as if each operation consisted of messages.",
    formula: "bytes_cout + bytes_cin.",
    example: "MPI_Allreduce of a double (8 bytes) by 4 processes: in each process 32 bytes \
        outgoing and 32 bytes incoming.",
});

/// Data that collective functions took.
pub const COUT: Property = of_processes(Row {
    name: "bytes_cout",
    title: "Bytes outgoing",
    parent: Some("bytes_coll"),
    compute: Compute::Measured,
    measures: "Bytes sent by the process in collective operations, counted as if the operation \
        consisted of messages.",
    formula: "sum over the visits: bytes the process would send in messages to all partners, \
        including itself.",
    example: "MPI_Bcast of 8 bytes to 4 processes: 32 bytes in the root.",
});

/// Data that collective functions gave.
pub const CIN: Property = of_processes(Row {
    name: "bytes_cin",
    title: "Bytes incoming",
    parent: Some("bytes_coll"),
    compute: Compute::Measured,
    measures: "Bytes received by the process in collective operations, counted as if the operation \
        consisted of messages.",
    formula: "sum over the visits: bytes the process would receive in messages from all partners, \
        including itself.",
    example: "MPI_Bcast of 8 bytes: 8 bytes in each process.",
});

/// Data of one-sided communication.
pub const RMA: Property = of_processes(Row {
    name: "bytes_rma",
    title: "One-sided",
    parent: Some("bytes"),
    compute: Compute::Parts,
    measures: "Bytes of one-sided communication.",
    formula: "bytes_put + bytes_get.",
    example: "MPI_Put of a row of 1,000 doubles: 8,000 bytes.",
});

/// Data written into memory of other processes.
pub const PUT: Property = of_processes(Row {
    name: "bytes_put",
    title: "Bytes put",
    parent: Some("bytes_rma"),
    compute: Compute::Measured,
    measures: "Bytes written by the process into windows of other processes.",
    formula: "sum over MPI_Put and the functions that add to remote values (MPI_Accumulate and \
        similar).",
    example: "MPI_Put of 10 doubles: 80 bytes.",
});

/// Data read from memory of other processes.
pub const GET: Property = of_processes(Row {
    name: "bytes_get",
    title: "Bytes got",
    parent: Some("bytes_rma"),
    compute: Compute::Measured,
    measures: "Bytes read by the process from windows of other processes.",
    formula: "sum over MPI_Get and the functions that fetch and change a value (MPI_Fetch_and_op \
        and similar).",
    example: "MPI_Get of 10 doubles: 80 bytes.",
});

/// Data of files.
pub const FILE: Property = of_files(Row {
    name: "bytes_file",
    title: "Files",
    parent: Some("bytes"),
    compute: Compute::Parts,
    measures: "Bytes written to files and read from files, through MPI and, with `run --io`, by \
        functions of the C library.",
    formula: "bytes_written + bytes_read.",
    example: "A checkpoint of 1 GB is written and read again: 2 GB.",
});

/// Data written to files.
pub const WRITTEN: Property = of_files(Row {
    name: "bytes_written",
    title: "Bytes written",
    parent: Some("bytes_file"),
    compute: Compute::Measured,
    measures: "Bytes written by the process to files, pipes and sockets.",
    formula: "sum over the functions that write files.",
    example: "MPI_File_write or fwrite of 10 doubles: 80 bytes.",
});

/// Data read from files.
pub const READ: Property = of_files(Row {
    name: "bytes_read",
    title: "Bytes read",
    parent: Some("bytes_file"),
    compute: Compute::Measured,
    measures: "Bytes read by the process from files, pipes and sockets.",
    formula: "sum over the functions that read files.",
    example: "MPI_File_read or fread of 10 doubles: 80 bytes.",
});

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
