//! What MPI's functions do: their kinds, and the events of those that have any.
//!
//! To add a function with events: a line in [`EVENTS`] or [`COLLECTIVES`], and what it calls in
//! `support.c` where nothing there fits. A function that is in neither is timed.

/// Events of functions.
pub struct Events {
    /// The functions.
    names: &'static [&'static str],
    /// Names for the parameters that the text uses, in order; `_` for the others, and for all that
    /// follow.
    pub parameters: &'static str,
    /// C before the call.
    pub before: &'static str,
    /// C after the call.
    pub after: &'static str,
}

const fn events(
    names: &'static [&'static str],
    parameters: &'static str,
    before: &'static str,
    after: &'static str,
) -> Events {
    Events { names, parameters, before, after }
}

const SAVE_ONE: &str =
    "SCRATCH(memory);\nstruct pomp_mpi_known *saved = before_call(&memory, 1, request, f);\n";
const SAVE_ALL: &str =
    "SCRATCH(memory);\nstruct pomp_mpi_known *saved = before_call(&memory, count, requests, f);\n";
const SAVE_ALL_WITH_STATUSES: &str = "SCRATCH(memory);
SCRATCH(statuses_memory);
struct pomp_mpi_known *saved = before_call(&memory, count, requests, f);
statuses = own_statuses(&statuses_memory, count, statuses, f);\n";

/// Functions with events that are not collective. `f` says whether the call comes from Fortran,
/// `result` is what it returns; a parameter `status` is never one to be ignored.
const EVENTS: &[Events] = &[
    events(
        &["Send", "Ssend", "Rsend", "Bsend"],
        "_ count type dest tag comm",
        "sends(comm, dest, tag, count, type);",
        "",
    ),
    events(&["Recv"], "_ _ _ _ _ comm status", "", "received(comm, status, result, f);"),
    events(
        &["Sendrecv"],
        "_ count type dest tag _ _ _ _ _ comm status",
        "sends(comm, dest, tag, count, type);",
        "received(comm, status, result, f);",
    ),
    events(
        &["Sendrecv_replace"],
        "_ count type dest tag _ _ comm status",
        "sends(comm, dest, tag, count, type);",
        "received(comm, status, result, f);",
    ),
    events(
        &["Isend", "Issend", "Irsend", "Ibsend"],
        "_ count type dest tag comm request",
        "uint64_t id = isends(comm, dest, tag, count, type);",
        "posted(request, id, POMP_MPI_SEND, H(comm), result, f);",
    ),
    events(
        &["Irecv"],
        "_ _ _ source _ comm request",
        "uint64_t id = ireceives(source);",
        "posted(request, id, POMP_MPI_RECEIVE, H(comm), result, f);",
    ),
    events(
        &["Send_init", "Ssend_init", "Rsend_init", "Bsend_init"],
        "_ count type dest tag comm request",
        "",
        "prepared(request, POMP_MPI_SEND, comm, dest, tag, bytes_of(count, type), result, f);",
    ),
    events(
        &["Recv_init"],
        "_ _ _ source tag comm request",
        "",
        "prepared(request, POMP_MPI_RECEIVE, comm, source, tag, 0, result, f);",
    ),
    events(
        &["Psend_init"],
        "_ partitions count type dest tag comm _ request",
        "",
        "prepared(request, POMP_MPI_SEND, comm, dest, tag,
         (uint64_t)partitions * bytes_of(count, type), result, f);",
    ),
    events(
        &["Precv_init"],
        "_ _ _ _ source tag comm _ request",
        "",
        "prepared(request, POMP_MPI_RECEIVE, comm, source, tag, 0, result, f);",
    ),
    events(&["Start"], "request", "starts(1, request, f);", ""),
    events(&["Startall"], "count requests", "starts(count, requests, f);", ""),
    events(&["Wait"], "request status", SAVE_ONE, "one_completed(saved, f, status, result, f);"),
    events(
        &["Test"],
        "request flag status",
        SAVE_ONE,
        "if (is_true(flag))
  one_completed(saved, f, status, result, f);
else
  tested(saved, 1);",
    ),
    events(
        &["Waitall"],
        "count requests statuses",
        SAVE_ALL_WITH_STATUSES,
        "all_completed(saved, count, statuses, result, f);",
    ),
    events(
        &["Testall"],
        "count requests flag statuses",
        SAVE_ALL_WITH_STATUSES,
        "if (is_true(flag))
  all_completed(saved, count, statuses, result, f);
else
  tested(saved, count);",
    ),
    events(
        &["Waitany"],
        "count requests index status",
        SAVE_ALL,
        "one_completed(saved, *index, status, result, f);",
    ),
    events(
        &["Testany"],
        "count requests index flag status",
        SAVE_ALL,
        "if (is_true(flag))
  one_completed(saved, *index, status, result, f);
else
  tested(saved, count);",
    ),
    events(
        &["Waitsome", "Testsome"],
        "count requests done indices statuses",
        SAVE_ALL_WITH_STATUSES,
        "if (*done != MPI_UNDEFINED)
  some_completed(saved, *done, indices, statuses, result, f);",
    ),
    events(&["Cancel"], "request", "pomp_mpi_request_cancel(H(request_at(request, 0, f)));", ""),
    events(
        &["Request_free"],
        "request",
        "pomp_mpi_request_free(H(request_at(request, 0, f)));",
        "",
    ),
    events(&["Mprobe"], "_ _ comm message _", "", "matched(message, comm, result, f);"),
    events(
        &["Improbe"],
        "_ _ comm flag message _",
        "",
        "if (result == MPI_SUCCESS && is_true(flag))\n  matched(message, comm, result, f);",
    ),
    events(
        &["Mrecv"],
        "_ _ _ message status",
        "uint64_t comm = pomp_mpi_message(H(message_at(message, f)));",
        "received_matched(comm, status, result, f);",
    ),
    events(
        &["Imrecv"],
        "_ _ _ message request",
        "uint64_t comm = pomp_mpi_message(H(message_at(message, f)));
uint64_t id = comm ? pomp_mpi_irecv() : 0;",
        "posted(request, id, POMP_MPI_RECEIVE, comm, result, f);",
    ),
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
        "pomp_mpi_comm_free(H(comm_at(comm, f)));",
        "",
    ),
    events(&["Comm_set_name"], "comm", "", "named(comm);"),
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
    events(&["Init", "Init_thread"], "", "", "initialised(result);"),
    events(&["Finalize"], "", "finalising();", "pomp_mpi_finalized();"),
    events(&["Pcontrol"], "level", "", "pomp_mpi_control(level);"),
];

