//! A location's records: the chunk that is being filled. What happens when it is full is in
//! [`chunks`].
//!
//! Room is asked for once per event, also where an event is several records ([`Records`]). What is
//! encoded ahead of time (regions, names of tasks, of locks, of teams) is copied as words of a
//! fixed size: what is too much is overwritten by the next record.

mod chunks;

use std::ptr::null_mut;
use std::sync::atomic::{Ordering, compiler_fence};

use pompeii_live::encode::{self, EVENT_ROOM_BYTES, Packed, Room, TIMESTAMP_BYTES};
use pompeii_live::{CHUNK_BYTES, begin_chunk};

/// OpenMP as a paradigm in records (OTF2's number).
pub const OPENMP: u8 = 3;
/// The same of POSIX threads.
pub const PTHREAD: u8 = 7;

/// Where a chunk is filled.
pub type Buffer = [u8; CHUNK_BYTES];

/// Events of a location: the current chunk.
pub struct Events {
    /// Where the next record goes, and the last place where an event has room: addresses, so that
    /// "no chunk" is like "no room".
    next: usize,
    limit: usize,
    chunk: *mut Buffer,
    /// Its number.
    number: u64,
    /// How many of its records are ours: what happened to the chunk before.
    pub own_records: u64,
    /// What stands in front of all events: the program's begin.
    program: Option<ProgramBegin>,
    /// Writing the chunk before has taken this time, and the trace does not say so yet.
    flushed: Option<Flushed>,
    /// Time of the last timestamp.
    pub last_time: u64,
    /// Whether the chunk has no file.
    pub unkept: Unkept,
}

/// Whether the events of a location have a file (`unkept.rs`).
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Unkept {
    /// Its events have a file, or there are none yet.
    #[default]
    No,
    /// They have none, because of this error.
    Yes(i32),
    /// The same, and all that were lost have been counted: the next one begins anew.
    Counted(i32),
}

/// The begin of the program: the id of its name, and the time in ticks.
#[derive(Clone, Copy)]
struct ProgramBegin {
    name: u32,
    at: u64,
}

/// When a thread has written a chunk, in ticks.
#[derive(Clone, Copy)]
struct Flushed {
    begin: u64,
    end: u64,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            next: 1,
            limit: 0,
            chunk: null_mut(),
            number: 0,
            own_records: 0,
            program: None,
            flushed: None,
            last_time: 0,
            unkept: Unkept::No,
        }
    }
}

impl Events {
    /// Room for an event, if it is left in the current chunk.
    #[inline(always)]
    pub fn room(&self) -> Option<*mut Room> {
        (self.next <= self.limit).then_some(self.next as *mut Room)
    }

    /// This number of bytes of the room is a record now.
    #[inline(always)]
    pub fn advance(&mut self, bytes: usize) {
        self.next += bytes;
    }

    /// Goes on in chunk `number`; what the buffer holds is in the file or given up.
    fn begin(&mut self, number: u64) {
        self.flushed = None;
        // SAFETY: the buffer is mapped, and only this thread writes there.
        let used = begin_chunk(unsafe { &mut *self.chunk }, number, &mut self.last_time);
        self.number = number;
        self.own_records = 0;
        self.next = self.chunk as usize + used;
        self.limit = self.end();
        if let (0, Some(program)) = (number, self.program) {
            self.say_program(program);
        }
    }

    /// Begins the trace with the begin of the program.
    fn say_program(&mut self, program: ProgramBegin) {
        if let Some(room) = self.room() {
            // SAFETY: `room` has said that it is free; only this thread writes there.
            let room = unsafe { &mut *room };
            let last = &mut self.last_time;
            if let Some(bytes) = encode::program_begin(room, last, program.at, program.name, &[]) {
                self.advance(bytes);
                self.own_records += 1;
            }
        }
    }

    /// The last place of the chunk where an event has room.
    fn end(&self) -> usize {
        self.chunk as usize + CHUNK_BYTES - EVENT_ROOM_BYTES
    }

    /// The event at `now` comes next, and that the chunk before was written has to be said. What
    /// belongs to the event that was under way then comes first. So no record has a time at which
    /// the thread was writing. Whether there is room for the event; false also for what is said.
    fn say_flushed(&mut self, flushed: Flushed, now: u64) -> bool {
        self.limit = self.end();
        if self.room().is_none() {
            return false;
        }
        if now < flushed.begin {
            self.limit = self.next;
            return true;
        }
        self.flushed = None;
        // Another thread may have said when this one goes on, and clocks of two cores differ.
        let begin = flushed.begin.max(self.last_time);
        let stop = flushed.end.min(now).max(begin);
        if let Some(room) = self.room() {
            // SAFETY: `room` has said that it is free; only this thread writes there.
            let room = unsafe { &mut *room };
            let bytes = encode::buffer_flush(room, &mut self.last_time, begin, stop);
            self.advance(bytes);
            self.own_records += 1;
        }
        self.room().is_some()
    }

