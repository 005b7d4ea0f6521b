//! Requests: what is under way, from the call that makes it to the one that finds it complete.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};

use pompeii_live::{FixedTable, encode};

use super::table::{Table, Words};
use super::{When, comms, files, messages, record, windows};
use crate::entry::on_thread;
use crate::location::Location;
use crate::tls;

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
    /// Which thread has made it.
    thread: u64,
    /// The wrapper's.
    own: u64,
}

const WORDS: usize = 8;
/// Which of the words they are.
const ID: usize = 1;
const THREAD: usize = 6;

impl Request {
    fn words(self) -> [u64; WORDS] {
        let flags = u64::from(self.persistent) | u64::from(self.cancelled) << 1;
        let first = u64::from(self.kind) | flags << 8 | u64::from(self.operation) << 16;
        let first = first | u64::from(self.tests) << 32;
        let partner = u64::from(self.partner as u32) | u64::from(self.tag as u32) << 32;
        [first, self.id, self.comm, partner, self.sent, self.received, self.thread, self.own]
    }

    fn of([first, id, comm, partner, sent, received, thread, own]: [u64; WORDS]) -> Self {
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
            thread,
            own,
        }
    }

    fn is_it(self, words: &Words<WORDS>) -> bool {
        words.at(ID) == self.id
    }

    fn is_of_thread(thread: u64) -> impl Fn(&Words<WORDS>) -> bool {
        move |words| words.at(THREAD) == thread
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
/// on that a thread has under way. A call that waits for several of them has it several times, and
/// finds none under way. Until then each thread finds its own: another one's may also be one that
/// is complete, whose handle the library has given away again before that was noted.
static AT_ONCE: AtomicU64 = AtomicU64::new(0);

static REQUESTS: Table<WORDS, { FixedTable::Requests.places() }> = Table::new();

/// Outside of an event: this thread's own, if it has made one with this handle.
fn find(handle: u64) -> Option<Request> {
    let is_own = Request::is_of_thread(tls::here() as u64);
    REQUESTS.get_preferred(handle, is_own).map(Request::of)
}

/// Changes what is known of a request that was found.
fn change(handle: u64, before: Request, request: Request) {
    REQUESTS.set_if(handle, |words| before.is_it(words), request.words());
}

/// What becomes of a request that is posted.
#[derive(Debug, PartialEq, Eq)]
enum Posted {
    Kept,
    /// It is complete, and so is this one, if there is one.
    AtOnce(Option<Request>),
    /// There is no room.
    Lost,
}

fn post(handle: u64, request: Request) -> Posted {
    if request.is_at_once() && handle == AT_ONCE.load(Ordering::Relaxed) {
        return Posted::AtOnce(None);
    }
    match REQUESTS.take_if(handle, Request::is_of_thread(request.thread)).map(Request::of) {
        Some(other) if other.is_same_kind(request) && request.is_at_once() => {
            AT_ONCE.store(handle, Ordering::Relaxed);
            Posted::AtOnce(Some(other))
        }
        _ if REQUESTS.add(handle, request.words()) => Posted::Kept,
        _ => Posted::Lost,
    }
}

/// A request is not under way any more. False where its end was noted when it turned out to be
/// complete at once; its handle may also be another request's by now.
fn end(handle: u64, request: Request) -> bool {
    if request.persistent {
        change(handle, request, Request { id: 0, ..request });
        return true;
    }
    let taken = REQUESTS.remove_if(handle, |words| request.is_it(words));
    taken || !request.is_at_once() || handle != AT_ONCE.load(Ordering::Relaxed)
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
        thread: 0,
        own: made.own,
    };
    on_thread!(|thread| {
        let request = Request { thread: std::ptr::from_ref(thread) as u64, ..request };
        // The call that finds it complete is one of messages, whose bytes they are not. (Those of a
        // persistent operation are nobody's: MPI_Start is of messages, too.)
        if matches!(request.kind, kind::ICOLLECTIVE | kind::FILE) && !request.persistent {
            messages::count_moved(thread, request.sent, request.received);
        }
        match post(made.handle, request) {
            Posted::Kept => {}
            Posted::AtOnce(other) => {
                for request in other.into_iter().chain([request]) {
                    complete(thread, request, (0, 0, 0));
                }
            }
            Posted::Lost => thread.process.has_no_place(FixedTable::Requests),
        }
    });
}

