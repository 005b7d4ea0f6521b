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
        measures: "Time from the fork on the master until the thread begins its part of the \
            parallel region.",
        formula: "per region and thread: its begin - fork on the master, not below 0.",
        cost: "Threads that begin late arrive late.",
        recognise: "Large on workers, small on the master: threads have to be woken up or created.",
        remedy: "As for omp_management; the first region of a program also pays for the creation \
            of the threads.",
        example: "A first region takes 200 us to fork, later ones 3 us: the threads were created \
            in the first.",
    },
};
