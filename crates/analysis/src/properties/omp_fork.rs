//! The part of fork and join before a thread has begun its work.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Fork.
pub const PROPERTY: Property = Property {
    name: "omp_fork",
    title: "Fork",
    parent: Some("omp_management"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time between the fork on the master and the moment when the thread begins its \
            part of the parallel region.",
        formula: "for each region and thread: begin on the thread - fork on the master, at least \
            0.",
        cost: "A thread that begins late also finishes late.",
        recognise: "If this time is large on workers and small on the master, the threads have to \
            be woken up or created.",
        remedy: "See omp_management. The first parallel region of a program also creates the \
            threads.",
        example: "The first region takes 200 us to fork, because it creates the threads. Later \
            regions take 3 us.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  ======|==================
thread 1        |......|===========
                ^ fork ^ thread 1 begins";