/// Before a persistent request is started: the id of what is under way already; 0 for nothing,
/// as it should be.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_request_start(handle: u64) -> u64 {
    let Some(before) = find(handle).filter(|request| request.persistent) else { return 0 };
    let id = messages::new_request();
    let request = Request { id, cancelled: false, tests: 0, ..before };
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
        change(handle, before, request);
    });
    before.id
}

/// It has not been started: what was under way before still is.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_request_not_started(handle: u64, before: u64) {
    if let Some(request) = find(handle).filter(|request| request.persistent) {
        change(handle, request, Request { id: before, ..request });
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
    if !end(known.handle, request) {
        return null_mut();
    }
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
    let Some(before) = known.request() else { return };
    let request = Request { tests: before.tests.saturating_add(1), ..before };
    change(known.handle, before, request);
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
        change(handle, request, Request { cancelled: true, ..request });
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
    if let Some(request) = find(handle) {
        REQUESTS.remove_if(handle, |words| request.is_it(words));
    }
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
            thread: 1 << 47,
            own: 1 << 50,
        };
        assert_eq!(Request::of(request.words()), request);
        let other = Request { persistent: false, partner: 5, tag: -1, ..request };
        assert_eq!(Request::of(other.words()), other);
    }

    fn send(thread: u64, id: u64) -> Request {
        let first = u64::from(kind::SEND);
        Request::of([first, id, 0, 0, 0, 0, thread, 0])
    }

    fn of_thread(handle: u64, thread: u64) -> Option<u64> {
        let found = REQUESTS.get_preferred(handle, Request::is_of_thread(thread));
        found.map(|words| Request::of(words).id)
    }

    /// Two threads whose sends are complete at once, with one handle, before that is known: each
    /// ends its own, and once.
    #[test]
    fn sends_of_two_threads_with_one_handle_end_once() {
        let (handle, [a, b]) = (0x10, [1, 2]);
        assert_eq!(post(handle, send(a, 11)), Posted::Kept);
        assert_eq!(post(handle, send(b, 12)), Posted::Kept);
        assert_eq!((of_thread(handle, a), of_thread(handle, b)), (Some(11), Some(12)));
        assert!(end(handle, send(b, 12)) && end(handle, send(a, 11)));
        assert_eq!(of_thread(handle, a), None);
    }

    /// A thread waits for a send of another, which meanwhile finds it complete at once.
    #[test]
    fn a_send_that_was_complete_at_once_does_not_end_again() {
        let handle = 0x20;
        assert_eq!(post(handle, send(1, 21)), Posted::Kept);
        assert_eq!(post(handle, send(1, 22)), Posted::AtOnce(Some(send(1, 21))));
        assert!(!end(handle, send(1, 21)));
        assert_eq!(post(handle, send(2, 23)), Posted::AtOnce(None));
        assert_eq!(of_thread(handle, 1), None);
    }

    /// A request's end is noted after the library has given its handle to another one.
    #[test]
    fn a_handle_that_was_given_away_is_of_two_requests() {
        let receive = |thread, id| Request { kind: kind::RECEIVE, ..send(thread, id) };
        let handle = 0x30;
        assert_eq!(post(handle, receive(1, 31)), Posted::Kept);
        assert_eq!(post(handle, receive(2, 32)), Posted::Kept);
        assert!(end(handle, receive(1, 31)));
        assert_eq!(of_thread(handle, 2), Some(32));
        // Of the same thread: another one had waited.
        assert_eq!(post(handle, receive(2, 33)), Posted::Kept);
        assert!(end(handle, receive(2, 32)));
        assert!(end(handle, receive(2, 33)));
        assert_eq!(of_thread(handle, 2), None);
    }
}
