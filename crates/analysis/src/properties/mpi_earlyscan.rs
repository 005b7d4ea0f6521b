//! A process waits in a scan for those of lower ranks; measured with `--mpi-wait`.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Early scan.
pub const PROPERTY: Property = Property {
    name: "mpi_earlyscan",
    title: "Early scan",
    parent: Some("mpi_collective"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time in MPI_Scan and MPI_Exscan until all processes of lower ranks have come, \
            whose data a process needs.",
        formula: "latest arrival of the ranks up to its own - own arrival; with `run --mpi-wait`.",
        cost: "It is pure waiting: a lower rank has more to do before.",
        recognise: "The ranks above the late one wait, those below it do not.",
        remedy: "Balance the work before the scan, or give lower ranks less of it.",
        example: "Rank 0 reads the input and comes 0.2 s late to the MPI_Exscan that numbers the \
            elements: three others wait 0.6 s together.",
    },
};
