//! How a record gets into memory: its fields first, then what makes it visible, so that death at
//! any instruction leaves readable bytes.

use core::sync::atomic::{Ordering, compiler_fence};

use super::{EVENT_ROOM_BYTES, Room, TIMESTAMP, TIMESTAMP_BYTES};

const BODY_BYTES: usize = EVENT_ROOM_BYTES - TIMESTAMP_BYTES;

/// Where the record goes: behind a timestamp, or at the start.
#[inline(always)]
pub(super) fn body(room: &mut Room, stamped: bool) -> &mut [u8; BODY_BYTES] {
    if stamped {
        let [_, _, _, _, _, _, _, _, _, body @ ..] = room;
        body
    } else {
        let [body @ .., _, _, _, _, _, _, _, _, _] = room;
        body
    }
}

/// A record with a length byte whose fields fit into a room.
#[inline(always)]
pub(super) fn with_length(
    room: &mut Room,
    last_time: &mut u64,
    time: u64,
    id: u8,
    write: impl FnOnce(&mut Fields),
) -> usize {
    framed(room, last_time, time, id, 2, |fields| {
        write(fields);
        let length = fields.at - 2;
        fields.out[1] = length as u8;
    })
}

/// Fields first, then the id, then the timestamp: what is not complete stays behind a zero byte.
#[inline(always)]
pub(super) fn framed(
    room: &mut Room,
    last_time: &mut u64,
    time: u64,
    id: u8,
    head: usize,
    write: impl FnOnce(&mut Fields),
) -> usize {
    let stamped = time > *last_time;
    let body = body(room, stamped);
    let mut fields = Fields { out: body, at: head };
    write(&mut fields);
    fields.zero_behind();
    let bytes = fields.at;
    compiler_fence(Ordering::Release);
    body[0] = id;
    if !stamped {
        return bytes;
    }
    *last_time = time;
    put_timestamp(room, time);
    TIMESTAMP_BYTES + bytes
}

/// As `framed`, for records of any length. `payload_max` decides on the form of the length, as in
/// the reference library: it is an upper bound, known before the fields are written.
pub(super) fn long_record(
    free: &mut [u8],
    last_time: &mut u64,
    time: u64,
    id: u8,
    payload_max: usize,
    write: impl FnOnce(&mut Fields),
) -> Option<usize> {
    let stamped = time > *last_time;
    let (stamp, body) = free.split_at_mut_checked(if stamped { TIMESTAMP_BYTES } else { 0 })?;
    let long = payload_max > 254;
    let head = if long { 10 } else { 2 };
    let mut fields = Fields { out: body, at: head };
    write(&mut fields);
    fields.zero_behind();
    let bytes = fields.at;
    let length = (bytes - head) as u64;
    if long {
        *body.get_mut(1)? = 0xff;
        body.get_mut(2..10)?.copy_from_slice(&length.to_le_bytes());
    } else {
        *body.get_mut(1)? = length as u8;
    }
    compiler_fence(Ordering::Release);
    *body.first_mut()? = id;
    if !stamped {
        return Some(bytes);
    }
    *last_time = time;
    put_timestamp(stamp.first_chunk_mut::<TIMESTAMP_BYTES>()?, time);
    Some(TIMESTAMP_BYTES + bytes)
}

/// Appends fields behind each other. A store that does not fit is dropped: callers have proven the
/// room, so that this branch is never taken, and it is cheaper than a panic's.
pub(super) struct Fields<'a> {
    out: &'a mut [u8],
    at: usize,
}

impl Fields<'_> {
    #[inline(always)]
    fn store<const N: usize>(&mut self, at: usize, bytes: [u8; N]) {
        let room = self.out.get_mut(at..).and_then(|rest| rest.first_chunk_mut());
        debug_assert!(room.is_some(), "the caller has not proven the room");
        if let Some(room) = room {
            *room = bytes;
        }
    }

    #[inline(always)]
    pub(super) fn u8(&mut self, value: u8) {
        self.store(self.at, [value]);
        self.at += 1;
    }

    #[inline(always)]
    pub(super) fn vu32(&mut self, value: u32) {
        let (word, bytes) = pack_u32(value);
        self.store(self.at, word.to_le_bytes());
        self.at += bytes;
    }

    #[inline(always)]
    pub(super) fn vu64(&mut self, value: u64) {
        let bytes = if value == u64::MAX { 0xff } else { significant_bytes(value) as u8 };
        self.store(self.at, [bytes]);
        self.store(self.at + 1, value.to_le_bytes());
        self.at += 1 + if bytes == 0xff { 0 } else { bytes as usize };
    }

    /// Negative values have the full width, so that readers need no sign extension.
    #[inline(always)]
    pub(super) fn vi64(&mut self, value: i64) {
        let bytes = significant_bytes(value as u64);
        self.store(self.at, [bytes as u8]);
        self.store(self.at + 1, value.to_le_bytes());
        self.at += 1 + bytes;
    }

    #[inline(always)]
    pub(super) fn time(&mut self, value: u64) {
        self.store(self.at, value.to_le_bytes());
        self.at += 8;
    }

    #[inline(always)]
    fn zero_behind(&mut self) {
        self.store(self.at, [0]);
    }
}

/// Size byte and value as a little-endian word, and how many bytes of it count.
#[inline(always)]
pub(super) const fn pack_u32(value: u32) -> (u64, usize) {
    if value == u32::MAX {
        return (0xff, 1);
    }
    let bytes = significant_bytes(value as u64);
    ((value as u64) << 8 | bytes as u64, 1 + bytes)
}

/// Bytes without leading zero bytes: 0 for 0, 1 up to 255, ...
#[inline(always)]
const fn significant_bytes(value: u64) -> usize {
    (71 - value.leading_zeros() as usize) / 8
}

#[inline(always)]
pub(super) fn put_word<const N: usize>(out: &mut [u8; N], word: u64) {
    if let Some(room) = out.first_chunk_mut() {
        *room = word.to_le_bytes();
    }
}

/// The id comes last: with it the record behind the timestamp becomes visible, too.
#[inline(always)]
pub(super) fn put_timestamp<const N: usize>(out: &mut [u8; N], time: u64) {
    if let Some([id, bytes @ ..]) = out.first_chunk_mut::<TIMESTAMP_BYTES>() {
        *bytes = time.to_le_bytes();
        compiler_fence(Ordering::Release);
        *id = TIMESTAMP;
    }
}
