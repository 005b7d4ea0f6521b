//! Time in an MPI barrier that is complete already; found in traces.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Barrier completion.
pub const PROPERTY: Property = Property {
    name: "mpi_barrier_completion",
    title: "MPI barrier completion",
    parent: Some("mpi_sync_collective"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time in an MPI barrier after the first process has left it.",
        formula: "own end - the latest of (end of the first process that leaves, latest arrival). \
            Found by `pompeii analyze`.",
        cost: "The barrier lets processes go one after the other. The time depends on the network \
            and on processes without a CPU.",
        recognise: "Much time here, and little in mpi_barrier_wait, is a slow network or a busy \
            machine.",
        remedy: "Use fewer barriers, and do not run more processes than there are CPUs.",
        example: "The first process leaves at 53 us, another one at 55 us: 2 us.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ====|-------|================      MPI_Barrier: leaves first
rank 1  ========|---.........|=======
                    ^ rank 0 has left";
