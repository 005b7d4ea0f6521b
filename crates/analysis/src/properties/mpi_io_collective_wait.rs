//! Waiting for the latest process in a collective operation on a file.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Wait in collective file access.
pub const PROPERTY: Property = Property {
    name: "mpi_io_collective_wait",
    title: "Wait in collective file access",
    parent: Some("mpi_io_collective"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time in MPI_File_read_all, MPI_File_write_all and other functions in which all \
            processes access a file together, until the last process has begun.",
        formula: "begin of the last process - own begin, in operations that no process has left \
            before the last one came: others do not bring the processes together. Found by \
            `pompeii analyze`.",
        cost: "This is waiting only: the processes have different amounts of work before the call.",
        recognise: "The rest of mpi_io_collective is the access to the storage.",
        remedy: "Balance the work before the call.",
        example: "One process formats its part for 2 s longer than three others: 6 s.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ====|................---|====      MPI_File_write_all
rank 1  =========|...........---|====
rank 2  =====================|--|====      begins last";
