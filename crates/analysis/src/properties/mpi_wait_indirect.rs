//! Waiting of processes because others had waited.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Indirect waiting of processes.
pub const PROPERTY: Property = Property {
    name: "mpi_wait_indirect",
    title: "Indirect waiting of processes",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Waiting in MPI because the process that was waited for had waited itself. \
            mpi_wait_direct and mpi_wait_indirect together are all waiting in MPI, except for that \
            in MPI_Init.",
        formula: "the sum of its parts. For each wait: its time is divided in proportion to the \
            time by which the process that was waited for was longer in each call path, and to the \
            waiting of that process, since both were together last. The share of its waiting is \
            indirect.",
        cost: "A process that waits is late for the next one. So one delay can make many processes \
            wait, one after the other.",
        recognise: "Only a trace has this property: pompeii analyze finds it. A large value means \
            that the waiting is far from its cause. delay_mpi has it at the call paths that caused \
            it.",
        remedy: "Do not change the code at this place, but the call path at the begin of the \
            chain: delay_mpi names it.",
        example: "Process 1 waits 2 s for process 0, and is therefore late for process 2, which \
            waits for it for 2 s. The 2 s of process 2 are indirect.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ======= f ======|send|============
rank 1  === f ===|------|recv|send|=======      has waited, so it is late
rank 2  === f ===|...........|recv|=======      waits because of that";
