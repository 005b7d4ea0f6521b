//! Files.

use super::{Events, events, on_success};

/// Those with events.
pub(super) const EVENTS: &[Events] = &[
    events(
        &["File_open"],
        "comm name mode _ made",
        "",
        "opened(comm, name, length0, mode, made, result, f);",
    ),
    on_success(
        &["File_close"],
        "file",
        "uint64_t closed = H(file_at(file, f)), closing = pomp_mpi_file_closing(closed);",
        "pomp_mpi_file_closed(closed, closing);",
    ),
    events(&["File_delete"], "name", "", "deleted(name, length0, result, f);"),
    events(&["File_seek"], "file offset whence", "", "sought(file, offset, whence, 0, result);"),
    events(
        &["File_seek_shared"],
        "file offset whence",
        "",
        "sought(file, offset, whence, 1, result);",
    ),
    on_success(
        &["File_sync"],
        "file",
        "uint64_t id = pomp_mpi_file_begin(H(file), POMP_MPI_FLUSH, POMP_MPI_COLLECTIVE_FILE, 0);",
        "pomp_mpi_file_end(H(file), id, POMP_MPI_FLUSH, 0);",
    ),
    events(
        &["File_read", "File_read_shared"],
        "file _ count type status",
        "uint64_t id = moves(file, POMP_MPI_READ, 0, count, type);",
        "moved(file, id, POMP_MPI_READ, status, result, f);",
    ),
    events(
        &["File_read_at"],
        "file _ _ count type status",
        "uint64_t id = moves(file, POMP_MPI_READ, 0, count, type);",
        "moved(file, id, POMP_MPI_READ, status, result, f);",
    ),
    events(
        &["File_read_all", "File_read_ordered"],
        "file _ count type status",
        "uint64_t id = moves(file, POMP_MPI_READ, POMP_MPI_COLLECTIVE_FILE, count, type);",
        "moved(file, id, POMP_MPI_READ, status, result, f);",
    ),
    events(
        &["File_read_at_all"],
        "file _ _ count type status",
        "uint64_t id = moves(file, POMP_MPI_READ, POMP_MPI_COLLECTIVE_FILE, count, type);",
        "moved(file, id, POMP_MPI_READ, status, result, f);",
    ),
    events(
        &["File_iread", "File_iread_shared"],
        "file _ count type request",
        "uint64_t id = moves(file, POMP_MPI_READ, POMP_MPI_NON_BLOCKING, count, type);",
        "moving(file, id, POMP_MPI_READ, count, type, request, result, f);",
    ),
    events(
        &["File_iread_at"],
        "file _ _ count type request",
        "uint64_t id = moves(file, POMP_MPI_READ, POMP_MPI_NON_BLOCKING, count, type);",
        "moving(file, id, POMP_MPI_READ, count, type, request, result, f);",
    ),
    events(
        &["File_iread_all"],
        "file _ count type request",
        "uint64_t id = moves(file, POMP_MPI_READ, SPLIT_COLLECTIVE, count, type);",
        "moving(file, id, POMP_MPI_READ, count, type, request, result, f);",
    ),
    events(
        &["File_iread_at_all"],
        "file _ _ count type request",
        "uint64_t id = moves(file, POMP_MPI_READ, SPLIT_COLLECTIVE, count, type);",
        "moving(file, id, POMP_MPI_READ, count, type, request, result, f);",
    ),
    on_success(
        &["File_read_all_begin", "File_read_ordered_begin"],
        "file _ count type",
        "uint64_t id = moves(file, POMP_MPI_READ, SPLIT_COLLECTIVE, count, type);",
        "pomp_mpi_file_split(H(file), id);",
    ),
    on_success(
        &["File_read_at_all_begin"],
        "file _ _ count type",
        "uint64_t id = moves(file, POMP_MPI_READ, SPLIT_COLLECTIVE, count, type);",
        "pomp_mpi_file_split(H(file), id);",
    ),
    events(
        &["File_read_all_end", "File_read_at_all_end", "File_read_ordered_end"],
        "file _ status",
        "uint64_t id = pomp_mpi_file_splitting(H(file));",
        "split_moved(file, id, POMP_MPI_READ, status, result, f);",
    ),
    events(
        &["File_write", "File_write_shared"],
        "file _ count type status",
        "uint64_t id = moves(file, POMP_MPI_WRITE, 0, count, type);",
        "moved(file, id, POMP_MPI_WRITE, status, result, f);",
    ),
    events(
        &["File_write_at"],
        "file _ _ count type status",
        "uint64_t id = moves(file, POMP_MPI_WRITE, 0, count, type);",
        "moved(file, id, POMP_MPI_WRITE, status, result, f);",
    ),
    events(
        &["File_write_all", "File_write_ordered"],
        "file _ count type status",
        "uint64_t id = moves(file, POMP_MPI_WRITE, POMP_MPI_COLLECTIVE_FILE, count, type);",
        "moved(file, id, POMP_MPI_WRITE, status, result, f);",
    ),
    events(
        &["File_write_at_all"],
        "file _ _ count type status",
        "uint64_t id = moves(file, POMP_MPI_WRITE, POMP_MPI_COLLECTIVE_FILE, count, type);",
        "moved(file, id, POMP_MPI_WRITE, status, result, f);",
    ),
    events(
        &["File_iwrite", "File_iwrite_shared"],
        "file _ count type request",
        "uint64_t id = moves(file, POMP_MPI_WRITE, POMP_MPI_NON_BLOCKING, count, type);",
        "moving(file, id, POMP_MPI_WRITE, count, type, request, result, f);",
    ),
    events(
        &["File_iwrite_at"],
        "file _ _ count type request",
        "uint64_t id = moves(file, POMP_MPI_WRITE, POMP_MPI_NON_BLOCKING, count, type);",
        "moving(file, id, POMP_MPI_WRITE, count, type, request, result, f);",
    ),
    events(
        &["File_iwrite_all"],
        "file _ count type request",
        "uint64_t id = moves(file, POMP_MPI_WRITE, SPLIT_COLLECTIVE, count, type);",
        "moving(file, id, POMP_MPI_WRITE, count, type, request, result, f);",
    ),
    events(
        &["File_iwrite_at_all"],
        "file _ _ count type request",
        "uint64_t id = moves(file, POMP_MPI_WRITE, SPLIT_COLLECTIVE, count, type);",
        "moving(file, id, POMP_MPI_WRITE, count, type, request, result, f);",
    ),
    on_success(
        &["File_write_all_begin", "File_write_ordered_begin"],
        "file _ count type",
        "uint64_t id = moves(file, POMP_MPI_WRITE, SPLIT_COLLECTIVE, count, type);",
        "pomp_mpi_file_split(H(file), id);",
    ),
    on_success(
        &["File_write_at_all_begin"],
        "file _ _ count type",
        "uint64_t id = moves(file, POMP_MPI_WRITE, SPLIT_COLLECTIVE, count, type);",
        "pomp_mpi_file_split(H(file), id);",
    ),
    events(
        &["File_write_all_end", "File_write_at_all_end", "File_write_ordered_end"],
        "file _ status",
        "uint64_t id = pomp_mpi_file_splitting(H(file));",
        "split_moved(file, id, POMP_MPI_WRITE, status, result, f);",
    ),
];
