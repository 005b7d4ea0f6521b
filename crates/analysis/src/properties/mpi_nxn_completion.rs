//! Time in an operation of all with all after the first process has left it; found in traces.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// N x N completion.
pub const PROPERTY: Property = Property {
    name: "mpi_nxn_completion",
    title: "N x N completion",
    parent: Some("mpi_collective"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time in MPI_Allreduce, MPI_Alltoall and other functions in which all send to \
            all, after the first process has left it.",
        formula: "own end - the latest of (end of the first process that leaves, latest arrival). \
            Found by `pompeii analyze`.",
        cost: "The data reaches some processes later than others.",
        recognise: "Compare it with mpi_wait_nxn: much time here is a slow network or a busy \
            machine.",
        remedy: "Move less data, or do not run more processes than there are CPUs.",
        example: "All have arrived at 30 us; the first process leaves at 34 us, the last one at 40 \
            us: 6 us for that one.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ====|-------|================      MPI_Allreduce: leaves first
rank 1  ========|---.........|=======
                    ^ rank 0 has left";
