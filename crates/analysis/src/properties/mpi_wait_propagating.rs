//! Waiting of processes that made others wait.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Propagating waiting of processes.
pub const PROPERTY: Property = Property {
    name: "mpi_wait_propagating",
    title: "Propagating waiting of processes",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Waiting in MPI that made another process or thread wait later. \
            mpi_wait_propagating and mpi_wait_terminal together are all waiting in MPI, except for \
            that in MPI_Init.",
        formula: "the sum of its parts. For each wait: the largest share of a later wait of \
            another process or thread that goes back to this wait (see mpi_wait_indirect), at most \
            the time of this wait itself.",
        cost: "This waiting costs twice: here, and at the processes that wait because of it.",
        recognise: "Only a trace has this property: pompeii analyze finds it. mpi_wait_indirect \
            has the waiting of the others.",
        remedy: "Begin with the causes of this waiting, because that of others ends with it. \
            delay_mpi names them.",
        example: "Process 1 waits 2 s for process 0, and is therefore late for process 2, which \
            waits for it for 2 s. The 2 s of process 1 are propagating.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ======= f ======|send|============
rank 1  === f ===|......|recv|send|=======      waits, and is late therefore
rank 2  === f ===|-----------|recv|=======      waits for rank 1";
