//! Waiting of processes because of what others did.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Direct waiting of processes.
pub const PROPERTY: Property = Property {
    name: "mpi_wait_direct",
    title: "Direct waiting of processes",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Waiting in MPI because of the activities of the process that was waited for, \
            and not because that process had waited itself. mpi_wait_direct and mpi_wait_indirect \
            together are all waiting in MPI, except for that in MPI_Init.",
        formula: "the sum of its parts. For each wait: its time is divided in proportion to the \
            time by which the process that was waited for was longer in each call path, and to the \
            waiting of that process, since both were together last. The shares of the call paths \
            are direct.",
        cost: "The cause of direct waiting is close: the process that was waited for had more to \
            do.",
        recognise: "Only a trace has this property: pompeii analyze finds it. delay_mpi has the \
            same waiting at the call paths that caused it.",
        remedy: "Balance the work between the processes that wait and those that are waited for. \
            delay_mpi names the call paths.",
        example: "Process 0 is in assemble for 2 s, process 1 is not, and waits for the message of \
            process 0 for 2 s. These 2 s are direct.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ======= f ======|send|=======
rank 1  === f ===|......|recv|=======      waits for f of rank 0";
