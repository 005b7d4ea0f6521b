//! Files.

use super::{Events, events};

/// Those with events.
pub(super) const EVENTS: &[Events] = &[
    events(
        &["File_write", "File_write_all", "File_write_shared", "File_write_ordered"],
        "_ _ _ type status",
        "",
        "pomp_mpi_moved(transferred(status, type, result, f), 0);",
    ),
    events(
        &["File_write_at", "File_write_at_all"],
        "_ _ _ _ type status",
        "",
        "pomp_mpi_moved(transferred(status, type, result, f), 0);",
    ),
    events(
        &["File_read", "File_read_all", "File_read_shared", "File_read_ordered"],
        "_ _ _ type status",
        "",
        "pomp_mpi_moved(0, transferred(status, type, result, f));",
    ),
    events(
        &["File_read_at", "File_read_at_all"],
        "_ _ _ _ type status",
        "",
        "pomp_mpi_moved(0, transferred(status, type, result, f));",
    ),
];
