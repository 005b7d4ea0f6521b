//! Messages of two processes, and requests of any operation.

use super::{Events, events, on_success};

const SAVE_ONE: &str =
    "SCRATCH(memory);\nstruct pomp_mpi_known *saved = before_call(&memory, 1, request, f);\n";
const SAVE_ALL: &str =
    "SCRATCH(memory);\nstruct pomp_mpi_known *saved = before_call(&memory, count, requests, f);\n";
const SAVE_ALL_WITH_STATUSES: &str = "SCRATCH(memory);
SCRATCH(statuses_memory);
struct pomp_mpi_known *saved = before_call(&memory, count, requests, f);
statuses = own_statuses(&statuses_memory, count, statuses, f);\n";
const SOME_COMPLETED: &str = "if (*done != MPI_UNDEFINED)
  some_completed(saved, *done, indices, statuses, result, f);";
const FOUND: &str = "if (is_true(flag))\n  found();";

/// Those with events.
pub(super) const EVENTS: &[Events] = &[
    events(
        &["Send", "Ssend", "Rsend", "Bsend"],
        "_ count type dest tag comm",
        "sends(comm, dest, tag, count, type);",
        "sent(comm, dest, tag, result);",
    ),
    events(&["Recv"], "_ _ _ _ _ comm status", "", "received(comm, status, result, f);"),
    events(
        &["Sendrecv"],
        "_ count type dest tag _ _ _ _ _ comm status",
        "sends(comm, dest, tag, count, type);",
        "sent(comm, dest, tag, result);\nreceived(comm, status, result, f);",
    ),
    events(
        &["Sendrecv_replace"],
        "_ count type dest tag _ _ comm status",
        "sends(comm, dest, tag, count, type);",
        "sent(comm, dest, tag, result);\nreceived(comm, status, result, f);",
    ),
    events(
        &["Isend", "Issend", "Irsend", "Ibsend"],
        "_ count type dest tag comm request",
        "uint64_t id = isends(comm, dest, tag, count, type);",
        "isent(request, id, comm, dest, tag, result, f);",
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
        "prepared(request, POMP_MPI_SEND, comm, dest, tag, bytes_of(count, type), key_of(comm),
         result, f);",
    ),
    events(
        &["Recv_init"],
        "_ _ _ source tag comm request",
        "",
        "prepared(request, POMP_MPI_RECEIVE, comm, source, tag, 0, key_of(comm), result, f);",
    ),
    events(
        &["Psend_init"],
        "_ partitions count type dest tag comm _ request",
        "",
        "prepared_in_parts(request, comm, dest, tag, partitions, bytes_of(count, type), result,
                  f);",
    ),
    events(
        &["Precv_init"],
        "_ _ _ _ source tag comm _ request",
        "",
        "prepared(request, POMP_MPI_RECEIVE_IN_PARTS, comm, source, tag, 0, key_of(comm), result,
         f);",
    ),
    events(&["Pready"], "_ request", "readies(request, 1);", ""),
    events(&["Pready_range"], "low high request", "readies(request, high - low + 1);", ""),
    events(&["Pready_list"], "count _ request", "readies(request, count);", ""),
    events(
        &["Start"],
        "request",
        "SCRATCH(memory);\nuint64_t *before = starts(&memory, 1, request, f);",
        "started(before, 1, request, result, f);",
    ),
    events(
        &["Startall"],
        "count requests",
        "SCRATCH(memory);\nuint64_t *before = starts(&memory, count, requests, f);",
        "started(before, count, requests, result, f);",
    ),
    events(&["Wait"], "request status", SAVE_ONE, "one_completed(saved, f, status, result, f);"),
    events(
        &["Test"],
        "request flag status",
        SAVE_ONE,
        "if (is_true(flag))
  one_completed(saved, f, status, result, f);
else
  tested(saved, 1);",
    )
    .quiet(),
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
    )
    .quiet(),
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
    )
    .quiet(),
    events(
        &["Waitsome"],
        "count requests done indices statuses",
        SAVE_ALL_WITH_STATUSES,
        SOME_COMPLETED,
    ),
    events(
        &["Testsome"],
        "count requests done indices statuses",
        SAVE_ALL_WITH_STATUSES,
        SOME_COMPLETED,
    )
    .quiet(),
    events(&["Cancel"], "request", "pomp_mpi_request_cancel(H(request_at(request, 0, f)));", ""),
    events(&["Request_free"], "request", "freeing_request(request, f);", ""),
    events(&["Mprobe"], "_ _ comm message _", "", "matched(message, comm, result, f);"),
    events(
        &["Improbe"],
        "_ _ comm flag message _",
        "",
        "if (result == MPI_SUCCESS && is_true(flag)) {
  found();
  matched(message, comm, result, f);
}",
    )
    .quiet(),
    on_success(&["Iprobe"], "_ _ _ flag", "", FOUND).quiet(),
    on_success(&["Request_get_status"], "_ flag", "", FOUND).quiet(),
    on_success(&["Request_get_status_all"], "_ _ flag", "", FOUND).quiet(),
    on_success(&["Request_get_status_any"], "_ _ _ flag", "", FOUND).quiet(),
    on_success(
        &["Request_get_status_some"],
        "_ _ done",
        "",
        "if (*done != MPI_UNDEFINED && *done > 0)\n  found();",
    )
    .quiet(),
    on_success(&["Parrived"], "_ _ flag", "", FOUND).quiet(),
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
];
