//! Delay in collective operations on files, through the waiting of other processes.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Indirect delay in collective file access.
pub const PROPERTY: Property = Property {
    name: "delay_file_longterm",
    title: "Indirect delay in collective file access",
    parent: Some("delay_mpi"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time that other processes waited in collective operations on a file, because \
            the process that they waited for had waited itself, in the end because of this call \
            path.",
        formula: "all processes wait in MPI_File_write_all and similar functions for the last \
            one. The part of the waiting that goes back to earlier waits of the causing process, \
            and from them to the activities that caused those.",
        cost: "A process that waits is late for the next one. So one delay can make many \
            processes wait, one after the other.",
        recognise: "It is large if the waiting is far from its cause. The waiting itself is \
            mpi_io_collective_wait; delay_file has the direct part.",
        remedy: "See delay_file: the call path must become shorter.",
        example: "Process 0 waits for 2 s because of format on process 2. Therefore process 1 \
            waits for process 0 for 2 s in MPI_File_write_all. This goes back to format, too.",
    },
};
