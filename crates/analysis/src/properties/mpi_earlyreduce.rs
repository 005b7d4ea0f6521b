//! The root of a reduction or gather waits for the first other process; measured with `--mpi-wait`.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Early reduce.
pub const PROPERTY: Property = Property {
    name: "mpi_earlyreduce",
    title: "Early reduce",
    parent: Some("mpi_collective"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time of the root in a function that collects data from all processes, before \
            the first other process has arrived.",
        formula: "earliest arrival of another process - own arrival of the root. Measured with \
            `run --mpi-wait`. `pompeii analyze` takes the latest arrival of a process that sends \
            data.",
        cost: "The root waits and does nothing.",
        recognise: "MPI_Reduce and MPI_Gather take long on the root only.",
        remedy: "Give the root other work before the call, or choose another root.",
        example: "The root has no part of the work, so it waits for the results of the others.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  ====|................---|====      MPI_Reduce: the root
rank 1  =======|--|==================
rank 2  =====================|--|====      sends last";
