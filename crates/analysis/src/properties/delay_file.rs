//! Delay in collective operations on files, at the call paths that caused it.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Delay in collective file access.
pub const PROPERTY: Property = Property {
    name: "delay_file",
    title: "Delay in collective file access",
    parent: Some("delay_mpi"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time that other processes waited in collective operations on a file, because \
            this call path took longer on this process.",
        formula: "all processes wait in MPI_File_write_all and similar functions for the last \
            one. The part of the waiting that goes back to what the causing process did longer, \
            since both were together last, until it came to the call.",
        cost: "Waiting cannot be repaired at the place of waiting. It ends if the call path \
            with this delay becomes shorter.",
        recognise: "Only a trace has this property: pompeii analyze finds it. The waiting \
            itself is mpi_io_collective_wait.",
        remedy: "Make the call path shorter on the process that has the delay, or balance its \
            work among the processes.",
        example: "Process 1 computes for 2 s longer in format than three others, which wait for \
            2 s in MPI_File_write_all. format has a delay of 6 s on process 1.",
    },
};
