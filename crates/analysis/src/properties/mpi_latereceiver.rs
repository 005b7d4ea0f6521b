//! Waiting of a sender for a receive that has not been posted; found in traces.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Late receiver.
pub const PROPERTY: Property = Property {
    name: "mpi_latereceiver",
    title: "Late receiver",
    parent: Some("mpi_point2point"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time in a blocking send, or in waiting for a send, until the receive was \
            posted.",
        formula: "begin of the call that receives, or that posts the receive - begin of the call \
            that sends or waits for the send, if this call ends after it. A call that completes \
            several messages counts the latest one, and only if it does not wait for a sender. \
            MPI_Sendrecv and functions that test do not count. Found by `pompeii analyze`.",
        cost: "This is waiting only: large messages are sent when the receiver is ready, and it \
            has more work before it receives.",
        recognise: "The rest of mpi_point2point is transfer of data, and waiting for late senders.",
        remedy: "Post the receive earlier, for example with MPI_Irecv before the work, or send \
            with MPI_Isend and wait later.",
        example: "Rank 0 sends 4 MB at 10 ms, rank 1 calls MPI_Recv at 60 ms: rank 0 waits 50 ms.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ====|................---|====      MPI_Ssend
rank 1  =====================|--|====      MPI_Recv
            ^ send begins    ^ receive begins";
