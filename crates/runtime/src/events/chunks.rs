//! Events of a location go to its chunk, and what happens when that is full.

use std::path::Path;
use std::ptr;

use pompeii_live::encode::{self, Room};
use pompeii_live::{
    CHUNK_BYTES, Definition, MapError, Mapped, buffer_file, chunk, events_file, write_chunk,
};

use super::{Buffer, Flushed, ProgramBegin, Records, Revocable, Unkept, put};
use crate::clock;
use crate::guard;
use crate::location::Location;

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

    /// The same for records with attributes, which take `bytes` more than an event has room for.
    pub fn large_records(
        &mut self,
        (now, bytes): (u64, usize),
        write: impl FnOnce(Records) -> Records,
    ) {
        if !self.tracing || (self.events.room().is_none() && !self.next_chunk(now)) {
            return;
        }
        if !self.events.holds(bytes) {
            self.events.fill();
            if !self.next_chunk(now) {
                return;
            }
        }
        if let Some(records) = Records::begin_large(&self.events, bytes, now) {
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
    use pompeii_live::LiveProcess;
    use pompeii_otf2::event::Event;
    use pompeii_otf2::read::{Bytes, EventReader, EventRecord};
    use pompeii_otf2::reference::LocationRef;
    use pompeii_otf2::seal;

    use super::*;
    use crate::budget::WhenFull;
    use crate::process::{Options, Process};

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
