//! Requests: what is under way, from the call that makes it to the one that finds it complete.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};

use pompeii_live::encode;

use super::table::Table;
use super::{When, comms, files, messages, record, windows};
use crate::location::Location;
use crate::pomp::on_thread;

/// `struct pomp_mpi_request`.
#[repr(C)]
pub struct Made {
    handle: u64,
    id: u64,
    comm: u64,
    kind: i32,
    persistent: i32,
    partner: i32,
    tag: i32,
    operation: i32,
    new_comm: u32,
    sent: u64,
    received: u64,
    place: *mut c_void,
    own: u64,
}

#[cfg(test)]
impl Made {
    /// The request of a receive.
    pub fn receive(handle: u64, id: u64) -> Self {
        // SAFETY: numbers and an address, which may all be 0.
        Self { handle, id, kind: i32::from(kind::RECEIVE), ..unsafe { std::mem::zeroed() } }
    }
}

/// `enum pomp_mpi_request_kind`.
mod kind {
    pub const SEND: u8 = 1;
    pub const RECEIVE: u8 = 2;
    pub const ICOLLECTIVE: u8 = 3;
    pub const MESSAGE: u8 = 4;
    pub const COMM_DUP: u8 = 5;
    pub const RMA: u8 = 6;
    pub const FILE: u8 = 7;
    pub const SEND_IN_PARTS: u8 = 8;
    pub const RECEIVE_IN_PARTS: u8 = 9;
}

/// What is known of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Request {
    kind: u8,
    persistent: bool,
    /// It was asked to be cancelled.
    cancelled: bool,
    operation: u8,
    /// How often it was tested and was not complete.
    tests: u32,
    /// 0 where it is not under way.
    id: u64,
    /// Id of its communicator, window or file in records; the handle of a matched message's.
    comm: u64,
    partner: i32,
    tag: i32,
    /// Bytes; where a new communicator's handle will be.
    sent: u64,
    /// Bytes; the new communicator's id.
    received: u64,
    /// The wrapper's.
    own: u64,
}

const WORDS: usize = 7;

impl Request {
    fn words(self) -> [u64; WORDS] {
        let flags = u64::from(self.persistent) | u64::from(self.cancelled) << 1;
        let first = u64::from(self.kind) | flags << 8 | u64::from(self.operation) << 16;
        let first = first | u64::from(self.tests) << 32;
        let partner = u64::from(self.partner as u32) | u64::from(self.tag as u32) << 32;
        [first, self.id, self.comm, partner, self.sent, self.received, self.own]
    }

    fn of([first, id, comm, partner, sent, received, own]: [u64; WORDS]) -> Self {
        Self {
            kind: first as u8,
            persistent: first & 1 << 8 != 0,
            cancelled: first & 1 << 9 != 0,
            operation: (first >> 16) as u8,
            tests: (first >> 32) as u32,
            id,
            comm,
            partner: partner as i32,
            tag: (partner >> 32) as i32,
            sent,
            received,
            own,
        }
    }

    fn is_under_way(self) -> bool {
        self.id != 0
    }

    fn is_same_kind(self, other: Self) -> bool {
        self.is_under_way() && self.kind == other.kind
    }

    /// Whether it may be complete as soon as it has begun.
    fn is_at_once(self) -> bool {
        self.is_under_way() && matches!(self.kind, kind::SEND | kind::ICOLLECTIVE | kind::RMA)
    }
}

/// Libraries have one handle for all sends that are complete at once; it is known from the second
/// on. A call that waits for several of them has it several times, and finds none under way.
static AT_ONCE: AtomicU64 = AtomicU64::new(0);

static REQUESTS: Table<WORDS, { 1 << 14 }> = Table::new();

fn find(handle: u64) -> Option<Request> {
    REQUESTS.get(handle).map(Request::of)
}

fn keep(thread: &Location, handle: u64, request: Request) {
    if !REQUESTS.set(handle, request.words()) {
        thread.process.lost(1, libc::ENOSPC);
    }
}

