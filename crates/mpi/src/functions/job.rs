//! The begin and the end of MPI, and what programs say to tools.

use super::{Events, events};

/// Those with events.
pub(super) const EVENTS: &[Events] = &[
    events(&["Init", "Init_thread"], "", "", "initialised(result);"),
    events(&["Finalize"], "", "finalising();", "pomp_mpi_finalized();"),
    events(&["Pcontrol"], "level", "", "pomp_mpi_control(level);"),
];
