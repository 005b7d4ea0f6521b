//! Waiting for a late sender while an earlier message was there; found in traces.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Late sender in the wrong order.
pub const PROPERTY: Property = Property {
    name: "mpi_latesender_wo",
    title: "Messages in wrong order",
    parent: Some("mpi_latesender"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time of waiting for a late sender although another message, which was sent \
            before, was received only later.",
        formula: "mpi_latesender of a message, if the process later receives a message that was \
            sent before it. The last 100 late senders of a process are compared. Found by `pompeii \
            analyze`.",
        cost: "The process could have worked with the earlier message while it waited for the \
            later one.",
        recognise: "mpi_lswo_different tells messages of other processes, mpi_lswo_same those of \
            the same process.",
        remedy: "Receive messages in the order in which they are sent, or with MPI_ANY_SOURCE, \
            MPI_Waitany or MPI_Waitsome.",
        example: "Rank 0 receives from rank 1, which sends at 50 ms, and then from rank 2, which \
            has sent at 20 ms.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  =====|...............--|-|===      MPI_Recv from 1, then from 2
rank 1  =====================|--|====      MPI_Send
rank 2  ===|--|======================      MPI_Send, earlier";
