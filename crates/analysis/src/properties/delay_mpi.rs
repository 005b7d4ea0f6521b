//! Waiting of other processes, at the call paths that caused it.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Delay of other processes.
pub const PROPERTY: Property = Property {
    name: "delay_mpi",
    title: "Delay of other processes",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Parts,
    gain: "",
    doc: Doc {
        measures: "Time that other processes waited in MPI because of this call path. All call \
            paths together have all of this waiting, but that at the begin of MPI.",
        formula: "the sum of its parts. For each wait: the time by which the process that was \
            waited for was longer in each call path than the waiting process, since both were \
            together last. The waiting time is divided in proportion to these times and to the \
            waiting of the causing process, whose share goes back to its own causes.",
        cost: "Waiting cannot be repaired at the place of waiting. It ends if the call path \
            with this delay becomes shorter, or its work is spread among the processes.",
        recognise: "Only a trace has this property: pompeii analyze finds it.",
        remedy: "Begin with the call path that has the largest delay. Make it shorter on the \
            processes that have the delay, or balance it.",
        example: "Process 1 is in assemble for 2 s, process 0 is not, and waits for its message \
            for 2 s. assemble has a delay of 2 s on process 1.",
    },
};
