//! Waiting of processes that delayed no other location.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Terminal waiting of processes.
pub const PROPERTY: Property = Property {
    name: "mpi_wait_terminal",
    title: "Terminal waiting of processes",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Waiting in MPI that made no other process or thread wait. mpi_wait_propagating \
            and mpi_wait_terminal together are all waiting in MPI, except for that in MPI_Init.",
        formula: "the sum of its parts. For each wait: its time without the part that is \
            mpi_wait_propagating.",
        cost: "The time of this process is lost, but no other process is late because of it.",
        recognise: "Only a trace has this property: pompeii analyze finds it. A process with much \
            of it has less to do than the others.",
        remedy: "Give this process a part of the work of the processes that are late: delay_mpi \
            names their call paths.",
        example: "Process 1 waits 2 s for process 0, and is therefore late for process 2, which \
            waits for it for 2 s. The 2 s of process 2 are terminal if no process waits for \
            process 2.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ======= f ======|send|============
rank 1  === f ===|------|recv|send|=======      waits, and is late therefore
rank 2  === f ===|...........|recv|=======      waits, and delays no process";