/// A collective operation.
pub struct Collective {
    name: &'static str,
    kind: &'static str,
    /// As in [`Events`].
    pub parameters: &'static str,
    /// What it moves, as C.
    pub amount: &'static str,
}

const fn collective(
    name: &'static str,
    kind: &'static str,
    parameters: &'static str,
    amount: &'static str,
) -> Collective {
    Collective { name, kind, parameters, amount }
}

/// The blocking ones; what others are called follows from that.
const COLLECTIVES: &[Collective] = &[
    collective("Barrier", "BARRIER", "comm", "plain(0, comm, 0, 0)"),
    collective("Bcast", "ONE_TO_ALL", "_ count type root comm", "bcast(comm, root, count, type)"),
    collective(
        "Gather",
        "ALL_TO_ONE",
        "sent count type _ root_count root_type root comm",
        "one_for_all(2, comm, root, is_in_place(sent, f), count, type, root_count, root_type)",
    ),
    collective(
        "Gatherv",
        "ALL_TO_ONE",
        "sent count type _ counts _ root_type root comm",
        "parts_for_all(3, comm, root, is_in_place(sent, f), count, type, counts, sizeof *counts, \
         root_type)",
    ),
    collective(
        "Scatter",
        "ONE_TO_ALL",
        "_ root_count root_type received count type root comm",
        "one_for_all(4, comm, root, is_in_place(received, f), count, type, root_count, root_type)",
    ),
    collective(
        "Scatterv",
        "ONE_TO_ALL",
        "_ counts _ root_type received count type root comm",
        "parts_for_all(5, comm, root, is_in_place(received, f), count, type, counts, \
         sizeof *counts, root_type)",
    ),
    collective(
        "Allgather",
        "ALL_TO_ALL",
        "sent count type _ back back_type comm",
        "exchange(6, comm, is_in_place(sent, f), count, type, back, back_type)",
    ),
    collective(
        "Allgatherv",
        "ALL_TO_ALL",
        "sent count type _ back _ back_type comm",
        "allgatherv(comm, is_in_place(sent, f), count, type, back, sizeof *back, back_type)",
    ),
    collective(
        "Alltoall",
        "ALL_TO_ALL",
        "sent count type _ back back_type comm",
        "exchange(8, comm, is_in_place(sent, f), count, type, back, back_type)",
    ),
    collective(
        "Alltoallv",
        "ALL_TO_ALL",
        "sent counts _ type _ back _ back_type comm",
        "alltoallv(comm, is_in_place(sent, f), counts, type, back, sizeof *back, back_type)",
    ),
    collective(
        "Alltoallw",
        "ALL_TO_ALL",
        "sent counts _ types _ back _ back_types comm",
        "alltoallw(comm, is_in_place(sent, f), counts, types, back, sizeof *back, back_types, f)",
    ),
    collective(
        "Allreduce",
        "ALL_TO_ALL",
        "_ _ count type _ comm",
        "with_all(11, comm, count, type)",
    ),
    collective(
        "Reduce",
        "ALL_TO_ONE",
        "_ _ count type _ root comm",
        "reduce(comm, root, count, type)",
    ),
    collective(
        "Reduce_scatter",
        "ALL_TO_ALL",
        "_ _ counts type _ comm",
        "reduce_scatter(comm, counts, sizeof *counts, type)",
    ),
    collective("Scan", "COLLECTIVE", "_ _ count type _ comm", "scan(14, comm, count, type)"),
    collective("Exscan", "COLLECTIVE", "_ _ count type _ comm", "scan(15, comm, count, type)"),
    collective(
        "Reduce_scatter_block",
        "ALL_TO_ALL",
        "_ _ count type _ comm",
        "with_all(16, comm, count, type)",
    ),
    collective(
        "Neighbor_allgather",
        "ALL_TO_ALL",
        "_ count type _ back back_type comm",
        "plain(6, comm, bytes_of(count, type) * destinations(comm), \
         bytes_of(back, back_type) * sources(comm))",
    ),
    collective(
        "Neighbor_allgatherv",
        "ALL_TO_ALL",
        "_ count type _ back _ back_type comm",
        "plain(7, comm, bytes_of(count, type) * destinations(comm), \
         total(back, sizeof *back, sources(comm), back_type))",
    ),
    collective(
        "Neighbor_alltoall",
        "ALL_TO_ALL",
        "_ count type _ back back_type comm",
        "plain(8, comm, bytes_of(count, type) * destinations(comm), \
         bytes_of(back, back_type) * sources(comm))",
    ),
    collective(
        "Neighbor_alltoallv",
        "ALL_TO_ALL",
        "_ counts _ type _ back _ back_type comm",
        "plain(9, comm, total(counts, sizeof *counts, destinations(comm), type), \
         total(back, sizeof *back, sources(comm), back_type))",
    ),
    collective(
        "Neighbor_alltoallw",
        "ALL_TO_ALL",
        "_ counts _ types _ back _ back_types comm",
        "plain(10, comm, total_of_types(counts, sizeof *counts, destinations(comm), types, f), \
         total_of_types(back, sizeof *back, sources(comm), back_types, f))",
    ),
];

