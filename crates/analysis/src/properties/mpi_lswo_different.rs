//! Messages of different processes in the wrong order; found in traces.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Wrong order, different sources.
pub const PROPERTY: Property = Property {
    name: "mpi_lswo_different",
    title: "Wrong order, different sources",
    parent: Some("mpi_latesender_wo"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time of waiting for a late sender although a message of another process was \
            there.",
        formula: "mpi_latesender_wo, if the message that is received later comes from another \
            process. Found by `pompeii analyze`.",
        cost: "The process could have worked with the message of the other process first.",
        recognise: "Loops over neighbours or workers that receive in the order of ranks have this \
            time.",
        remedy: "Receive with MPI_ANY_SOURCE, or wait with MPI_Waitany or MPI_Waitsome for \
            whichever message comes first.",
        example: "A master receives results of ranks 1 to 7 in this order, and rank 1 is the \
            slowest.",
    },
};
