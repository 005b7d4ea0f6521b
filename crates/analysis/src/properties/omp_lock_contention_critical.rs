//! Waiting at the entry of a critical section that another thread is in.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};

/// Critical contention.
pub const PROPERTY: Property = Property {
    name: "omp_lock_contention_critical",
    title: "Critical contention",
    parent: Some("omp_critical"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: gains::DELAYING_THREAD,
    doc: Doc {
        measures: "Time at the entry of a critical section while another thread was inside.",
        formula: "per entry: the part of [enter, begin of the body] in which another thread held \
            the critical section, not below 0.",
        cost: "The program is serial here, and the serial part grows with every thread.",
        recognise: "Compare with the time in the body: total time in bodies close to the region's \
            wall time means that the section is the bottleneck.",
        remedy: "Make the body shorter; enter less often; use reduction, atomic, or one critical \
            name per independent object.",
        example: "8 threads, body 1 us, 2 us of work between entries: more than half of all \
            threads always wait.",
    },
};