/// The form of a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// It is done when the function returns.
    Blocking,
    /// `MPI_I...`: it has a request behind its other parameters.
    NonBlocking,
    /// `MPI_..._init`: an info and a request.
    Persistent,
}

/// What a function raises.
pub enum Meaning {
    /// Nothing but its time.
    Timed,
    /// These events.
    Events(&'static Events),
    /// Those of a collective operation.
    Collective(&'static Collective, Form),
}

/// What the function of this name, without `MPI_`, means.
pub fn meaning(name: &str) -> Meaning {
    let name = name.strip_suffix("_c").unwrap_or(name);
    if let Some(events) = EVENTS.iter().find(|events| events.names.contains(&name)) {
        return Meaning::Events(events);
    }
    match form(name) {
        Some((collective, form)) => Meaning::Collective(collective, form),
        None => Meaning::Timed,
    }
}

fn form(name: &str) -> Option<(&'static Collective, Form)> {
    let of = |name: &str| COLLECTIVES.iter().find(|known| known.name == name);
    if let Some(known) = of(name) {
        return Some((known, Form::Blocking));
    }
    if let Some(known) = name.strip_suffix("_init").and_then(of) {
        return Some((known, Form::Persistent));
    }
    let rest = name.strip_prefix('I')?;
    let capital = rest.get(..1)?.to_ascii_uppercase() + rest.get(1..)?;
    of(&capital).map(|known| (known, Form::NonBlocking))
}

/// The kind of a function, without `POMP_MPI_`.
pub fn kind(name: &str) -> &'static str {
    let name = name.strip_suffix("_c").unwrap_or(name);
    if let Some((collective, _)) = form(name) {
        return collective.kind;
    }
    let (group, rest) = name.split_once('_').unwrap_or((name, ""));
    match group {
        "Init" | "Initialized" | "Finalize" | "Finalized" | "Abort" | "Session" => "INIT_EXIT",
        "Comm" | "Group" | "Cart" | "Cartdim" | "Graph" | "Graphdims" | "Dist" | "Intercomm"
        | "Topo" | "Dims" | "Open" | "Close" | "Lookup" | "Publish" | "Unpublish" => "COMMUNICATOR",
        "Put" | "Get" | "Accumulate" | "Fetch" | "Compare" | "Rput" | "Rget" | "Raccumulate"
            if is_one_sided(name) =>
        {
            "ONE_SIDED"
        }
        "Win" if is_synchronisation(rest) => "SYNCHRONISATION",
        "Win" => "WINDOW",
        "File" => file(rest),
        _ if is_point_to_point(group, name) => "POINT_TO_POINT",
        _ => "OTHER",
    }
}

fn is_one_sided(name: &str) -> bool {
    let names = [
        "Put",
        "Get",
        "Accumulate",
        "Get_accumulate",
        "Fetch_and_op",
        "Compare_and_swap",
        "Rput",
        "Rget",
        "Raccumulate",
        "Rget_accumulate",
    ];
    names.contains(&name)
}

fn is_synchronisation(rest: &str) -> bool {
    let names = [
        "fence",
        "start",
        "complete",
        "post",
        "wait",
        "test",
        "lock",
        "lock_all",
        "unlock",
        "unlock_all",
        "flush",
        "flush_all",
        "flush_local",
        "flush_local_all",
        "sync",
    ];
    names.contains(&rest)
}

fn is_point_to_point(group: &str, name: &str) -> bool {
    let starts = ["Send", "Ssend", "Rsend", "Bsend", "Recv", "Psend", "Precv", "Sendrecv"];
    let names = [
        "Isend",
        "Issend",
        "Irsend",
        "Ibsend",
        "Irecv",
        "Isendrecv",
        "Start",
        "Startall",
        "Wait",
        "Waitall",
        "Waitany",
        "Waitsome",
        "Test",
        "Testall",
        "Testany",
        "Testsome",
        "Cancel",
        "Probe",
        "Iprobe",
        "Mprobe",
        "Improbe",
        "Mrecv",
        "Imrecv",
        "Pready",
        "Parrived",
    ];
    starts.contains(&group) || names.contains(&group) || name == "Request_free"
}

fn file(rest: &str) -> &'static str {
    let moves = ["read", "write", "iread", "iwrite"].iter().any(|start| rest.starts_with(start));
    match moves {
        false => "FILE_MANAGEMENT",
        true if rest.contains("_all") || rest.contains("_ordered") => "FILE_COLLECTIVE",
        true => "FILE",
    }
}

