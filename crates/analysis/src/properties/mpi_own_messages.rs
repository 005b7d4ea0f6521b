//! What measuring the waiting between processes costs; measured with `--mpi-wait`.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Messages of Pompeii.
pub const PROPERTY: Property = Property {
    name: "mpi_own_messages",
    title: "Messages of Pompeii",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time in which Pompeii exchanges times of entry with other processes, in the \
            program's functions of MPI.",
        formula: "end - begin of these exchanges. The time is also a part of mpi_point2point, \
            mpi_collective or mpi_sync_collective. Measured with `run --mpi-wait`.",
        cost: "The program takes longer by this time, and does not without `--mpi-wait`.",
        recognise: "It is much for programs with many small messages.",
        remedy: "`--mpi-wait=collectives` or `--mpi-wait=no`.",
        example: "A million messages of 8 bytes take 0.2 s, and Pompeii's messages next to them \
            as long.",
    },
};
