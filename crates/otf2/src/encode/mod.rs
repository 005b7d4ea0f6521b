//! Event records for the hot path of a measurement: straight into memory of the caller.
//!
//! The caller proves with one comparison that [`EVENT_ROOM_BYTES`] are free and hands them over as
//! an array reference, so nothing in here checks bounds, allocates or fails:
//!
//! ```
//! use pompeii_otf2::encode::{self, EVENT_ROOM_BYTES};
//!
//! let mut room = [0; EVENT_ROOM_BYTES];
//! let mut last_time = 0;
//! let used = encode::enter(&mut room, &mut last_time, 110, 0);
//! assert_eq!(room[..used], [5, 110, 0, 0, 0, 0, 0, 0, 0, 12, 0]);
//! ```
//!
//! Every function has the same first three arguments: the free bytes, the time of the last
//! timestamp record of this location (0 at first; updated), and the time of the event in ticks. It
//! returns the number of bytes used. A timestamp record is written when the time has grown; a time
//! that went back (clocks of two cores) is recorded as the last one, since times of a location must
//! not decrease.
//!
//! Death at any instruction must leave readable bytes, also in recycled memory. Therefore the byte
//! behind the last record is always 0, which reads as the end of the chunk, and the first byte of
//! whatever is added becomes non-zero last.
//!
//! To add an event: one line in the `events!` table below; a test holds it against the decoder.

mod frame;
mod values;

use frame::{body, framed, pack_u32, put_timestamp, put_word, with_length};
pub use values::{
    MetricValue, metric, metric_of_four, metric_room_bytes, program_begin, program_begin_room_bytes,
};

/// Bytes that must be free for any event with a fixed number of fields: its timestamp, the record,
/// and the closing marks of a file behind it.
pub const EVENT_ROOM_BYTES: usize = 64;

/// Memory for one event.
pub type Room = [u8; EVENT_ROOM_BYTES];

/// Bytes of a timestamp record.
pub const TIMESTAMP_BYTES: usize = 9;

/// Record id of a timestamp.
pub(crate) const TIMESTAMP: u8 = 5;

/// An Enter or Leave record that was encoded ahead of time, one word per region.
///
/// A measurement that keeps it beside its region saves the compression of the id in every event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed(u64);

impl Packed {
    /// The record of entering `region`.
    pub const fn enter(region: u32) -> Packed {
        Packed::single(12, region)
    }

    /// The record of leaving `region`.
    pub const fn leave(region: u32) -> Packed {
        Packed::single(13, region)
    }

    /// The bytes in the order of the file, and how many of them are the record; behind it there is
    /// a zero, and something else.
    #[inline(always)]
    pub const fn word(self) -> (u64, usize) {
        (self.0.to_le(), self.stamped_bytes() - TIMESTAMP_BYTES)
    }

    /// The record's bytes with its timestamp.
    #[inline(always)]
    const fn stamped_bytes(self) -> usize {
        (self.0 >> 56) as usize
    }

    /// Six bytes of record at most, a zero, and the length with a timestamp in the topmost byte.
    const fn single(id: u8, value: u32) -> Packed {
        let (word, bytes) = pack_u32(value);
        Packed(id as u64 | word << 8 | (TIMESTAMP_BYTES as u64 + bytes as u64 + 1) << 56)
    }
}

/// Writes a record that was packed before: the fastest way into a trace.
#[inline(always)]
pub fn packed(room: &mut Room, last_time: &mut u64, time: u64, record: Packed) -> usize {
    if time > *last_time {
        *last_time = time;
        put_word(body(room, true), record.0);
        put_timestamp(room, time);
        record.stamped_bytes()
    } else {
        put_word(body(room, false), record.0);
        record.stamped_bytes() - TIMESTAMP_BYTES
    }
}

/// The location enters `region`.
#[inline(always)]
pub fn enter(room: &mut Room, last_time: &mut u64, time: u64, region: u32) -> usize {
    packed(room, last_time, time, Packed::enter(region))
}

/// The location leaves `region`.
#[inline(always)]
pub fn leave(room: &mut Room, last_time: &mut u64, time: u64, region: u32) -> usize {
    packed(room, last_time, time, Packed::leave(region))
}

