//! The begin and the end of MPI, what programs say to tools, and types that end.

use super::{Events, events};

/// Recording stops behind the function, not inside of it.
const CONTROL: &str = "ends(&routine);\npomp_mpi_control(level);\nreturn result;";

/// Those with events.
pub(super) const EVENTS: &[Events] = &[
    events(&["Type_free"], "", "forget();", ""),
    events(&["Init", "Init_thread"], "", "initialising();", "initialised(result);"),
    events(&["Finalize"], "", "finalising();", "finalised(result);"),
    events(
        &["Group_from_session_pset"],
        "_ name made",
        "",
        "asked_for_group(name, length0, made, result, f);",
    ),
    events(&["Session_finalize"], "", "free_all_left();", "session_ended(result);"),
    events(&["Pcontrol"], "level", "", CONTROL),
];
