//! Delay where windows are created and freed, through the waiting of other processes.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Indirect delay at windows.
pub const PROPERTY: Property = Property {
    name: "delay_window_longterm",
    title: "Indirect delay at creation and end of windows",
    parent: Some("delay_mpi"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: "",
    doc: Doc {
        measures: "Time that other processes waited when a window was created or freed, because \
            the process that they waited for had waited itself, in the end because of this call \
            path.",
        formula: "all processes of a window wait for the last one. The part of the waiting that \
            goes back to earlier waits of the causing process, and from them to the activities \
            that caused those.",
        cost: "A process that waits is late for the next one. So one delay can make many \
            processes wait, one after the other.",
        recognise: "It is large if the waiting is far from its cause. The waiting itself is \
            mpi_rma_wait_at_create and mpi_rma_wait_at_free; delay_window has the direct part.",
        remedy: "See delay_window: the call path must become shorter.",
        example: "Process 0 waits for 2 s because of setup on process 2. Therefore process 1 \
            waits for process 0 for 2 s in MPI_Win_create. This goes back to setup, too.",
    },
};