    /// Whether an event and this number of bytes have room in the current chunk.
    fn holds(&self, bytes: usize) -> bool {
        self.next + bytes <= self.end()
    }

    /// Begins the first chunk in this buffer.
    pub fn begin_in(&mut self, buffer: *mut Buffer) {
        self.chunk = buffer;
        self.begin(0);
    }

    /// Begins the chunk once more: nothing of ours is in it.
    pub fn begin_again(&mut self) {
        self.begin(self.number);
    }

    /// Where the chunk is filled.
    pub fn buffer(&self) -> *mut Buffer {
        self.chunk
    }

    /// The chunk is in this buffer now, with all that it had.
    pub fn move_to(&mut self, buffer: *mut Buffer) {
        let moved = (buffer as usize).wrapping_sub(self.chunk as usize);
        self.chunk = buffer;
        (self.next, self.limit) = (self.next.wrapping_add(moved), self.limit.wrapping_add(moved));
    }

    /// The chunk is as if it were full.
    pub fn fill(&mut self) {
        self.limit = 0;
    }
}

/// Records that may be taken back.
#[derive(Clone, Copy, Default)]
pub struct Revocable {
    /// Where they begin and end, and the number of their chunk; all are 0 where there is none.
    begin: usize,
    end: usize,
    number: u64,
    /// Time of the last timestamp before them.
    last_time: u64,
}

impl Revocable {
    /// These, and `next` after them. Where others lie between, or the end of a chunk, `next` alone.
    pub fn and(self, next: Self) -> Self {
        let is_behind = (self.end, self.number) == (next.begin, next.number);
        match self.begin != 0 && is_behind {
            true => Self { end: next.end, ..self },
            false => next,
        }
    }
}

/// The records of one event, at most [`EVENT_ROOM_BYTES`] with their time: invisible until
/// [`Records::end`] writes the first byte of the timestamp in front of them.
pub struct Records {
    /// Addresses in the chunk; numbers, whose sums a compiler can rearrange.
    start: usize,
    at: usize,
    /// Time of those that come next.
    time: u64,
}

impl Records {
    /// Begins, where the current chunk has room.
    #[inline(always)]
    pub fn begin(events: &Events, time: u64) -> Option<Records> {
        let start = events.room()? as usize;
        Some(Records { start, at: start + TIMESTAMP_BYTES, time })
    }

    /// The same for records with attributes, which take `bytes` more.
    fn begin_large(events: &Events, bytes: usize, time: u64) -> Option<Records> {
        events.holds(bytes).then(|| Records::begin(events, time)).flatten()
    }

    /// The same for the records of two events.
    #[inline(always)]
    pub fn begin_two(events: &Events, time: u64) -> Option<Records> {
        let has_room = events.next + EVENT_ROOM_BYTES <= events.limit;
        has_room.then(|| Records { start: events.next, at: events.next + TIMESTAMP_BYTES, time })
    }

    /// None: there is nothing to write to.
    #[inline(always)]
    pub fn none(time: u64) -> Records {
        Records { start: 0, at: 0, time }
    }

    /// What comes next happened later.
    #[inline(always)]
    pub fn later(mut self, time: u64) -> Self {
        // SAFETY: the caller's records fit into a room, and so does a word at each of them.
        unsafe {
            put(self.at, kind::TIMESTAMP);
            put(self.at + 1, time.to_le());
        }
        self.at += TIMESTAMP_BYTES;
        self.time = time;
        self
    }

    /// An Enter or a Leave.
    #[inline(always)]
    pub fn region(mut self, record: Packed) -> Self {
        let (word, bytes) = record.word();
        // SAFETY: the caller's records fit into a room, and so does a word at each of them.
        unsafe { put(self.at, word) };
        self.at += bytes;
        self
    }

    /// A record of this kind with fields that were encoded before.
    #[inline(always)]
    pub fn fields(mut self, kind: u8, fields: &Fields) -> Self {
        // SAFETY: as above.
        unsafe {
            put(self.at, kind);
            ((self.at + 1) as *mut [u64; 2]).write_unaligned(fields.words);
        }
        self.at += 2 + fields.length();
        self
    }

