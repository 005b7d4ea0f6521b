//! Waiting for a message that has not been sent; measured with `--mpi-wait`.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Late sender.
pub const PROPERTY: Property = Property {
    name: "mpi_latesender",
    title: "Late sender",
    parent: Some("mpi_point2point"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time in a receive, or in waiting for one, until the message was sent.",
        formula: "begin of the send - begin of the receiving function, at most until that function \
            ends. Measured with `run --mpi-wait`, or found by `pompeii analyze`.",
        cost: "This is waiting only: the sender has more work before it sends.",
        recognise: "The rest of mpi_point2point is transfer of data, and waiting of senders for \
            late receivers.",
        remedy: "Send earlier, or give the sender less work before.",
        example: "7 processes wait until a master sends them work.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ====|................---|====      MPI_Recv
rank 1  =====================|--|====      MPI_Send
            ^ receive begins ^ send begins";
