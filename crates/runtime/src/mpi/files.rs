//! Files of MPI: what is open, and what is read and written.
//!
//! An open file is called by its name, its communicator, and by how many others of these are open.

use std::ffi::{c_char, c_int};

use pompeii_live::{FixedTable, encode};

use super::table::Table;
use super::{When, begin, comms, messages, record};
use crate::entry::on_thread;
use crate::files::Opened;
use crate::location::Location;
use crate::transfers::Moved;

/// OTF2's number of what is written; what is read has 0.
const WRITE: c_int = 1;
/// The number that `finish` gives to the interface of MPI.
const MPI_IO: u8 = 0;

/// Ids of open files, and of the operation of theirs that has begun and is to be ended by another
/// call (0 for none), by handle.
static FILES: Table<2, { FixedTable::Files.places() }> = Table::new();

/// The id of an open file in records.
pub(super) fn file_id(handle: u64) -> Option<u32> {
    FILES.get(handle).map(|[id, _]| id as u32)
}

/// The text of a name, which need not be a C string.
///
/// # Safety
/// So many bytes.
unsafe fn path(name: *const c_char, bytes: usize) -> String {
    if name.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    let name = unsafe { std::slice::from_raw_parts(name.cast::<u8>(), bytes) };
    String::from_utf8_lossy(name).into_owned()
}

/// A file is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_file_open(
    handle: u64,
    comm: u64,
    name: *const c_char,
    name_bytes: usize,
    access: c_int,
    creation_flags: u32,
    status_flags: u32,
) {
    let Some(comm) = comms::id(comm) else { return };
    // SAFETY: the contract of `pomp_mpi.h`.
    let path = unsafe { path(name, name_bytes) };
    on_thread!(|thread| {
        let id = thread.process.open_file(&path, Opened::Together(comm));
        if !FILES.set(handle, [u64::from(id), 0]) {
            thread.process.has_no_place(FixedTable::Files);
        }
        let access = access as u8;
        record(thread, When::Now, |room, last, now| {
            encode::io_create_handle(room, last, now, id, access, creation_flags, status_flags)
        });
    });
}

/// Before a file is closed: what [`pomp_mpi_file_closed`] needs, 0 where it is not known.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_file_closing(handle: u64) -> u64 {
    file_id(handle).map_or(0, |id| u64::from(id) + 1)
}

/// It is closed. Another thread may have got its handle for a file of its own by now.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_file_closed(handle: u64, closing: u64) {
    let Some(number) = closing.checked_sub(1) else { return };
    let id = number as u32;
    FILES.remove_if(handle, |words| words.at(0) == number);
    on_thread!(|thread| {
        record(thread, When::Now, |room, last, now| encode::io_destroy_handle(room, last, now, id));
        thread.process.close_file(id);
    });
}

/// A file is deleted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_file_delete(name: *const c_char, name_bytes: usize) {
    // SAFETY: the contract of `pomp_mpi.h`.
    let path = unsafe { path(name, name_bytes) };
    on_thread!(|thread| {
        let file = thread.process.file(&path);
        record(thread, When::Now, |room, last, now| {
            encode::io_delete_file(room, last, now, MPI_IO, file)
        });
    });
}

/// The place in a file has changed.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_file_seek(handle: u64, request: i64, whence: c_int, result: u64) {
    let Some(id) = file_id(handle) else { return };
    on_thread!(|thread| record(thread, When::Now, |room, last, now| {
        encode::io_seek(room, last, now, id, request, whence as u8, result)
    }));
}

/// Before an operation: its id; `mode` 0 is reading, 1 writing, 2 flushing.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_file_begin(handle: u64, mode: c_int, flags: u32, bytes: u64) -> u64 {
    let number = messages::new_request();
    on_thread!(|thread| {
        if let Some(id) = file_id(handle) {
            begin(thread, Moved::default(), |room, last, now| {
                encode::io_operation_begin(room, last, now, id, mode as u8, flags, bytes, number)
            });
        }
    });
    number
}

/// It is under way, and the call is over.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_file_issued(handle: u64, number: u64) {
    let Some(id) = file_id(handle) else { return };
    on_thread!(|thread| record(thread, When::Now, |room, last, now| {
        encode::io_operation_issued(room, last, now, id, number)
    }));
}

/// It is complete.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_file_end(handle: u64, number: u64, mode: c_int, bytes: u64) {
    let id = file_id(handle);
    let (sent, received) = if mode == WRITE { (bytes, 0) } else { (0, bytes) };
    on_thread!(|thread| {
        messages::count_moved(thread, sent, received);
        if let Some(id) = id {
            complete(thread, id, bytes, number);
        }
    });
}

/// The record of an operation that is complete.
pub(super) fn complete(thread: &mut Location, id: u32, bytes: u64, number: u64) {
    record(thread, When::Now, |room, last, now| {
        encode::io_operation_complete(room, last, now, id, bytes, number)
    });
}

/// Another call will end the operation.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_file_split(handle: u64, number: u64) {
    if let Some([id, _]) = FILES.get(handle) {
        FILES.set(handle, [id, number]);
        pomp_mpi_file_issued(handle, number);
    }
}

/// The operation that this call ends; 0 where none is known.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_file_splitting(handle: u64) -> u64 {
    let Some([id, number]) = FILES.get(handle) else { return 0 };
    FILES.set(handle, [id, 0]);
    number
}
