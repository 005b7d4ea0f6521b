//! One-sided communication.

use super::{Events, events};

/// Those with events.
pub(super) const EVENTS: &[Events] = &[
    events(
        &["Put", "Accumulate", "Rput", "Raccumulate"],
        "_ count type",
        "pomp_mpi_moved(bytes_of(count, type), 0);",
        "",
    ),
    events(&["Get", "Rget"], "_ count type", "pomp_mpi_moved(0, bytes_of(count, type));", ""),
    events(
        &["Get_accumulate", "Rget_accumulate"],
        "_ count type _ back back_type",
        "pomp_mpi_moved(bytes_of(count, type), bytes_of(back, back_type));",
        "",
    ),
    events(
        &["Fetch_and_op"],
        "_ _ type",
        "pomp_mpi_moved(bytes_of(1, type), bytes_of(1, type));",
        "",
    ),
    events(
        &["Compare_and_swap"],
        "_ _ _ type",
        "pomp_mpi_moved(bytes_of(1, type), bytes_of(1, type));",
        "",
    ),
];
