//! Messages and collective operations.

use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering};

use pompeii_live::encode;

use super::{When, begin, comms, record};
use crate::entry::on_thread;
use crate::location::Location;
use crate::transfers::Moved;

/// Ids of requests: unique in the process, since the thread that completes one need not be the one
/// that has started it.
static REQUESTS: AtomicU64 = AtomicU64::new(1);

/// An id for a request.
pub(super) fn new_request() -> u64 {
    REQUESTS.fetch_add(1, Ordering::Relaxed)
}

/// Adds a message to what was received in the function that the thread is in.
#[inline(always)]
pub(super) fn count_received(thread: &mut Location, bytes: u64) {
    if !thread.is_passing() {
        let mpi = thread.current().mpi_mut();
        *mpi.bytes_received += bytes;
        *mpi.messages_received += 1;
    }
}

/// Adds what an operation without messages has moved.
pub(super) fn count_moved(thread: &mut Location, sent: u64, received: u64) {
    if !thread.is_passing() {
        let mpi = thread.current().mpi_mut();
        *mpi.bytes_sent += sent;
        *mpi.bytes_received += received;
    }
}

/// A root in records (OTF2's `CollectiveRoot`): none is -1, this process of one side of an
/// intercommunicator is -2, another of that side is -3.
pub(super) fn root(of: c_int) -> u32 {
    of as u32
}

/// Before a blocking send.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_send(comm: u64, receiver: c_int, tag: c_int, bytes: u64) {
    on_thread!(|thread| {
        let comm = if thread.tracing { comms::id(comm) } else { None };
        begin(thread, Moved::message(bytes), |room, last, now| {
            comm.map_or(0, |comm| {
                encode::mpi_send(room, last, now, receiver as u32, comm, tag as u32, bytes)
            })
        });
    });
}

/// After a blocking receive.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_recv(comm: u64, sender: c_int, tag: c_int, bytes: u64) {
    on_thread!(|thread| {
        count_received(thread, bytes);
        if let (true, Some(comm)) = (thread.tracing, comms::id(comm)) {
            record(thread, When::Now, |room, last, now| {
                encode::mpi_recv(room, last, now, sender as u32, comm, tag as u32, bytes)
            });
        }
    });
}

/// Before a non-blocking send.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_isend(comm: u64, receiver: c_int, tag: c_int, bytes: u64) -> u64 {
    let id = new_request();
    on_thread!(|thread| {
        let comm = if thread.tracing { comms::id(comm) } else { None };
        isend(thread, comm, (receiver, tag, bytes), id);
    });
    id
}

/// The records of a send that begins.
pub(super) fn isend(
    thread: &mut Location,
    comm: Option<u32>,
    (receiver, tag, bytes): (c_int, c_int, u64),
    id: u64,
) {
    begin(thread, Moved::message(bytes), |room, last, now| {
        comm.map_or(0, |comm| {
            encode::mpi_isend(room, last, now, receiver as u32, comm, tag as u32, bytes, id)
        })
    });
}

/// Before a non-blocking receive.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_irecv() -> u64 {
    let id = new_request();
    on_thread!(|thread| irecv(thread, id));
    id
}

/// The record of a receive that is posted.
pub(super) fn irecv(thread: &mut Location, id: u64) {
    begin(thread, Moved::default(), |room, last, now| {
        encode::mpi_irecv_request(room, last, now, id)
    });
}

/// Before a collective operation.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_collective_begin() {
    on_thread!(|thread| begin(thread, Moved::default(), encode::mpi_collective_begin));
}

/// After it.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_collective_end(
    operation: c_int,
    comm: u64,
    root_rank: c_int,
    sent: u64,
    received: u64,
) {
    on_thread!(|thread| {
        count_moved(thread, sent, received);
        // One that was made before all processes are known has no definition, so that records
        // cannot name it.
        if let Some(comm) = comms::id(comm) {
            let (operation, root) = (operation as u8, root(root_rank));
            record(thread, When::Now, |room, last, now| {
                encode::mpi_collective_end(room, last, now, operation, comm, root, sent, received)
            });
        } else {
            let begun = std::mem::take(&mut thread.mpi_begun);
            thread.revoke(begun.noted_records());
        }
    });
}

/// Before a non-blocking one.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_icollective() -> u64 {
    let id = new_request();
    on_thread!(|thread| icollective(thread, id));
    id
}

/// The record of a non-blocking collective operation that begins.
pub(super) fn icollective(thread: &mut Location, id: u64) {
    begin(thread, Moved::default(), |room, last, now| {
        encode::non_blocking_collective_request(room, last, now, id)
    });
}
