//! Communicators, and topologies, which are communicators too.

use super::{Events, events};

/// Those with events.
pub(super) const EVENTS: &[Events] = &[
    events(&["Comm_dup"], "comm made", "", "created(comm, made, 0, result, f);"),
    events(
        &["Comm_create", "Comm_dup_with_info", "Cart_sub", "Intercomm_merge"],
        "comm _ made",
        "",
        "created(comm, made, 0, result, f);",
    ),
    events(&["Comm_split"], "comm _ _ made", "", "created(comm, made, 0, result, f);"),
    events(&["Comm_split_type"], "comm _ _ _ made", "", "created(comm, made, 0, result, f);"),
    events(&["Comm_create_group"], "comm _ tag made", "", "created(comm, made, tag, result, f);"),
    events(
        &["Cart_create", "Graph_create"],
        "comm _ _ _ _ made",
        "",
        "created(comm, made, 0, result, f);",
    ),
    events(
        &["Dist_graph_create"],
        "comm _ _ _ _ _ _ _ made",
        "",
        "created(comm, made, 0, result, f);",
    ),
    events(
        &["Dist_graph_create_adjacent"],
        "comm _ _ _ _ _ _ _ _ made",
        "",
        "created(comm, made, 0, result, f);",
    ),
    events(
        &["Intercomm_create"],
        "comm _ _ _ tag made",
        "",
        "created(comm, made, tag, result, f);",
    ),
    events(&["Comm_spawn"], "_ _ _ _ _ comm made", "", "created(comm, made, 0, result, f);"),
    events(
        &["Comm_spawn_multiple"],
        "_ _ _ _ _ _ comm made",
        "",
        "created(comm, made, 0, result, f);",
    ),
    events(
        &["Comm_accept", "Comm_connect"],
        "_ _ _ comm made",
        "",
        "created(comm, made, 0, result, f);",
    ),
    events(
        &["Comm_create_from_group"],
        "_ name _ _ made",
        "",
        "created_from_group(name, length0, made, result, f);",
    ),
    events(
        &["Intercomm_create_from_groups"],
        "_ _ _ _ name _ _ made",
        "",
        "created(MPI_COMM_NULL, made, number_of(name, length0, f), result, f);",
    ),
    events(&["Comm_idup"], "comm made request", "", "duplicates(comm, made, request, result, f);"),
    events(
        &["Comm_idup_with_info"],
        "comm _ made request",
        "",
        "duplicates(comm, made, request, result, f);",
    ),
    events(&["Comm_free", "Comm_disconnect"], "comm", "freeing(comm_at(comm, f));", ""),
    events(&["Comm_set_name"], "comm", "", "named(comm);"),
];
