//! For how long locks were held, by the call path that acquired them: a lock routine has no region
//! around the code that it protects, as a critical construct has.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Time for which locks were held.
pub const PROPERTY: Property = Property {
    name: "omp_lock_held",
    title: "Lock held",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time for which a thread held locks that it acquired in this call path.",
        formula: "for each lock routine that acquires a lock: from its return to the call of \
            omp_unset_lock (or its nested variant) by the same thread.",
        cost: "It costs no time by itself. Other threads that need the lock wait meanwhile.",
        recognise: "Of the call paths that use the same lock, the one with the largest value makes \
            the others wait, although it may not wait itself.",
        remedy: "See the waiting in the lock routine.",
        example: "refill() holds the lock for 6 ms, and take() for 1 us. Threads queue in take(), \
            but refill() is to be changed.",
    },
};
