//! One-sided communication.

use super::{Events, events, on_success};

/// Those with events.
pub(super) const EVENTS: &[Events] = &[
    on_success(
        &["Win_create"],
        "_ _ _ _ comm made",
        "pomp_mpi_rma_collective_begin();",
        "window_made(made, comm, 0, f);",
    ),
    on_success(
        &["Win_allocate", "Win_allocate_shared"],
        "_ _ _ comm _ made",
        "pomp_mpi_rma_collective_begin();",
        "window_made(made, comm, 1, f);",
    ),
    on_success(
        &["Win_create_dynamic"],
        "_ comm made",
        "pomp_mpi_rma_collective_begin();",
        "window_made(made, comm, 0, f);",
    ),
    on_success(
        &["Win_free"],
        "win",
        "uint64_t freed = H(win_at(win, f)), released = pomp_mpi_win_release(freed);",
        "pomp_mpi_win_freed(freed, released);",
    ),
    on_success(&["Win_set_name"], "win", "", "window_named(win);"),
    on_success(
        &["Win_fence"],
        "_ win",
        "pomp_mpi_rma_collective_begin();",
        "pomp_mpi_win_fence(H(win));",
    ),
    on_success(&["Win_start"], "group _ win", "", "epoch(win, group, 0);"),
    on_success(&["Win_post"], "group _ win", "", "epoch(win, group, 1);"),
    on_success(&["Win_complete"], "win", "", "pomp_mpi_win_epoch_end(H(win), 0);"),
    on_success(&["Win_wait"], "win", "", "pomp_mpi_win_epoch_end(H(win), 1);"),
    on_success(
        &["Win_test"],
        "win flag",
        "",
        "if (is_true(flag))\n  pomp_mpi_win_epoch_end(H(win), 1);",
    )
    .quiet(),
    on_success(
        &["Win_lock"],
        "type rank _ win",
        "pomp_mpi_win_request_lock(H(win), rank, type == MPI_LOCK_SHARED);",
        "pomp_mpi_win_locked(H(win), rank, type == MPI_LOCK_SHARED);",
    ),
    on_success(
        &["Win_lock_all"],
        "_ win",
        "pomp_mpi_win_request_lock(H(win), -1, 1);",
        "pomp_mpi_win_locked(H(win), -1, 1);",
    ),
    on_success(&["Win_unlock"], "rank win", "", "pomp_mpi_win_unlocked(H(win), rank);"),
    on_success(&["Win_unlock_all"], "win", "", "pomp_mpi_win_unlocked(H(win), -1);"),
    on_success(&["Win_flush"], "rank win", "", "pomp_mpi_win_flushed(H(win), rank, 0);"),
    on_success(&["Win_flush_local"], "rank win", "", "pomp_mpi_win_flushed(H(win), rank, 1);"),
    on_success(&["Win_flush_all"], "win", "", "pomp_mpi_win_flushed(H(win), -1, 0);"),
    on_success(&["Win_flush_local_all"], "win", "", "pomp_mpi_win_flushed(H(win), -1, 1);"),
    on_success(&["Win_sync"], "win", "", "pomp_mpi_win_sync(H(win));"),
    on_success(
        &["Put"],
        "_ count type target _ _ _ win",
        "operates(win, target, POMP_MPI_PUT, bytes_of(count, type), 0);",
        "",
    ),
    on_success(
        &["Get"],
        "_ count type target _ _ _ win",
        "operates(win, target, POMP_MPI_GET, 0, bytes_of(count, type));",
        "",
    ),
    on_success(
        &["Accumulate"],
        "_ count type target _ _ _ _ win",
        "operates(win, target, POMP_MPI_ACCUMULATE, bytes_of(count, type), 0);",
        "",
    ),
    on_success(
        &["Get_accumulate"],
        "_ count type _ back back_type target _ _ _ _ win",
        "operates(win, target, POMP_MPI_FETCH_AND_ACCUMULATE,\n         bytes_of(count, type), bytes_of(back, back_type));",
        "",
    ),
    on_success(
        &["Fetch_and_op"],
        "_ _ type target _ op win",
        "operates(win, target, fetching(op), bytes_of(1, type), bytes_of(1, type));",
        "",
    ),
    on_success(
        &["Compare_and_swap"],
        "_ _ _ type target _ win",
        "operates(win, target, POMP_MPI_COMPARE_AND_SWAP, bytes_of(1, type), bytes_of(1, type));",
        "",
    ),
    events(
        &["Rput"],
        "_ count type target _ _ _ win request",
        "uint64_t id = ioperates(win, target, POMP_MPI_PUT, bytes_of(count, type), 0);",
        "posted(request, id, POMP_MPI_RMA_REQUEST, H(win), result, f);",
    ),
    events(
        &["Rget"],
        "_ count type target _ _ _ win request",
        "uint64_t id = ioperates(win, target, POMP_MPI_GET, 0, bytes_of(count, type));",
        "posted(request, id, POMP_MPI_RMA_REQUEST, H(win), result, f);",
    ),
    events(
        &["Raccumulate"],
        "_ count type target _ _ _ _ win request",
        "uint64_t id = ioperates(win, target, POMP_MPI_ACCUMULATE, bytes_of(count, type), 0);",
        "posted(request, id, POMP_MPI_RMA_REQUEST, H(win), result, f);",
    ),
    events(
        &["Rget_accumulate"],
        "_ count type _ back back_type target _ _ _ _ win request",
        "uint64_t id = ioperates(win, target, POMP_MPI_FETCH_AND_ACCUMULATE,\n         bytes_of(count, type), bytes_of(back, back_type));",
        "posted(request, id, POMP_MPI_RMA_REQUEST, H(win), result, f);",
    ),
];
