//! Time in MPI_Init after the first process has left it; found in traces.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Init completion.
pub const PROPERTY: Property = Property {
    name: "mpi_init_completion",
    title: "MPI_Init completion",
    parent: Some("mpi_init_exit"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time in MPI_Init or MPI_Init_thread after the first process has left it.",
        formula: "own end - the latest of (end of the first process that leaves, latest begin). \
            Found by `pompeii analyze`.",
        cost: "The library needs longer in some processes, for example because a node is slow.",
        recognise: "Only single processes have much time here.",
        remedy: "Check the node of these processes. The program cannot improve it.",
        example: "The first process leaves MPI_Init after 250 ms, rank 7 after 900 ms: 650 ms for \
            rank 7.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  |-----------|================      MPI_Init: leaves first
rank 1      |-------.........|=======
                    ^ rank 0 has left";
