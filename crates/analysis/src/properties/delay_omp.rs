//! Waiting of other threads, at the call paths that caused it.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Delay of other threads.
pub const PROPERTY: Property = Property {
    name: "delay_omp",
    title: "Delay of other threads",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time that other threads waited because of this call path on this thread: at \
            barriers, for critical sections and locks, for their turn in ordered constructs, and \
            for tasks. All call paths together have all of this waiting.",
        formula: "at a barrier: the time by which the last thread was longer in each call path \
            than the waiting thread, since the barrier before. At a lock: what the holder did \
            while it had the lock. At a turn: the body of the thread before. For a task: what its \
            creator did more than the waiting thread, or all that the last task did. The waiting \
            time is divided in proportion to these times and to the waiting of the causing \
            thread, whose share goes back to its own causes.",
        cost: "Waiting cannot be repaired at the place of waiting. It ends if the call path with \
            this delay becomes shorter, or its work is spread among the threads.",
        recognise: "Only a trace has this property: pompeii analyze finds it. A thread that waits \
            for a lock and is late at the next barrier has no delay there: the holder has it.",
        remedy: "Begin with the call path that has the largest delay. Make it shorter on the \
            threads that have the delay, or balance it.",
        example: "Thread 1 is in assemble for 1.2 s, the others are not, and three threads wait for \
            1.2 s at the next barrier. assemble has a delay of 3.6 s on thread 1.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  === f ===|------------|====       waits at the barrier
thread 1  === f ===.............|====       is longer in f";