/// A request has come into being.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_request(made: *const Made) {
    // SAFETY: the contract of `pomp_mpi.h`.
    let made = unsafe { &*made };
    let is_dup = made.kind as u8 == kind::COMM_DUP;
    let comm = match made.kind as u8 {
        kind::MESSAGE => Some(made.comm),
        kind::RMA => windows::window_id(made.comm).map(u64::from),
        kind::FILE => files::file_id(made.comm).map(u64::from),
        _ => comms::id(made.comm).map(u64::from),
    };
    let request = Request {
        kind: made.kind as u8,
        persistent: made.persistent != 0,
        cancelled: false,
        operation: made.operation as u8,
        tests: 0,
        id: made.id,
        comm: comm.unwrap_or(u64::from(u32::MAX)),
        partner: made.partner,
        tag: made.tag,
        sent: if is_dup { made.place as u64 } else { made.sent },
        received: if is_dup { u64::from(made.new_comm) } else { made.received },
        own: made.own,
    };
    on_thread!(|thread| {
        // The call that finds it complete is one of messages, whose bytes they are not. (Those of a
        // persistent operation are nobody's: MPI_Start is of messages, too.)
        if matches!(request.kind, kind::ICOLLECTIVE | kind::FILE) && !request.persistent {
            messages::count_moved(thread, request.sent, request.received);
        }
        let is_at_once = request.is_at_once() && made.handle == AT_ONCE.load(Ordering::Relaxed);
        match find(made.handle) {
            _ if is_at_once => complete(thread, request, (0, 0, 0)),
            Some(other) if other.is_same_kind(request) && request.is_at_once() => {
                AT_ONCE.store(made.handle, Ordering::Relaxed);
                REQUESTS.take(made.handle);
                complete(thread, other, (0, 0, 0));
                complete(thread, request, (0, 0, 0));
            }
            Some(_) => keep(thread, made.handle, request),
            None => {
                if !REQUESTS.add(made.handle, request.words()) {
                    thread.process.lost(1, libc::ENOSPC);
                }
            }
        }
    });
}

/// Before a persistent request is started: the id of what is under way already; 0 for nothing,
/// as it should be.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_request_start(handle: u64) -> u64 {
    let Some(mut request) = find(handle).filter(|request| request.persistent) else { return 0 };
    let before = std::mem::replace(&mut request.id, messages::new_request());
    (request.cancelled, request.tests) = (false, 0);
    on_thread!(|thread| {
        let Request { id, comm, partner, tag, sent, .. } = request;
        match request.kind {
            kind::SEND | kind::SEND_IN_PARTS => {
                messages::isend(thread, Some(comm as u32), (partner, tag, sent), id)
            }
            kind::RECEIVE | kind::RECEIVE_IN_PARTS => messages::irecv(thread, id),
            kind::ICOLLECTIVE => messages::icollective(thread, id),
            _ => {}
        }
        keep(thread, handle, request);
    });
    before
}

/// It has not been started: what was under way before still is.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_request_not_started(handle: u64, before: u64) {
    if let Some(request) = find(handle).filter(|request| request.persistent) {
        REQUESTS.set(handle, Request { id: before, ..request }.words());
    }
}

/// What is known of a send that is to be started.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_request_send(
    handle: u64,
    own: *mut u64,
    receiver: *mut c_int,
    tag: *mut c_int,
) -> c_int {
    let Some(request) = find(handle).filter(|request| request.kind == kind::SEND) else { return 0 };
    // SAFETY: the contract of `pomp_mpi.h`.
    unsafe {
        own.write(request.own);
        receiver.write(request.partner);
        tag.write(request.tag);
    }
    1
}

/// What the wrapper keeps of a persistent request of this kind.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_request_own(handle: u64, kind: c_int) -> u64 {
    let found = find(handle).filter(|one| one.persistent && i32::from(one.kind) == kind);
    found.map_or(0, |request| request.own)
}

/// `struct pomp_mpi_known`: of its words, the last one is the wrapper's.
#[repr(C)]
#[derive(Default)]
pub struct Known {
    kind: i32,
    cancelled: i32,
    handle: u64,
    words: [u64; WORDS],
}

impl Known {
    /// The request, if it was under way.
    fn request(&self) -> Option<Request> {
        (self.kind != 0).then(|| Request::of(self.words))
    }
}

/// What a request is that is under way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_request_find(handle: u64, to: *mut Known) {
    let found = find(handle).filter(|request| request.is_under_way());
    let known = match found {
        Some(request) => Known {
            kind: i32::from(request.kind),
            cancelled: i32::from(request.cancelled),
            handle,
            words: request.words(),
        },
        None => Known { kind: 0, cancelled: 0, handle, words: [0; WORDS] },
    };
    // SAFETY: the contract of `pomp_mpi.h`.
    unsafe { to.write(known) };
}

/// It is not under way any more, unless the handle is another request's by now.
fn end(handle: u64, request: Request) {
    let is_it = |words: [u64; WORDS]| Request::of(words).id == request.id;
    if !request.persistent {
        REQUESTS.take_if(handle, is_it);
    } else if REQUESTS.get(handle).is_some_and(is_it) {
        REQUESTS.set(handle, Request { id: 0, ..request }.words());
    }
}

