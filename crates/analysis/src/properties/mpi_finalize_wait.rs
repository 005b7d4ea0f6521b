//! Waiting in MPI_Finalize for the last process; found in traces.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Wait at MPI_Finalize.
pub const PROPERTY: Property = Property {
    name: "mpi_finalize_wait",
    title: "Wait at MPI_Finalize",
    parent: Some("mpi_init_exit"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time between the begin of MPI_Finalize in a process and its begin in the last \
            process.",
        formula: "latest begin of MPI_Finalize - own begin, at most until the own end. Found by \
            `pompeii analyze`.",
        cost: "The process has nothing to do any more, because the others have more work.",
        recognise: "The processes with the least time here have the most work.",
        remedy: "Give more work to the processes that wait.",
        example: "Rank 3 has finished its part 2 s before the others: it waits 2 s.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ====|................---|          MPI_Finalize
rank 1  =====================|--|          begins it last";
