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
    gain: gains::NEXT_BARRIER,
    doc: Doc {
        measures: "Time at an ordered construct until it was the turn of the iteration.",
        formula: "for each visit: from the entry to the beginning of the body. For a directive \
            without a body (depend, doacross): the whole visit, except for `source`, which does \
            not wait.",
        cost: "The thread does nothing until the earlier iterations have passed the construct.",
        recognise: "If all threads wait equally long, the ordered bodies are too long. If only \
            some threads wait, the schedule gives neighbouring iterations to one thread.",
        remedy: "Do more work before the ordered construct, or less in its body; use \
            schedule(static, 1); write results to an array and print it after the loop.",
        example: "Each iteration needs 10 us of work and 5 us in an ordered construct. Then at \
            most three threads can work at a time, even if there are 8.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  == iteration 0 ==|= ordered =|========
thread 1  = iteration 1 =|.............|= ordered =|==
                         ^ comes       ^ its turn";