    /// The same with another number as the last field.
    #[inline(always)]
    pub fn numbered(self, kind: u8, fields: &Fields, number: u32) -> Self {
        let records = self.fields(kind, fields);
        // SAFETY: the last field was encoded in four bytes.
        unsafe { put(records.at - 4, number.to_le()) };
        records
    }

    /// The attributes of the record that comes next: numbers with ids below 256. The caller has
    /// found room for them ([`attributes_bytes`]).
    #[inline(always)]
    pub fn attributes(mut self, attributes: &[Attribute]) -> Self {
        let bytes = 2 + size_of_val(attributes);
        // SAFETY: the caller's promise.
        unsafe {
            put(self.at, kind::ATTRIBUTE_LIST);
            put(self.at + 1, LONG);
            put(self.at + 2, (bytes as u64).to_le());
            put(self.at + ATTRIBUTES_HEAD_BYTES - 2, [1, attributes.len() as u8]);
        }
        self.at += ATTRIBUTES_HEAD_BYTES;
        // SAFETY: as above; the chunk is no part of the list.
        unsafe { attributes.as_ptr().copy_to_nonoverlapping(self.at as *mut _, attributes.len()) };
        self.at += size_of_val(attributes);
        self
    }

    /// Makes the records visible, the first of them with this time.
    #[inline(always)]
    pub fn end(self, events: &mut Events, now: u64) {
        // SAFETY: as above; no thread reads before the process has ended.
        unsafe {
            put(self.at, 0_u8);
            compiler_fence(Ordering::Release);
            put(self.start + 1, now.to_le());
            compiler_fence(Ordering::Release);
            put(self.start, kind::TIMESTAMP);
        }
        events.next = self.at;
        events.last_time = self.time;
    }
}

/// In front of a length of eight bytes.
const LONG: u8 = 0xff;
/// The id of an attribute list, its length, and the number of attributes.
const ATTRIBUTES_HEAD_BYTES: usize = 1 + 9 + 2;

/// Bytes of this number of attributes with their list.
pub const fn attributes_bytes(count: usize) -> usize {
    ATTRIBUTES_HEAD_BYTES + count * size_of::<Attribute>()
}

/// An entry of an attribute list: a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Attribute {
    /// The id in one byte, the type, and the value in eight bytes.
    head: [u8; 4],
    value: [u8; 8],
}

impl Attribute {
    /// `UINT64`.
    const NUMBER: u8 = 4;
    /// The head of the next id is larger by this.
    pub const NEXT_ID: u32 = 1 << 8;

    /// The attribute with this id, which is below 256, has this value.
    #[inline(always)]
    pub fn new(id: u32, value: u64) -> Self {
        Self::with_head(Self::head(id), value)
    }

    /// What comes before the value of one with this id. (A sum instead of single bytes is one
    /// store.)
    #[inline(always)]
    pub const fn head(id: u32) -> u32 {
        u32::from_le_bytes([1, 0, Self::NUMBER, 8]) + id * Self::NEXT_ID
    }

    /// The attribute with this head has this value.
    #[inline(always)]
    pub fn with_head(head: u32, value: u64) -> Self {
        Self { head: head.to_le_bytes(), value: value.to_le_bytes() }
    }
}

/// Writes at this address in the chunk.
///
/// # Safety
/// It must be within the room that [`Records::begin`] has found.
#[inline(always)]
unsafe fn put<T>(at: usize, value: T) {
    // SAFETY: the caller's promise.
    unsafe { (at as *mut T).write_unaligned(value) };
}

/// Record ids (OTF2 specification) of what [`Records::fields`] writes.
pub mod kind {
    /// A time for the records after it.
    pub const TIMESTAMP: u8 = 5;
    /// The attributes of the record after it.
    pub const ATTRIBUTE_LIST: u8 = 6;
    /// A team is forked.
    pub const THREAD_FORK: u8 = 53;
    /// A team has joined.
    pub const THREAD_JOIN: u8 = 54;
    /// The location becomes a member of a team.
    pub const TEAM_BEGIN: u8 = 55;
    /// It is no member any more.
    pub const TEAM_END: u8 = 56;
    /// Has a lock.
    pub const ACQUIRE: u8 = 57;
    /// Gives a lock back.
    pub const RELEASE: u8 = 58;
    /// A task instance is created.
    pub const TASK_CREATE: u8 = 59;
    /// A task instance goes on.
    pub const TASK_SWITCH: u8 = 60;
    /// A task instance is done.
    pub const TASK_COMPLETE: u8 = 61;
}

/// The fields of a record after its id, the length first: what does not change is encoded once.
/// At most three compressed 32-bit numbers, which is 16 bytes with the length.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fields {
    /// The bytes in their order, in words, which are copied at once.
    words: [u64; 2],
}

