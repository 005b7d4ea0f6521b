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
        measures: "Time in MPI_Scan and MPI_Exscan until all processes with lower ranks have \
            arrived, because the process needs their data.",
        formula: "latest arrival of the ranks up to its own - own arrival. Measured with `run \
            --mpi-wait`, or found by `pompeii analyze`.",
        cost: "This is waiting only: a lower rank has more work before the call.",
        recognise: "Ranks above the late one wait, ranks below it do not.",
        remedy: "Balance the work before the scan, or give less of it to the lower ranks.",
        example: "Rank 0 of 4 reads the input and arrives 0.2 s late at MPI_Exscan: the three \
            others wait 0.6 s in total.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
rank 0  =====================|--|====      MPI_Scan
rank 1  =======|.............---|====
rank 2  ====|................---|====
                             ^ the last one of lower rank begins";
