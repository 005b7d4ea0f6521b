//! Waiting for the iteration's turn in an ordered construct.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};

/// Wait for ordered.
pub const PROPERTY: Property = Property {
    name: "omp_ordered_wait",
    title: "Wait for ordered",
    parent: Some("omp_ordered"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: gains::DELAYING_THREAD,
    doc: Doc {
        measures: "Time at an ordered construct until it was the iteration's turn.",
        formula: "per visit: from the entry to the begin of the body; without a body (depend, \
            doacross) the whole visit, unless it only tells others to go on (source).",
        cost: "The thread does nothing until the iterations before have passed the construct.",
        recognise: "Spread over all threads alike: the ordered bodies are too long. On some \
            threads only: the schedule gives neighbouring iterations to one thread.",
        remedy: "Make the part of the iteration before the ordered construct larger or the body \
            smaller; schedule(static, 1); write results to an array and print it after the loop.",
        example: "8 threads, 10 us of work and 5 us ordered in each iteration: no more than three \
            threads can be busy.",
    },
};