/// A request is complete.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_request_complete(
    known: *const Known,
    sender: c_int,
    tag: c_int,
    bytes: u64,
    new_comm: *mut u32,
) -> *mut c_void {
    // SAFETY: the contract of `pomp_mpi.h`.
    let known = unsafe { &*known };
    let Some(request) = known.request() else { return null_mut() };
    end(known.handle, request);
    if request.kind == kind::COMM_DUP {
        super::pomp_mpi_found();
        // SAFETY: the contract of `pomp_mpi.h`.
        unsafe { new_comm.write(request.received as u32) };
        return request.sent as *mut c_void;
    }
    on_thread!(|thread| complete(thread, request, (sender, tag, bytes)));
    null_mut()
}

/// The records of a request that is complete; who has sent it, its tag and its bytes.
fn complete(thread: &mut Location, request: Request, message: (c_int, c_int, u64)) {
    let (sender, tag, bytes) = message;
    let Request { id, operation, partner, sent, received, .. } = request;
    let comm = request.comm as u32;
    match request.kind {
        kind::SEND | kind::SEND_IN_PARTS => record(thread, When::Now, |room, last, now| {
            encode::mpi_isend_complete(room, last, now, id)
        }),
        // Nothing comes from no process.
        kind::RECEIVE | kind::RECEIVE_IN_PARTS if sender < 0 => {}
        kind::RECEIVE | kind::RECEIVE_IN_PARTS => {
            messages::count_received(thread, bytes);
            record(thread, When::Now, |room, last, now| {
                encode::mpi_irecv(room, last, now, sender as u32, comm, tag as u32, bytes, id)
            });
        }
        kind::ICOLLECTIVE => {
            let root = messages::root(partner);
            record(thread, When::Now, |room, last, now| {
                encode::non_blocking_collective_complete(
                    room, last, now, operation, comm, root, sent, received, id,
                )
            });
        }
        kind::RMA => record(thread, When::Now, |room, last, now| {
            encode::rma_op_complete_non_blocking(room, last, now, comm, id)
        }),
        kind::FILE => files::complete(thread, comm, bytes, id),
        _ => {}
    }
}

/// It was tested and is not complete. A program may do nothing else for seconds: of a request's
/// failed tests the first is recorded, the second, the fourth, and so on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_request_tested(known: *const Known) {
    // SAFETY: the contract of `pomp_mpi.h`.
    let known = unsafe { &*known };
    let Some(mut request) = known.request() else { return };
    request.tests = request.tests.saturating_add(1);
    REQUESTS.set(known.handle, request.words());
    if request.tests.is_power_of_two() {
        on_thread!(|thread| tested(thread, request));
    }
}

fn tested(thread: &mut Location, Request { kind, id, comm, .. }: Request) {
    let comm = comm as u32;
    record(thread, When::Now, |room, last, now| match kind {
        kind::FILE => encode::io_operation_test(room, last, now, comm, id),
        _ => encode::mpi_request_test(room, last, now, id),
    });
}

/// It was asked to be cancelled.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_request_cancel(handle: u64) {
    if let Some(request) = find(handle) {
        REQUESTS.set(handle, Request { cancelled: true, ..request }.words());
    }
}

/// It was cancelled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_request_cancelled(known: *const Known) {
    // SAFETY: the contract of `pomp_mpi.h`.
    let known = unsafe { &*known };
    let Some(request) = known.request() else { return };
    end(known.handle, request);
    on_thread!(|thread| {
        record(thread, When::Now, |room, last, now| {
            encode::mpi_request_cancelled(room, last, now, request.id)
        });
    });
}

/// It is freed: whether it completes is not known any more.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_request_free(handle: u64) {
    REQUESTS.take(handle);
}

/// A matched message is received.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_message(handle: u64) -> u64 {
    match find(handle) {
        Some(Request { kind: kind::MESSAGE, comm, .. }) => {
            REQUESTS.take(handle);
            comm
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        let request = Request {
            kind: kind::ICOLLECTIVE,
            persistent: true,
            cancelled: true,
            operation: 22,
            tests: u32::MAX - 1,
            id: 1 << 40,
            comm: u64::MAX,
            partner: -3,
            tag: i32::MAX,
            sent: 1 << 60,
            received: 7,
            own: 1 << 50,
        };
        assert_eq!(Request::of(request.words()), request);
        let other = Request { persistent: false, partner: 5, tag: -1, ..request };
        assert_eq!(Request::of(other.words()), other);
    }
}
