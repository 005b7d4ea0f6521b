//! Communicators, and topologies, which are communicators too.

use super::{Events, events};

/// Before a function that all processes of a communicator call to make or free one.
const BEGINS: &str = "handle_begins();";

/// Those with events.
pub(super) const EVENTS: &[Events] = &[
    events(&["Comm_dup"], "comm made", BEGINS, "created(comm, made, 0, result, f);"),
    events(
        &["Comm_create", "Comm_dup_with_info", "Cart_sub", "Intercomm_merge"],
        "comm _ made",
        BEGINS,
        "created(comm, made, 0, result, f);",
    ),
    events(&["Comm_split"], "comm _ _ made", BEGINS, "created(comm, made, 0, result, f);"),
    events(&["Comm_split_type"], "comm _ _ _ made", BEGINS, "created(comm, made, 0, result, f);"),
    events(
        &["Comm_create_group"],
        "comm _ tag made",
        BEGINS,
        "created_among_members(comm, made, tag, result, f);",
    ),
    events(
        &["Cart_create", "Graph_create"],
        "comm _ _ _ _ made",
        BEGINS,
        "created(comm, made, 0, result, f);",
    ),
    events(
        &["Dist_graph_create"],
        "comm _ _ _ _ _ _ _ made",
        BEGINS,
        "created(comm, made, 0, result, f);",
    ),
    events(
        &["Dist_graph_create_adjacent"],
        "comm _ _ _ _ _ _ _ _ made",
        BEGINS,
        "created(comm, made, 0, result, f);",
    ),
    events(
        &["Intercomm_create"],
        "comm _ _ _ tag made",
        BEGINS,
        "created_among_members(comm, made, tag, result, f);",
    ),
    events(&["Comm_spawn"], "_ _ _ _ _ comm made", BEGINS, "created(comm, made, 0, result, f);"),
    events(
        &["Comm_spawn_multiple"],
        "_ _ _ _ _ _ comm made",
        BEGINS,
        "created(comm, made, 0, result, f);",
    ),
    events(
        &["Comm_accept", "Comm_connect"],
        "_ _ _ comm made",
        BEGINS,
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
        BEGINS,
        "created_among_members(MPI_COMM_NULL, made, number_of(name, length0, f), result, f);",
    ),
    events(&["Comm_idup"], "comm made request", "", "duplicates(comm, made, request, result, f);"),
    events(
        &["Comm_idup_with_info"],
        "comm _ made request",
        "",
        "duplicates(comm, made, request, result, f);",
    ),
    events(
        &["Comm_free", "Comm_disconnect"],
        "comm",
        "uint32_t freed = freeing(comm_at(comm, f));",
        "freed_by_all(freed, result);",
    ),
    events(&["Comm_set_name"], "comm", "", "named(comm);"),
];
