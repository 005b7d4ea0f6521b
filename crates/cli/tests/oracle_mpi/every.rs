//! Sends of all modes, what waits for some of several requests, messages that are received by what a
//! probe has found, and collective operations and communicators that other tests do not have.

use crate::common::oracles;
use crate::{Sandbox, Source, count, libraries, records};

const EVERY: Source = ("every.c", include_str!("programs/every.c"), "mpicc");

/// What each of the two processes sends and receives, in bytes.
const COLLECTIVE: [(&str, [&str; 2]); 9] = [
    ("ALLTOALL", ["8, Received: 8", "8, Received: 8"]),
    ("ALLTOALLV", ["8, Received: 8", "8, Received: 8"]),
    ("ALLTOALLW", ["8, Received: 8", "8, Received: 8"]),
    ("GATHER", ["4, Received: 8", "4, Received: 0"]),
    ("GATHERV", ["4, Received: 8", "4, Received: 0"]),
    ("SCATTER", ["8, Received: 4", "0, Received: 4"]),
    ("SCATTERV", ["8, Received: 4", "0, Received: 4"]),
    ("SCAN", ["8, Received: 4", "4, Received: 8"]),
    ("EXSCAN", ["4, Received: 0", "0, Received: 4"]),
];

#[test]
fn functions_that_are_seldom_called_are_recorded() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = Sandbox::new();
        mpi.build(&sandbox, EVERY, "");
        let ended = mpi.run(&sandbox, 2, "--trace", "./program");
        assert_eq!(ended.code, Some(0), "{}: {}", mpi.name, ended.messages);
        let text = records(&sandbox);
        let sends = ["MPI_SEND", "MPI_RECV", "MPI_ISEND", "MPI_ISEND_COMPLETE"];
        assert_eq!(count(&text, sends), [8, 2, 16, 16], "{}", mpi.name);
        let others = ["MPI_IRECV_REQUEST", "MPI_IRECV", "COMM_CREATE", "COMM_DESTROY"];
        assert_eq!(count(&text, others), [22, 22, 14, 10], "{}", mpi.name);
        for (operation, bytes) in COLLECTIVE {
            let of = format!("Operation: {operation},");
            let ends = text.lines().filter(|line| line.contains(&of));
            let mut found: Vec<&str> =
                ends.filter_map(|line| line.split("Sent: ").nth(1)).collect();
            let mut expected = bytes;
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{} {operation}", mpi.name);
        }
    }
}