/// Whether a function gets a wrapper: not what only converts, what MPI calls itself, nor the
/// interface of tools.
pub fn is_wrapped(name: &str) -> bool {
    let converts = ["_f2c", "_c2f", "_f082c", "_c2f08", "_f082f", "_f2f08"];
    let others = ["Aint_add", "Aint_diff", "DUP_FN", "NULL_COPY_FN", "NULL_DELETE_FN"];
    !converts.iter().any(|end| name.ends_with(end))
        && !name.starts_with("T_")
        && !others.contains(&name)
        && name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.contains(|letter: char| letter.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn kinds_follow_from_names() {
        let names = "Init_thread Send Isend_c Isendrecv Waitsome Request_free Request_get_status \
            Ibcast Bcast_init Barrier Ineighbor_alltoallw Exscan Comm_split_type Cart_shift \
            Group_incl Get Get_address Rget_accumulate Get_count Win_fence Win_create File_open \
            File_iread_all File_write_at Type_commit Info_set Wtime Pready_range";
        let lines = names.split_whitespace().map(|name| format!("{name} {}\n", kind(name)));
        expect![[r#"
            Init_thread INIT_EXIT
            Send POINT_TO_POINT
            Isend_c POINT_TO_POINT
            Isendrecv POINT_TO_POINT
            Waitsome POINT_TO_POINT
            Request_free POINT_TO_POINT
            Request_get_status OTHER
            Ibcast ONE_TO_ALL
            Bcast_init ONE_TO_ALL
            Barrier BARRIER
            Ineighbor_alltoallw ALL_TO_ALL
            Exscan COLLECTIVE
            Comm_split_type COMMUNICATOR
            Cart_shift COMMUNICATOR
            Group_incl COMMUNICATOR
            Get ONE_SIDED
            Get_address OTHER
            Rget_accumulate ONE_SIDED
            Get_count OTHER
            Win_fence SYNCHRONISATION
            Win_create WINDOW
            File_open FILE_MANAGEMENT
            File_iread_all FILE_COLLECTIVE
            File_write_at FILE
            Type_commit OTHER
            Info_set OTHER
            Wtime OTHER
            Pready_range POINT_TO_POINT
        "#]]
        .assert_eq(&lines.collect::<String>());
    }
}
