//! A location's records: the chunk that is being filled, and what happens when it is full.
//!
//! Room is asked for once per event, also where an event is several records ([`Records`]). What is
//! encoded ahead of time (regions, names of tasks, of locks, of teams) is copied as words of a
//! fixed size: what is too much is overwritten by the next record.

use std::ptr::{self, null_mut};
use std::sync::atomic::{Ordering, compiler_fence};

use pompeii_live::encode::{self, EVENT_ROOM_BYTES, Packed, Room, TIMESTAMP_BYTES};
use std::path::Path;

use pompeii_live::{
    CHUNK_BYTES, Definition, MapError, Mapped, begin_chunk, buffer_file, chunk, events_file,
    write_chunk,
};

use crate::clock;
use crate::guard;
use crate::location::Location;
use crate::team::OPENMP;
use crate::unkept::Unkept;

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

    /// So many bytes of the room are a record now.
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
    /// These, and one behind them. Where others lie between, or the end of a chunk, that one alone.
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

    /// Makes the records visible, the first of them with this time.
    #[inline(always)]
    pub fn end(self, events: &mut Events, now: u64) {
        // SAFETY: as above; nobody reads before the process has ended.
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
    /// A time for the records behind it.
    pub const TIMESTAMP: u8 = 5;
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

/// The fields of a record behind its id, the length first: what does not change is encoded once.
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

    /// Bytes behind the length.
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

impl Location {
    /// Appends one event that happened at `now`.
    #[inline(always)]
    pub fn event(&mut self, now: u64, record: impl FnOnce(&mut Room, &mut u64) -> usize) {
        if self.events.room().is_none() && !self.next_chunk(now) {
            return;
        }
        if let Some(room) = self.events.room() {
            // SAFETY: `room` has said that it is free; only this thread writes there.
            let bytes = record(unsafe { &mut *room }, &mut self.events.last_time);
            self.events.advance(bytes);
        }
    }

    /// The same for one that may be taken back.
    pub fn revocable(
        &mut self,
        now: u64,
        record: impl FnOnce(&mut Room, &mut u64) -> usize,
    ) -> Revocable {
        let mut made = Revocable::default();
        self.event(now, |room, last| {
            made.begin = ptr::from_mut(room).addr();
            made.last_time = *last;
            record(room, last)
        });
        if made.begin != 0 {
            (made.end, made.number) = (self.events.next, self.events.number);
        }
        made
    }

    /// Takes the last events back, unless others have followed or its chunk is full.
    pub fn revoke(&mut self, made: Revocable) {
        let events = &mut self.events;
        if made.begin != 0 && (made.end, made.number) == (events.next, events.number) {
            // SAFETY: the record was written there, in the chunk that is still the current one.
            unsafe { put(made.begin, 0_u8) };
            events.next = made.begin;
            events.last_time = made.last_time;
        }
    }

    /// Appends an event of several records, where there is a trace.
    #[inline(always)]
    pub fn records(&mut self, now: u64, write: impl FnOnce(Records) -> Records) {
        if !self.tracing || (self.events.room().is_none() && !self.next_chunk(now)) {
            return;
        }
        if let Some(records) = Records::begin(&self.events, now) {
            write(records).end(&mut self.events, now);
        }
    }

    /// The first record of a process is the begin of its program, which encloses all events. Its
    /// name has this id.
    pub fn begin_program(&mut self, name: u32) {
        let at = self.process.options.start.ticks;
        self.events.program = Some(ProgramBegin { name, at });
        self.next_chunk(at);
    }

    /// Makes room for an event at `now`: the chunk is full, or there is none yet.
    #[cold]
    #[inline(never)]
    fn next_chunk(&mut self, now: u64) -> bool {
        if self.events.chunk.is_null() {
            return match self.make_buffer() {
                Ok(buffer) => {
                    self.events.begin_in(buffer);
                    true
                }
                Err(error) => self.begin_unkept(&error),
            };
        }
        if let Some(flushed) = self.events.flushed
            && self.events.say_flushed(flushed, now)
        {
            return true;
        }
        if self.events.unkept == Unkept::No || self.keep() {
            self.spill();
        }
        true
    }

    /// Makes the mapped file in which chunks are filled.
    pub fn make_buffer(&self) -> Result<*mut Buffer, MapError> {
        let path = self.process.options.folder.join(buffer_file(self.index()));
        Mapped::create(&path, CHUNK_BYTES, CHUNK_BYTES).map(|buffer| buffer.base().cast())
    }

    /// Writes the full chunk, as far as the budget allows it.
    fn hand_over(&self, path: &Path, bytes: &Buffer) -> Result<(), MapError> {
        let number = self.events.number;
        let Some(budget) = &self.process.budget else { return write_chunk(path, number, bytes) };
        if !budget.admits() {
            return Err(MapError { call: "--memory", errno: libc::ENOBUFS });
        }
        let written = write_chunk(path, number, bytes);
        budget.handed((self.index(), number), written.is_ok());
        written
    }

    /// The full chunk goes to the file, and the trace will say how long that has taken. Where it
    /// cannot be written, it is given up: how many events that are is counted, and the newest are
    /// kept.
    fn spill(&mut self) {
        let begin = clock::now();
        let path = self.process.spill.join(events_file(self.index()));
        // SAFETY: the buffer is mapped, and only this thread writes there.
        let bytes = unsafe { &*self.events.chunk };
        match self.hand_over(&path, bytes) {
            Ok(()) => {
                self.events.begin(self.events.number + 1);
                self.events.flushed = Some(Flushed { begin, end: clock::now().max(begin) });
                // One event has room, the one under way.
                self.events.limit = self.events.next;
                guard::look(self);
            }
            Err(error) => self.give_up(chunk::scan(bytes).unwrap_or_default(), error.errno),
        }
    }

    /// The full chunk is given up: the trace says that nothing was recorded meanwhile.
    pub fn give_up(&mut self, scan: chunk::Scan, errno: i32) {
        let now = self.header.last_ticks;
        let (from, until) = (scan.first_time.unwrap_or(now), scan.last_time.unwrap_or(now));
        // Only events of the program are missed.
        let events = scan.events - self.events.own_records.min(scan.events);
        let (location, chunk) = (self.index(), self.events.number);
        self.process.lost(events, errno);
        self.process.define(&Definition::Dropped { location, chunk, events, from, until });
        self.events.begin(chunk);
        self.events.last_time = from.saturating_sub(1);
        self.event(from, |room, last| encode::measurement_on_off(room, last, from, 2));
        self.event(now, |room, last| encode::measurement_on_off(room, last, now, 1));
        self.events.own_records += 2;
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use pompeii_live::LiveProcess;
    use pompeii_otf2::event::Event;
    use pompeii_otf2::read::{Bytes, EventReader, EventRecord};
    use pompeii_otf2::reference::LocationRef;
    use pompeii_otf2::seal;

    use super::*;
    use crate::budget::WhenFull;
    use crate::process::{Options, Process};

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

    /// A location that records, in a folder of its own.
    fn location() -> (tempfile::TempDir, &'static mut Location) {
        location_in(tempfile::tempdir().unwrap(), None)
    }

    fn location_in(
        folder: tempfile::TempDir,
        memory: Option<(u64, WhenFull)>,
    ) -> (tempfile::TempDir, &'static mut Location) {
        let options = Options {
            folder: folder.path().to_owned(),
            trace: true,
            tsc: true,
            memory,
            ..Options::default()
        };
        let location = Process::start(options, None).unwrap().new_location(None).unwrap();
        // SAFETY: locations are never freed, and the test has one thread.
        (folder, unsafe { &mut *location })
    }

    /// Visits a region so often, one tick after the other.
    fn visit(location: &mut Location, times: std::ops::Range<u64>) {
        for time in times {
            location.enter(0, 2 * time);
            location.exit(0, 2 * time + 1);
        }
    }

    /// What the location's event file holds: events, times of those of the program, and how many
    /// are not the program's.
    fn recorded(folder: &tempfile::TempDir) -> (u64, Vec<u64>, u64) {
        let (mut times, mut flushes) = (Vec::new(), 0);
        let records = records_of(folder);
        for record in &records {
            match &record.event {
                Event::BufferFlush(flush) => {
                    assert!(flush.stop_time.0 >= record.time);
                    flushes += 1;
                }
                Event::MeasurementOnOff(_) => flushes += 1,
                _ => times.push(record.time),
            }
        }
        (records.len() as u64, times, flushes)
    }

    fn records_of(folder: &tempfile::TempDir) -> Vec<EventRecord> {
        let events = folder.path().join(events_file(0));
        pompeii_live::gather(&folder.path().join(buffer_file(0)), &events).unwrap();
        let mut bytes = std::fs::read(events).unwrap();
        let sealed = seal::seal(&mut bytes, CHUNK_BYTES).unwrap();
        assert_eq!(sealed.damaged_chunks, 0);
        bytes.truncate(sealed.file_bytes as usize);
        let chunk = CHUNK_BYTES as u64;
        let source = Bytes::new(bytes, chunk);
        let reader = EventReader::new(source, Path::new("0"), chunk, LocationRef(0));
        let records: Vec<EventRecord> = reader.map(Result::unwrap).collect();
        assert_eq!(sealed.events, records.len() as u64);
        records
    }

    #[test]
    fn the_last_record_can_be_taken_back() {
        let (folder, location) = location();
        visit(location, 0..1);
        let begin = |room: &mut Room, last: &mut u64| encode::mpi_irecv_request(room, last, 11, 1);
        let made = location.revocable(11, begin);
        location.revoke(made);
        let several = (0..3).map(|_| location.revocable(11, begin)).reduce(Revocable::and);
        location.revoke(several.unwrap());
        visit(location, 5..6);
        let kept = location.revocable(11, begin);
        visit(location, 6..7);
        location.revoke(kept.and(Revocable::default()));
        location.revoke(kept);
        let (events, times, _) = recorded(&folder);
        assert_eq!((events, times), (7, vec![0, 1, 10, 11, 11, 12, 13]));
    }

    #[test]
    fn full_chunks_are_written_and_the_trace_says_so() {
        let (folder, location) = location();
        const VISITS: u64 = 100_000;
        for _ in 0..VISITS {
            location.enter(0, clock::now());
            location.exit(0, clock::now());
        }
        let (events, times, flushes) = recorded(&folder);
        // Twelve bytes each, so two chunks are full.
        assert_eq!((events, flushes), (2 * VISITS + 2, 2));
        assert_eq!((times.len() as u64, times.is_sorted()), (2 * VISITS, true));
        let live = LiveProcess::open(folder.path()).unwrap();
        assert_eq!(live.lost_events, 0);
    }

    /// What belongs to the event under way comes before, what happened afterwards after it.
    #[test]
    fn no_record_lies_in_a_flush() {
        let (folder, location) = location();
        let mut now = 0;
        for _ in 0..150_000 {
            now = clock::now();
            location.enter(0, now);
            location.event(now, |room, last| encode::mpi_collective_begin(room, last, now));
            location.exit(0, now);
        }
        location.enter(0, clock::now().max(now + 1));
        let records = records_of(&folder);
        let flush_of = |record: &EventRecord| match &record.event {
            Event::BufferFlush(flush) => Some((record.time, flush.stop_time.0)),
            _ => None,
        };
        let flushes: Vec<(u64, u64)> = records.iter().filter_map(flush_of).collect();
        assert!(flushes.len() >= 2 && flushes.iter().all(|(begin, stop)| begin < stop));
        for (begin, stop) in flushes {
            let within = |time: u64| begin < time && time < stop;
            assert!(!records.iter().any(|record| within(record.time)), "{begin} to {stop}");
        }
        let times: Vec<u64> = records.iter().map(|record| record.time).collect();
        assert!(times.is_sorted());
        // All that happened at one time stands together.
        let of_program = records.iter().filter(|record| flush_of(record).is_none());
        let mut visits: Vec<u64> = of_program.map(|record| record.time).collect();
        visits.pop();
        assert!(visits.chunks(3).all(|visit| visit[0] == visit[2]), "a visit has three records");
    }

    /// Two chunks cannot be written: their events are counted, and what follows is kept.
    #[test]
    fn chunks_that_cannot_be_written_are_counted() {
        let (folder, location) = location();
        let file = folder.path().join(events_file(0));
        visit(location, 1..10_000);
        std::fs::create_dir(&file).unwrap();
        visit(location, 10_000..100_000);
        std::fs::remove_dir(&file).unwrap();
        visit(location, 100_000..150_000);
        let (events, times, flushes) = recorded(&folder);
        let live = LiveProcess::open(folder.path()).unwrap();
        assert_eq!(live.lost_events + events - flushes, 2 * 149_999);
        let dropped: Vec<_> = live
            .definitions
            .iter()
            .filter_map(|definition| match *definition {
                Definition::Dropped { location: 0, chunk: 0, events, from, until } => {
                    Some((from, until, events))
                }
                _ => None,
            })
            .collect();
        assert_eq!((dropped.len(), dropped[0].0), (2, 2));
        assert_eq!(dropped.iter().map(|dropped| dropped.2).sum::<u64>(), live.lost_events);
        // The second begins with what was said of the first.
        assert_eq!(dropped[1].0, dropped[0].0);
        assert_eq!(dropped[1].1 - dropped[0].0 + 1, live.lost_events);
        assert_eq!((times[0], times.last()), (dropped[1].1 + 1, Some(&299_999)));
        assert_eq!(live.first_errno, Some(libc::EISDIR));
    }

    /// What is beyond a tiny budget waits for the disk; nothing is lost.
    #[test]
    fn a_tiny_budget_waits_for_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        if pompeii_live::lies_in_memory(folder.path()) {
            return;
        }
        let (folder, location) = location_in(folder, Some((1, WhenFull::Wait)));
        visit(location, 1..100_000);
        let (events, times, flushes) = recorded(&folder);
        assert_eq!(events - flushes, 2 * 99_999);
        assert!(times.into_iter().eq(2..200_000));
        assert_eq!(LiveProcess::open(folder.path()).unwrap().lost_events, 0);
    }

    /// Beyond the budget chunks are given up: what is kept and what is lost are all events.
    #[test]
    fn what_is_beyond_the_budget_is_counted() {
        let (folder, location) =
            location_in(tempfile::tempdir().unwrap(), Some((1, WhenFull::Drop)));
        visit(location, 1..150_000);
        let (events, times, flushes) = recorded(&folder);
        let live = LiveProcess::open(folder.path()).unwrap();
        assert_eq!(live.lost_events + events - flushes, 2 * 149_999);
        assert!(times.is_sorted() && times.first() == Some(&2) && times.last() == Some(&299_999));
        assert!(live.lost_events == 0 || live.first_errno == Some(libc::ENOBUFS));
    }

    /// Files that live in memory never leave it: the budget is for the whole trace.
    #[test]
    fn what_lives_in_memory_stays_within_the_budget() {
        let Ok(folder) = tempfile::tempdir_in("/dev/shm") else { return };
        let (folder, location) = location_in(folder, Some((1 << 20, WhenFull::Wait)));
        visit(location, 1..150_000);
        let (events, times, flushes) = recorded(&folder);
        let live = LiveProcess::open(folder.path()).unwrap();
        assert_eq!(live.first_errno, Some(libc::ENOBUFS));
        assert_eq!(live.lost_events + events - flushes, 2 * 149_999);
        // The first chunk and the newest one are there.
        assert!(live.lost_events > 160_000 && times.last() == Some(&299_999));
    }
}