impl Fields {
    /// A number that takes four bytes: one of any size can be put in its place.
    const WIDE: u32 = 1 << 24;

    /// None: a record without fields.
    pub const NONE: Fields = Fields { words: [0; 2] };

    /// For places that are written without a lock.
    pub fn words(self) -> [u64; 2] {
        self.words
    }

    /// What [`Self::words`] has given.
    #[inline(always)]
    pub fn from_words(words: [u64; 2]) -> Fields {
        Fields { words }
    }

    /// Names a task instance: its team and the thread that creates it, and which one it is.
    pub fn task(team: u32, thread: u32, generation: u32) -> Fields {
        Self::of(|room, last| encode::thread_task_create(room, last, 0, team, thread, Self::WIDE))
            .with_last(generation)
    }

    /// A team.
    pub fn team(communicator: u32) -> Fields {
        Self::of(|room, last| encode::thread_team_begin(room, last, 0, communicator))
    }

    /// How many threads were asked for.
    pub fn fork(requested: u32) -> Fields {
        Self::of(|room, last| encode::thread_fork(room, last, 0, OPENMP, requested))
    }

    /// OpenMP as a team's paradigm: one byte.
    pub const JOIN: Fields =
        Fields { words: [u64::from_ne_bytes([1, OPENMP, 0, 0, 0, 0, 0, 0]), 0] };

    /// A lock, and the order of its acquisitions.
    pub fn lock(model: u8, lock: u32) -> Fields {
        Self::of(|room, last| encode::thread_acquire_lock(room, last, 0, model, lock, Self::WIDE))
    }

    fn of(encode: impl FnOnce(&mut Room, &mut u64) -> usize) -> Fields {
        let mut room = [0; EVENT_ROOM_BYTES];
        encode(&mut room, &mut 0);
        let word = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&room[at..at + 8]);
            u64::from_ne_bytes(word)
        };
        Fields { words: [word(1), word(9)] }
    }

    /// Bytes after the length.
    #[inline(always)]
    fn length(&self) -> usize {
        usize::from(self.words[0].to_le() as u8)
    }

    /// The same with another last number; it must have been encoded in four bytes.
    pub fn with_last(mut self, number: u32) -> Fields {
        self.set_last(number);
        self
    }

    /// Changes the last number; it must have been encoded in four bytes.
    #[inline(always)]
    pub fn set_last(&mut self, number: u32) {
        let at = (self.length() + 1).wrapping_sub(4);
        if at <= 16 - 4 {
            // SAFETY: within the words.
            unsafe { self.put(at, number) };
        }
    }

    /// The same of what names a task.
    ///
    /// # Safety
    /// It must be from [`Fields::task`].
    #[inline(always)]
    pub unsafe fn set_last_of_task(&mut self, number: u32) {
        debug_assert!((4..16).contains(&self.length()));
        // SAFETY: the last one of three numbers takes four bytes.
        unsafe { self.put(self.length() + 1 - 4, number) };
    }

    #[inline(always)]
    unsafe fn put(&mut self, at: usize, number: u32) {
        // SAFETY: the callers have looked where the words end.
        unsafe {
            let bytes: *mut u8 = self.words.as_mut_ptr().cast();
            bytes.add(at).cast::<u32>().write_unaligned(number.to_le());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(fields: &Fields) -> Vec<u8> {
        fields.words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    /// What was encoded ahead of time reads like what the encoder writes, but for the width of the
    /// last number.
    #[test]
    fn fields_are_those_of_the_encoder() {
        for number in [0, 1, 255, 70_000, u32::MAX - 1] {
            let mut room = [0; EVENT_ROOM_BYTES];
            let mut last_time = 0;
            let wide = number | Fields::WIDE;
            let used = encode::thread_task_create(&mut room, &mut last_time, 0, 300, 2, wide);
            assert_eq!(bytes(&Fields::task(300, 2, wide))[..used - 1], room[1..used]);
            assert_eq!(
                Fields::task(300, 2, number),
                Fields::task(300, 2, 7).with_last(number),
                "{number}"
            );
        }
        let mut room = [0; EVENT_ROOM_BYTES];
        let used = encode::thread_join(&mut room, &mut 0, 0, OPENMP);
        assert_eq!(bytes(&Fields::JOIN)[..used - 1], room[1..used]);
        // The longest: length and three numbers of four bytes.
        assert_eq!(Fields::task(u32::MAX - 1, u32::MAX - 1, 1).length(), 15);
    }
}