/// One function per event: id, then the fields in file order with their encodings.
macro_rules! events {
    ($( $(#[$doc:meta])* $id:literal $name:ident ( $($field:ident : $enc:ident),* ); )*) => {
        $(
            $(#[$doc])*
            #[allow(clippy::too_many_arguments, reason = "the record has that many fields")]
            #[inline]
            pub fn $name(
                room: &mut Room, last_time: &mut u64, time: u64, $($field: events!(@type $enc)),*
            ) -> usize {
                with_length(room, last_time, time, $id, |_fields| { $( _fields.$enc($field); )* })
            }
        )*
    };
    (@type u8) => { u8 };
    (@type vu32) => { u32 };
    (@type vu64) => { u64 };
    (@type vi64) => { i64 };
    (@type time) => { u64 };
}

events! {
    /// The buffer was written out until `stop_time`, in ticks.
    10 buffer_flush(stop_time: time);
    /// Measurement goes on (1) or off (2).
    11 measurement_on_off(mode: u8);
    /// Sends `msg_length` bytes to rank `receiver` of the communicator.
    14 mpi_send(receiver: vu32, communicator: vu32, msg_tag: vu32, msg_length: vu64);
    /// Begins to send; completed by `mpi_isend_complete` with the same request.
    15 mpi_isend(
        receiver: vu32, communicator: vu32, msg_tag: vu32, msg_length: vu64, request: vu64);
    /// Has received `msg_length` bytes from rank `sender` of the communicator.
    18 mpi_recv(sender: vu32, communicator: vu32, msg_tag: vu32, msg_length: vu64);
    /// Completes the receive of a request.
    19 mpi_irecv(sender: vu32, communicator: vu32, msg_tag: vu32, msg_length: vu64, request: vu64);
    /// A collective operation begins.
    22 mpi_collective_begin();
    /// A collective operation ends; sizes in bytes.
    23 mpi_collective_end(op: u8, communicator: vu32, root: vu32, sent: vu64, received: vu64);
    /// A user parameter has this value.
    33 parameter_int(parameter: vu32, value: vi64);
    /// A user parameter has this value.
    34 parameter_unsigned_int(parameter: vu32, value: vu64);
    /// A user parameter has this string as its value.
    32 parameter_string(parameter: vu32, string: vu32);
    /// The window comes into being.
    35 rma_win_create(win: vu32);
    /// The window ends.
    36 rma_win_destroy(win: vu32);
    /// A collective operation on a window begins.
    37 rma_collective_begin();
    /// It ends; what it synchronises are flags, sizes are bytes.
    38 rma_collective_end(
        op: u8, sync_level: vu32, win: vu32, root: vu32, sent: vu64, received: vu64);
    /// Synchronises with a group of processes.
    39 rma_group_sync(sync_level: vu32, win: vu32, group: vu32);
    /// Asks for a lock; `lock_type` 0 is exclusive, 1 shared.
    40 rma_request_lock(win: vu32, remote: vu32, lock: vu64, lock_type: u8);
    /// Has the lock.
    41 rma_acquire_lock(win: vu32, remote: vu32, lock: vu64, lock_type: u8);
    /// Gives the lock back.
    43 rma_release_lock(win: vu32, remote: vu32, lock: vu64);
    /// Synchronises memory (0), or notifies.
    44 rma_sync(win: vu32, remote: vu32, sync_type: u8);
    /// Begins to write to another process's memory.
    46 rma_put(win: vu32, remote: vu32, bytes: vu64, matching: vu64);
    /// Begins to read from there.
    47 rma_get(win: vu32, remote: vu32, bytes: vu64, matching: vu64);
    /// Begins an atomic operation there.
    48 rma_atomic(
        win: vu32, remote: vu32, kind: u8, sent: vu64, received: vu64, matching: vu64);
    /// The operations are complete here.
    50 rma_op_complete_non_blocking(win: vu32, matching: vu64);
    /// The operations are complete there.
    52 rma_op_complete_remote(win: vu32, matching: vu64);
    /// A team of that many threads was asked for; `model` is a paradigm, 3 for OpenMP.
    53 thread_fork(model: u8, requested_threads: vu32);
    /// The team is gone.
    54 thread_join(model: u8);
    /// The location becomes a member of the team.
    55 thread_team_begin(team: vu32);
    /// The location is no member of the team any more.
    56 thread_team_end(team: vu32);
    /// Holds the lock now; `order` counts the acquisitions of this lock.
    57 thread_acquire_lock(model: u8, lock: vu32, order: vu32);
    /// Gives the lock back; `order` as in its acquisition.
    58 thread_release_lock(model: u8, lock: vu32, order: vu32);
    /// A task instance is created; (team, thread, generation) is its name.
    59 thread_task_create(team: vu32, creating_thread: vu32, generation: vu32);
    /// The location goes on with this task instance; generation 0 is the implicit task.
    60 thread_task_switch(team: vu32, creating_thread: vu32, generation: vu32);
    /// The task instance is done.
    61 thread_task_complete(team: vu32, creating_thread: vu32, generation: vu32);
    /// Creates a thread of the contingent.
    62 thread_create(contingent: vu32, sequence: vu64);
    /// First event of a created thread.
    63 thread_begin(contingent: vu32, sequence: vu64);
    /// Has waited for a created thread.
    64 thread_wait(contingent: vu32, sequence: vu64);
    /// Last event of a created thread.
    65 thread_end(contingent: vu32, sequence: vu64);
    /// A file is open; how, as access mode, creation and status flags.
    69 io_create_handle(handle: vu32, mode: u8, creation_flags: vu32, status_flags: vu32);
    /// It is closed.
    70 io_destroy_handle(handle: vu32);
    /// The place in the file changes: by `request` from `whence`, which leads to `result`.
    72 io_seek(handle: vu32, request: vi64, whence: u8, result: vu64);
    /// The file is deleted.
    74 io_delete_file(paradigm: u8, file: vu32);
    /// An operation begins; `mode` 0 is reading, 1 writing, 2 flushing.
    75 io_operation_begin(handle: vu32, mode: u8, flags: vu32, bytes: vu64, matching: vu64);
    /// It was tested and is not complete.
    76 io_operation_test(handle: vu32, matching: vu64);
    /// It is under way, and the program goes on.
    77 io_operation_issued(handle: vu32, matching: vu64);
    /// It is complete, and has moved so many bytes.
    78 io_operation_complete(handle: vu32, bytes: vu64, matching: vu64);
    /// It was cancelled.
    79 io_operation_cancelled(handle: vu32, matching: vu64);
    /// The program ends with this status.
    84 program_end(exit_status: vi64);
    /// A request of a non-blocking collective operation exists from here on.
    85 non_blocking_collective_request(request: vu64);
    /// A non-blocking collective operation is complete; sizes in bytes.
    86 non_blocking_collective_complete(
        op: u8, communicator: vu32, root: vu32, sent: vu64, received: vu64, request: vu64);
    /// The communicator comes into being.
    87 comm_create(communicator: vu32);
    /// The communicator ends.
    88 comm_destroy(communicator: vu32);
}

/// One function per record that has a single field and no length byte.
macro_rules! singles {
    ($( $(#[$doc:meta])* $id:literal $name:ident ( $field:ident ); )*) => { $(
        $(#[$doc])*
        #[inline]
        pub fn $name(room: &mut Room, last_time: &mut u64, time: u64, $field: u64) -> usize {
            framed(room, last_time, time, $id, 1, |fields| fields.vu64($field))
        }
    )* };
}

singles! {
    /// The send of the request is complete.
    16 mpi_isend_complete(request);
    /// A receive was posted.
    17 mpi_irecv_request(request);
    /// The request was tested and is not complete.
    20 mpi_request_test(request);
    /// The request was cancelled.
    21 mpi_request_cancelled(request);
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    /// Hexadecimal bytes of an event at time 0x110 and at the same time again, in memory full of
    /// garbage, and a check that a zero byte follows.
    fn check(encode: impl Fn(&mut Room, &mut u64, u64) -> usize, expected: Expect) {
        let mut last_time = 0;
        let mut text = String::new();
        for _ in 0..2 {
            let mut room = [0xa5; EVENT_ROOM_BYTES];
            let bytes = encode(&mut room, &mut last_time, 0x110);
            assert_eq!(room[bytes], 0, "the byte behind the record must end the chunk");
            let record: Vec<String> = room[..bytes].iter().map(|b| format!("{b:02x}")).collect();
            text += &(record.join(" ") + "\n");
        }
        assert_eq!(last_time, 0x110);
        expected.assert_eq(&text);
    }

    #[test]
    fn enter_and_leave() {
        check(
            |room, last, time| enter(room, last, time, 0),
            expect![[r#"
            05 10 01 00 00 00 00 00 00 0c 00
            0c 00
        "#]],
        );
        check(
            |room, last, time| leave(room, last, time, 0x01_0000),
            expect![[r#"
            05 10 01 00 00 00 00 00 00 0d 03 00 00 01
            0d 03 00 00 01
        "#]],
        );
        check(
            |room, last, time| packed(room, last, time, Packed::enter(u32::MAX - 1)),
            expect![[r#"
                05 10 01 00 00 00 00 00 00 0c 04 fe ff ff ff
                0c 04 fe ff ff ff
            "#]],
        );
        check(
            |room, last, time| leave(room, last, time, u32::MAX),
            expect![[r#"
            05 10 01 00 00 00 00 00 00 0d ff
            0d ff
        "#]],
        );
    }

    #[test]
    fn fork_join() {
        check(
            |room, last, time| thread_fork(room, last, time, 3, 4),
            expect![[r#"
            05 10 01 00 00 00 00 00 00 35 03 03 01 04
            35 03 03 01 04
        "#]],
        );
        check(
            |room, last, time| thread_team_begin(room, last, time, 300),
            expect![[r#"
            05 10 01 00 00 00 00 00 00 37 03 02 2c 01
            37 03 02 2c 01
        "#]],
        );
        check(
            |room, last, time| thread_join(room, last, time, 3),
            expect![[r#"
            05 10 01 00 00 00 00 00 00 36 01 03
            36 01 03
        "#]],
        );
    }

    #[test]
    fn largest_event_fits_a_room() {
        check(
            |room, last, time| {
                let [m32, m64] = [u64::from(u32::MAX) - 1, u64::MAX - 1];
                let m32 = m32 as u32;
                non_blocking_collective_complete(room, last, time, 255, m32, m32, m64, m64, m64)
            },
            expect![[r#"
                05 10 01 00 00 00 00 00 00 56 26 ff 04 fe ff ff ff 04 fe ff ff ff 08 fe ff ff ff ff ff ff ff 08 fe ff ff ff ff ff ff ff 08 fe ff ff ff ff ff ff ff
                56 26 ff 04 fe ff ff ff 04 fe ff ff ff 08 fe ff ff ff ff ff ff ff 08 fe ff ff ff ff ff ff ff 08 fe ff ff ff ff ff ff ff
            "#]],
        );
    }

    #[test]
    fn negative_numbers_have_full_width() {
        check(
            |room, last, time| parameter_int(room, last, time, 1, -5),
            expect![[r#"
            05 10 01 00 00 00 00 00 00 21 0b 01 01 08 fb ff ff ff ff ff ff ff
            21 0b 01 01 08 fb ff ff ff ff ff ff ff
        "#]],
        );
        check(
            |room, last, time| program_end(room, last, time, 128),
            expect![[r#"
            05 10 01 00 00 00 00 00 00 54 02 01 80
            54 02 01 80
        "#]],
        );
    }

    #[test]
    fn metrics_and_arguments() {
        use MetricValue::{F64, I64, U64};
        let values = [U64(123_456_789), I64(-5), F64(3.25), U64(u64::MAX)];
        check(
            |room, last, time| {
                let mut free = [0xa5; metric_room_bytes(4)];
                let bytes = metric(&mut free, last, time, 0, &values).unwrap();
                room[..=bytes].copy_from_slice(&free[..=bytes]);
                bytes
            },
            expect![[r#"
                05 10 01 00 00 00 00 00 00 1f 1e 00 04 04 04 15 cd 5b 07 08 08 fb ff ff ff ff ff ff ff 0a 08 00 00 00 00 00 00 0a 40 04 ff
                1f 1e 00 04 04 04 15 cd 5b 07 08 08 fb ff ff ff ff ff ff ff 0a 08 00 00 00 00 00 00 0a 40 04 ff
            "#]],
        );
        check(
            |room, last, time| {
                let mut free = [0xa5; program_begin_room_bytes(2)];
                let bytes = program_begin(&mut free, last, time, 5, &[6, 7]).unwrap();
                room[..=bytes].copy_from_slice(&free[..=bytes]);
                bytes
            },
            expect![[r#"
                05 10 01 00 00 00 00 00 00 53 08 01 05 01 02 01 06 01 07
                53 08 01 05 01 02 01 06 01 07
            "#]],
        );
    }

    #[test]
    fn too_little_room_is_no_event() {
        let mut last_time = 0;
        let mut free = [0; metric_room_bytes(1) - 1];
        assert_eq!(metric(&mut free, &mut last_time, 1, 0, &[MetricValue::U64(1)]), None);
        assert_eq!((free[0], last_time), (0, 0));
    }

    #[test]
    fn time_never_goes_back() {
        let mut last_time = 0;
        let mut room = [0; EVENT_ROOM_BYTES];
        assert_eq!(enter(&mut room, &mut last_time, 100, 1), 12);
        assert_eq!(enter(&mut room, &mut last_time, 99, 1), 3);
        assert_eq!(last_time, 100);
    }
}
